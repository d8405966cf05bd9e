"""The lines of a list as they were drawn, kept as long as nothing about them changes.

Textual looks on every line for borders, padding and opacity to lay over it, and makes a new strip in each of many
steps. Here a line is one strip, made in one step.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual._styles_cache import StylesCache
from textual.cache import LRUCache
from textual.color import Color
from textual.css.styles import StylesBase
from textual.filter import LineFilter
from textual.geometry import Size, Spacing
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style

from ..cells import width_of
from .row_source import Parts, RowSource

_KEPT: Final = 256
"""Lines."""


Row: TypeAlias = Strip | Parts
"""A row without a background."""


class Place(NamedTuple):
    """Where the lines of a list are seen."""

    scrolled: int
    """Cells that are out of sight at the left."""
    width: int
    """Cells of a line."""
    room: int
    """Cells of the list, a scrollbar included."""
    base: RichStyle
    """How the list is drawn."""
    beside: RichStyle
    """How a scrollbar's room is drawn where there is none."""
    background: Color
    filters: tuple[LineFilter, ...]
    """What every segment goes through at last."""

    @property
    def blank(self) -> Strip:
        """A line without a row."""
        strip = Strip.blank(self.width, self.base).adjust_cell_length(max(self.width, self.room), self.beside)
        for line_filter in self.filters:
            strip = strip.apply_filter(line_filter, self.background)
        return strip


def place_of(rows: ScrollView) -> Place:
    """Find where the lines of a list are seen at present."""
    under, background = rows.background_colors
    return Place(
        rows.scroll_offset.x,
        rows.scrollable_size.width,
        rows.size.width,
        rows.visual_style.rich_style,
        Style(under + background).rich_style,
        background,
        tuple(rows.app.get_line_filters()),
    )


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
            return render_content_line(y)
        return super().render_line(
            styles, y, size, content_size, padding, base_background, background, render_content_line, *more
        )


class DrawnLines:
    """Rows without a background, and the lines that are made of them: with it, the cursor, and cut to the list."""

    def __init__(self) -> None:
        self._rows: LRUCache[int, Row] = LRUCache(_KEPT)
        self._rows_width = 0
        self._lines: LRUCache[tuple[int, Hashable], tuple[Row, Strip]] = LRUCache(_KEPT)
        self._place: Place | None = None
        self._styles: dict[RichStyle, dict[str, RichStyle]] = {}
        """The style below those of a row -> what the names of styles mean on it."""

    def get(self, index: int) -> Row | None:
        """Return a row as it was drawn last; None where it was not, or that is long ago."""
        return self._rows.get(index)

    def discard(self, index: int) -> None:
        """Forget a row."""
        self._rows.discard(index)

    def clear(self, kept: Mapping[int, Row] | None = None) -> None:
        """Forget every row, but those that are kept."""
        self._rows.clear()
        for index, row in (kept or {}).items():
            self._rows[index] = row

    def forget_styles(self) -> None:
        """Forget the rows and what their styles meant."""
        self._rows.clear()
        self._lines.clear()
        self._styles.clear()

    def row(self, source: RowSource, index: int, width: int) -> Row:
        """Draw a row for a width."""
        if width != self._rows_width:
            self._rows.clear()
            self._rows_width = width
        row = self._rows.get(index)
        if row is None:
            made = source.row(index, width)
            row = self._rows[index] = made if isinstance(made, (Parts, Strip)) else Strip(made.render_segments())
        return row

    def line(self, index: int, row: Row, place: Place, bar: Segment, base: RichStyle) -> Strip:
        """Make a line of a row.

        Args:
            index: number of the row.
            row: what `row` returned for it.
            place: where it is seen.
            bar: the first cell.
            base: the style below those of the row.

        """
        if place is not self._place:
            if place != self._place:
                self._lines.clear()
            self._place = place
        key = (index, (bar.text, bar.style, base))
        known = self._lines.get(key)
        if known is not None and known[0] is row:
            return known[1]
        width = place.width
        segments, cells = self._styled(row, base) if isinstance(row, Parts) else _on(row, base)
        if place.scrolled or cells >= width:
            body = Strip(segments, cells).crop(place.scrolled, place.scrolled + width - 1)
            segments, cells = list(body), body.cell_length
        segments = [bar, *segments]
        if cells < width - 1:
            segments.append(Segment(" " * (width - 1 - cells), base))
        if place.room > width:
            segments.append(Segment(" " * (place.room - width), place.beside))
        for line_filter in place.filters:
            segments = line_filter.apply(segments, place.background)
        line = Strip(segments, max(width, place.room))
        self._lines[key] = (row, line)
        return line

    def _styled(self, row: Parts, base: RichStyle) -> tuple[list[Segment], int]:
        """Give the segments of a row, as few as it has changes of style, and how many cells they have."""
        styles = self._styles.setdefault(base, {"": base})
        segments, waiting, style, cells = [], "", base, 0
        for text, name in row:
            if not text:
                continue
            cells += width_of(text)
            own = styles.get(name)
            if own is None:
                own = styles[name] = base + Style.parse(name).rich_style
            if own is style:
                waiting += text
                continue
            if waiting:
                segments.append(Segment(waiting, style))
            waiting, style = text, own
        if waiting:
            segments.append(Segment(waiting, style))
        return segments, cells


def _on(row: Strip, base: RichStyle) -> tuple[list[Segment], int]:
    segments = [Segment(text, base if style is None else base + style, control) for text, style, control in row]
    return segments, row.cell_length
