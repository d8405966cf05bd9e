"""A long text to be read: wrapped or not, drawn line by line, its hits marked."""

from __future__ import annotations

from textual.content import Content

from core import Pattern, printable

from ..styles import UNICODE, Signs
from ..text_pages import UNWRAPPED_AT_MOST, TextLines, TextPages
from .row_source import Rows
from .virtual_list import VirtualList


class TextRows:
    """The lines of a text as rows of a list."""

    def __init__(self, lines: TextLines, signs: Signs, pattern: Pattern | None = None) -> None:
        self.lines = lines
        self._signs = signs
        self._pattern = pattern

    def __len__(self) -> int:
        return len(self.lines)

    def row(self, index: int, width: int) -> Content:
        """Draw one line."""
        del width
        start, end, left_out = self.lines.piece(index)
        shown = Content.styled(printable(self.lines.pages.text[start:end]), "$ink")
        shown = with_hits(shown, self._pattern)
        more = f" {self._signs.ellipsis} {left_out:,} more characters: w wraps" if left_out else ""
        return Content.assemble(shown, (more, "$muted")) if more else shown


def with_hits(shown: Content, pattern: Pattern | None) -> Content:
    """Mark where a pattern stands in a drawn text."""
    for start, end in pattern.spans(shown.plain) if pattern is not None else ():
        shown = shown.stylize("reverse", start, end)
    return shown


class TextView(VirtualList):
    """Shows one text. Room for the scrollbar is kept, or it would cover the ends of lines that were wrapped before."""

    DEFAULT_CSS = "TextView { scrollbar-gutter: stable; }"

    def __init__(self, *, signs: Signs = UNICODE, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(Rows(), signs=signs, id=id)
        self.pages = TextPages("")
        """What is shown."""
        self.wrap = True
        """Whether long lines go on below."""
        self.pattern: Pattern | None = None
        """What is marked."""
        self._lines = TextLines(self.pages, 1, wrap=True)

    def show(self, pages: TextPages) -> None:
        """Show another text from its beginning."""
        self.pages = pages
        self.lay_out()
        self.action_top()

    @property
    def offset_at_cursor(self) -> int:
        """The first character of the line under the cursor."""
        return self._lines.piece(self.cursor)[0] if 0 <= self.cursor < len(self._lines) else 0

    def row_of(self, offset: int) -> int:
        """Say which line has a character."""
        return self._lines.row_of(offset)

    def go_to_offset(self, offset: int) -> None:
        """Put the cursor on the line that has a character."""
        self.go_to(self._lines.row_of(offset))

    def toggle_wrap(self) -> None:
        """Wrap, or cut; the character at the beginning of the line stays in sight."""
        self.wrap = not self.wrap
        self.lay_out(keep=True)

    def mark(self, pattern: Pattern | None) -> None:
        """Mark where a pattern stands."""
        self.pattern = pattern
        self.source = TextRows(self._lines, self._signs, pattern)

    def lay_out(self, *, keep: bool = False) -> None:
        """Work the lines out for the present width."""
        offset = self.offset_at_cursor if keep else 0
        width = max(self.scrollable_size.width - 1, 1)
        self._lines = TextLines(self.pages, width, wrap=self.wrap)
        self._row_width = None if self.wrap else UNWRAPPED_AT_MOST + 40
        self.source = TextRows(self._lines, self._signs, self.pattern)
        if self.wrap:
            self.scroll_to(x=0, animate=False, force=True)
        if keep:
            self.go_to_offset(offset)

    def on_resize(self) -> None:
        """Work the lines out for another width."""
        if max(self.scrollable_size.width - 1, 1) != self._lines.width:
            self.lay_out(keep=True)
