"""Text to be read in a pane: wrapped by words, scrolled; some of its lines lead to a row, or open something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Final, Protocol, runtime_checkable

from msgspec import Struct
from rich.cells import get_character_cell_size
from textual.content import Content
from textual.strip import Strip

from ..styles import UNICODE, Signs
from .row_source import Parts, Rows, RowSource
from .virtual_list import VirtualList

WIDEST: Final = 4000
"""Cells of a paragraph that is not wrapped."""


class Line(Struct, frozen=True):
    """One paragraph."""

    text: Content
    """Safe text, without a line break."""
    hang: int = 0
    """Cells by which the lines after the first are indented."""
    row: int | None = None
    """The row of the ledger that it leads to."""
    opens: object = None
    """What else it opens: a value, another run."""


BLANK = Line(Content(""))
"""Sets paragraphs apart, as far as there is room for that."""


@runtime_checkable
class Leading(Protocol):
    """Rows that lead to rows of the ledger."""

    def target(self, index: int) -> int | None:
        """Return the row of the ledger that a line leads to."""
        ...


class _Below:
    """Paragraphs, and below them a tail."""

    def __init__(self, parts: Sequence[Content], tail: RowSource) -> None:
        self._parts = parts
        self._tail = tail

    def __len__(self) -> int:
        return len(self._parts) + len(self._tail)

    def row(self, index: int, width: int) -> Content | Parts | Strip:
        """Draw a part of a paragraph, or a row of the tail."""
        place = index - len(self._parts)
        return self._parts[index] if place < 0 else self._tail.row(place, width)


class LineList(VirtualList):
    """Paragraphs, wrapped anew for every width, and below them a tail if there is one."""

    def __init__(
        self,
        *,
        signs: Signs = UNICODE,
        id: str | None = None,  # noqa: A002 - Textual's own name
    ) -> None:
        super().__init__(Rows(), signs=signs, id=id)
        self.wrap = True
        """Whether a long paragraph goes on below, or is cut and scrolled sideways."""
        self._lines: Sequence[Line] = ()
        self._shown: list[Line] = []
        self._make_tail: Callable[[int, bool], RowSource] | None = None
        self._tail: RowSource | None = None
        self._wrapped_for = (0, 0)
        self.idle_cursor = False

    def show(
        self,
        lines: Sequence[Line],
        *,
        keep_place: bool = False,
        tail: Callable[[int, bool], RowSource] | None = None,
    ) -> None:
        """Show other paragraphs, from their beginning unless the place is kept.

        `tail` makes the rows below them for a width, wrapped or not.
        """
        self._lines = lines
        self._make_tail = tail
        self._wrap()
        if not keep_place:
            self.cursor = 0
            self.scroll_home(animate=False, force=True)

    def target(self, index: int) -> int | None:
        """Return the row that a line leads to."""
        place = index - len(self._shown)
        if isinstance(self._tail, Leading) and 0 <= place < len(self._tail):
            return self._tail.target(place)
        return self._shown[index].row if 0 <= index < len(self._shown) else None

    def opens(self, index: int) -> object:
        """Return what else a line opens; None if it opens nothing."""
        return self._shown[index].opens if 0 <= index < len(self._shown) else None

    def toggle_wrap(self) -> None:
        """Wrap long paragraphs, or cut them."""
        self.wrap = not self.wrap
        self._wrap()

    def on_resize(self) -> None:
        """Wrap for the new size."""
        if (self._width, self.size.height) != self._wrapped_for:
            self._wrap()

    @property
    def _width(self) -> int:
        # One cell is the cursor's, and one is left for a scrollbar, whether or not there is one now: lines that were
        # wrapped for the scrollbar that they need would not need it otherwise.
        return max(self.outer_size.width - 2, 8)

    def _wrap(self) -> None:
        width, height = self._wrapped_for = (self._width, self.size.height)
        self._tail = self._make_tail(width, self.wrap) if self._make_tail is not None else None
        pieces = [(line, part) for line in self._lines for part in (wrapped(line, width) if self.wrap else [line.text])]
        spare = height - sum(line is not BLANK for line, _ in pieces) - (len(self._tail) if self._tail else 0)
        blanks = count(1)
        pieces = [(line, part) for line, part in pieces if line is not BLANK or next(blanks) <= spare]
        parts = [part for _, part in pieces]
        self._shown = [line for line, _ in pieces]
        self._row_width = None if self.wrap else min(max((p.cell_length for p in parts), default=0), WIDEST)
        if self.wrap:
            self.scroll_to(x=0, animate=False, force=True)
        self.source = _Below(parts, self._tail) if self._tail is not None else Rows(parts)


def wrapped(line: Line, width: int) -> list[Content]:
    """Break a paragraph by words into lines of at most `width` cells; a longer word is broken."""
    if line.text.cell_length <= width:
        return [line.text]
    hang = min(line.hang, max(0, width - 8))
    first, *rest = line.text.wrap(width)
    if not rest or not hang:
        return [first, *rest]
    if len(first.plain.rstrip()) <= hang:
        # One long word would leave its name alone on the first line.
        first = line.text[: max(hang + 1, _fitting(line.text.plain, width))]
    left = line.text[len(first.plain) :]
    spaces = len(left.plain) - len(left.plain.lstrip(" "))
    return [first, *(Content.assemble(" " * hang, part) for part in left[spaces:].wrap(width - hang))]


def _fitting(text: str, width: int) -> int:
    """Say how many characters go into a width."""
    used = 0
    for place, character in enumerate(text):
        used += get_character_cell_size(character)
        if used > width:
            return place
    return len(text)
