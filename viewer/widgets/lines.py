"""Text to be read in a pane: wrapped by words, scrolled, and some of its lines lead to a row of the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from textual.content import Content

from ..styles import UNICODE, Signs
from .row_source import Rows
from .virtual_list import VirtualList


@dataclass(frozen=True, slots=True)
class Line:
    """One paragraph."""

    text: Content
    """Safe text, without a line break."""
    hang: int = 0
    """Cells by which the lines after the first are indented."""
    row: int | None = None
    """The row of the ledger that it leads to."""


BLANK = Line(Content(""))
"""Sets paragraphs apart, as far as there is room for that."""


class LineList(VirtualList):
    """Paragraphs, wrapped anew for every width."""

    def __init__(
        self,
        *,
        signs: Signs = UNICODE,
        id: str | None = None,  # noqa: A002 - Textual's own name
    ) -> None:
        super().__init__(Rows(), signs=signs, id=id)
        self._lines: Sequence[Line] = ()
        self._targets: list[int | None] = []
        self._wrapped_for = (0, 0)
        self.idle_cursor = False

    def show(self, lines: Sequence[Line], *, keep_place: bool = False) -> None:
        """Show other paragraphs, from their beginning unless the place is kept."""
        self._lines = lines
        self._wrap()
        if not keep_place:
            self.cursor = 0
            self.scroll_home(animate=False, force=True)

    def target(self, index: int) -> int | None:
        """Return the row that a line leads to."""
        return self._targets[index] if 0 <= index < len(self._targets) else None

    def on_resize(self) -> None:
        """Wrap for the new size."""
        if (self._width, self.size.height) != self._wrapped_for:
            self._wrap()

    @property
    def _width(self) -> int:
        return max(self.scrollable_size.width - 2, 8)

    def _wrap(self) -> None:
        width, height = self._wrapped_for = (self._width, self.size.height)
        pieces = [(line, part) for line in self._lines for part in wrapped(line, width)]
        spare = height - sum(line is not BLANK for line, _ in pieces)
        blanks = count(1)
        pieces = [(line, part) for line, part in pieces if line is not BLANK or next(blanks) <= spare]
        self._targets = [line.row for line, _ in pieces]
        self.source = Rows([part for _, part in pieces])


def wrapped(line: Line, width: int) -> list[Content]:
    """Break a paragraph by words into lines of at most `width` cells; a longer word is broken."""
    if line.text.cell_length <= width:
        return [line.text]
    hang = min(line.hang, max(0, width - 8))
    first, *rest = line.text.wrap(width)
    if not rest or not hang:
        return [first, *rest]
    left = line.text[len(first.plain) :]
    spaces = len(left.plain) - len(left.plain.lstrip(" "))
    return [first, *(Content.assemble(" " * hang, part) for part in left[spaces:].wrap(width - hang))]
