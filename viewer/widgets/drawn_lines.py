"""The lines of a list as they were drawn, kept as long as nothing about them changes.

Textual looks on every line for borders, padding and opacity to lay over it, and makes a new strip in each of many
steps. Here a line is one strip, made in one step.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual._styles_cache import StylesCache
from textual.cache import LRUCache
from textual.color import Color
from textual.css.styles import StylesBase
from textual.geometry import Size, Spacing
from textual.strip import Strip
from textual.style import Style

from .row_source import Parts, RowSource

_KEPT: Final = 1024
"""Lines."""


class BareLines(StylesCache):
    """The lines of a widget as Textual keeps them until they are dirty, where nothing has to be laid over them."""

    def render_line(
        self,
        styles: StylesBase,
        y: int,
        size: Size,
        content_size: Size,
        padding: Spacing,
        base_background: Color,
        background: Color,
        render_content_line: Callable[[int], Strip],
        *more: Any,
    ) -> Strip:
        """Draw a line, straight where it is all content."""
        if size == content_size and more[2] == 1 and y < size.height:
            inner, _ = self.get_inner_outer(base_background, background)
            return render_content_line(y).adjust_cell_length(size.width, inner.rich_style)
        return super().render_line(
            styles, y, size, content_size, padding, base_background, background, render_content_line, *more
        )


class DrawnLines:
    """Rows without a background, and the lines that are made of them: with it, the cursor, and cut to the list."""

    def __init__(self) -> None:
        self._rows: LRUCache[int, Strip] = LRUCache(_KEPT)
        self._rows_width = 0
        self._lines: LRUCache[tuple[int, Hashable], tuple[Strip, Strip]] = LRUCache(_KEPT)
        self._look: Hashable = None
        self._named_styles: dict[str, RichStyle | None] = {"": None}
        """Styles of rows, by their names."""

    def get(self, index: int) -> Strip | None:
        """Return a row as it was drawn last; None where it was not, or that is long ago."""
        return self._rows.get(index)

    def discard(self, index: int) -> None:
        """Forget a row."""
        self._rows.discard(index)

    def clear(self) -> None:
        """Forget every row."""
        self._rows.clear()

    def forget_styles(self) -> None:
        """Forget the rows and what their styles meant."""
        self._rows.clear()
        self._named_styles = {"": None}

    def row(self, source: RowSource, index: int, width: int) -> Strip:
        """Draw a row for a width."""
        if width != self._rows_width:
            self._rows.clear()
            self._rows_width = width
        strip = self._rows.get(index)
        if strip is None:
            row = source.row(index, width)
            if isinstance(row, Parts):
                strip = Strip([Segment(text, self._style(name)) for text, name in row if text])
            else:
                strip = row if isinstance(row, Strip) else Strip(row.render_segments())
            self._rows[index] = strip
        return strip

    def line(self, index: int, row: Strip, bar: Segment, base: RichStyle, *, scrolled: int, width: int) -> Strip:
        """Make a line of a row.

        Args:
            index: number of the row.
            row: what `row` returned for it.
            bar: the first cell.
            base: the style below those of the row.
            scrolled: cells of the row that are out of sight at the left.
            width: cells of the line.

        """
        look = (scrolled, width)
        if look != self._look:
            self._look = look
            self._lines.clear()
        key = (index, (bar.text, bar.style, base))
        known = self._lines.get(key)
        if known is not None and known[0] is row:
            return known[1]
        body = row.crop(scrolled, scrolled + width - 1) if scrolled or row.cell_length >= width else row
        segments = [bar]
        segments += [Segment(text, base if style is None else base + style, control) for text, style, control in body]
        missing = width - 1 - body.cell_length
        if missing > 0:
            segments.append(Segment(" " * missing, base))
        line = Strip(segments, width)
        self._lines[key] = (row, line)
        return line

    def _style(self, name: str) -> RichStyle | None:
        if name not in self._named_styles:
            self._named_styles[name] = Style.parse(name).rich_style
        return self._named_styles[name]
