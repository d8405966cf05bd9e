"""A list of any number of rows at constant cost: only the visible rows are drawn, and a cursor move draws two."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.theme import Theme

from ..command import Context
from ..commands import bindings_for
from ..styles import UNICODE, Signs
from .drawn_lines import BareLines, DrawnLines, Place, Row, place_of
from .row_source import KeyedRows, RowSource, SkippedRows, SteadyRows
from .thin_bar import ThinScrolled

PAN_CELLS = 8


class VirtualList(ThinScrolled, can_focus=True):
    """Rows of a `RowSource`, one line each, with a cursor.

    The first cell of a line is the list's own, for the cursor's bar. The cursor is -1 while no row can hold it. Of its
    source the list reads the rows that it draws.
    """

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.LIST)
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "virtual-list--cursor",
        "virtual-list--cursor-bar",
        "virtual-list--idle",
        "virtual-list--idle-bar",
    }
    DEFAULT_CSS = """
    VirtualList {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        & > .virtual-list--cursor { background: $cursor; text-style: $cursor-text-style; }
        & > .virtual-list--idle { background: $idle; }
        & > .virtual-list--cursor-bar { color: $accent; }
        & > .virtual-list--idle-bar { color: $muted; }
    }
    """

    cursor: reactive[int] = reactive(-1, repaint=False, init=False)
    """Number of the row under the cursor, from 0; -1 if there is none."""

    idle_cursor: reactive[bool] = reactive(True)
    """Whether the cursor is seen while something else has the focus."""

    class Highlighted(Message):
        """The cursor came to another row, or to the same row in another place."""

        def __init__(self, rows: VirtualList, index: int) -> None:
            super().__init__()
            self.rows = rows
            self.index = index

        @property
        def control(self) -> VirtualList:
            """The list, for `on(..., selector)`."""
            return self.rows

    class Selected(Highlighted):
        """The row was opened, by enter or a double click."""

    def __init__(
        self,
        source: RowSource,
        *,
        row_width: int | None = None,
        signs: Signs = UNICODE,
        id: str | None = None,  # noqa: A002 - the name that Textual gives it
        classes: str | None = None,
    ) -> None:
        """Make a list.

        Args:
            source: the rows.
            row_width: cells of a row that may be wider than the list, to be scrolled sideways; None: as wide as it is.
            signs: the set of glyphs.
            id: id in the DOM.
            classes: CSS classes.

        """
        super().__init__(id=id, classes=classes)
        self._source = source
        self._row_width = row_width
        self._signs = signs
        self._drawn = DrawnLines()
        self._styles_cache = BareLines()
        self._seen_at: Place | None = None
        """Where the lines are, while they are drawn."""
        self._height = 0
        self._key: Hashable = None
        self._from_top: int | None = None

    # Rows

    @property
    def source(self) -> RowSource:
        """The rows; setting another source keeps the place, by the names of rows if the source has them."""
        return self._source

    @source.setter
    def source(self, source: RowSource) -> None:
        before, self._source = self._source, source
        if self.is_mounted:
            self.rows_changed(before)

    @property
    def seen(self) -> range:
        """Numbers of the rows in sight."""
        return range(self.scroll_offset.y, min(self.scroll_offset.y + self.size.height, len(self._source)))

    def rows_changed(self, before: RowSource | None = None) -> None:
        """Take note of any change of the rows; the row under the cursor stays where it is on the screen.

        Only the lines in sight that look otherwise by now are drawn anew. `before` is the source until now.
        """
        shown = {index: row for index in self.seen if (row := self._drawn.get(index)) is not None}
        # The rows may be fewer by now; what was drawn for those that went is told by what was measured last.
        top, lines = self.scroll_offset.y, self._in_sight()
        source = self._source
        same = source.same_as(before) if before is not None and isinstance(source, SteadyRows) else None
        self._drawn.clear({index: row for index, row in shown.items() if same is not None and same(index)})
        self._measure()
        old, key = self.cursor, self._key
        found = source.find(key) if isinstance(source, KeyedRows) and key is not None else None
        new = self.validate_cursor(old if found is None else found)
        if new != old:
            # The scroll must move with the row, or what a person reads jumps away under the eyes.
            top = self.scroll_offset.y + new - old
            was_seen = old in self.seen
            self.cursor = new
            if was_seen:
                self._scroll_to_line(top)
                self._reveal()
        else:
            self._remember()
            if new >= 0 and (key is None or key != self._key):
                self.post_message(self.Highlighted(self, new))
        if self.scroll_offset.y == top:
            self._refresh_others(shown, max(lines, self._in_sight()))
        else:
            self.refresh()

    def _in_sight(self) -> int:
        return max(0, min(self.size.height, int(self.virtual_size.height) - self.scroll_offset.y))

    def _refresh_others(self, shown: Mapping[int, Row], lines: int) -> None:
        """Draw the lines in sight anew that are not what was `shown` on them."""
        width, top = self.scrollable_size.width, self.scroll_offset.y
        for index in range(top, top + lines):
            before = shown.get(index)
            if before is None or index >= len(self._source) or self._row(index, width) != before:
                self.refresh_line(index)

    def grew(self, source: RowSource, *, rest: int = 0) -> None:
        """Take a source with the same rows and others behind them; the last `rest` of those before may be others too.

        Cursor and scroll stay, and nothing is drawn but what is new in sight.
        """
        first = len(self._source) - rest
        for index in range(first, len(self._source)):
            self._drawn.discard(index)
        self._source = source
        self._measure()
        for index in range(max(first, self.seen.start), self.seen.stop):
            self.refresh_line(index)
        if self.cursor < 0:
            self.cursor = self.validate_cursor(0)
        else:
            self._remember()

    def refresh_row(self, *indices: int) -> None:
        """Draw single rows anew."""
        for index in indices:
            self._drawn.discard(index)
            self.refresh_line(index)

    def go_to(self, index: int, *, center: bool = True) -> None:
        """Put the cursor on a row; a row out of sight comes to the middle, or else just into sight."""
        was_seen = index in self.seen
        self.cursor = index
        if center and not was_seen:
            self._scroll_to_line(self.cursor - self.size.height // 2)

    def show_from_top(self) -> None:
        """Show the rows from the first one on, or as far down as the cursor is, until the cursor moves."""
        self._from_top = self.cursor
        self._place_at_top()
        self.call_after_refresh(self._place_at_top)

    def _place_at_top(self) -> None:
        if self._from_top == self.cursor:
            self.scroll_to(y=0, animate=False, force=True, immediate=True)
            self._reveal(center=True)

    def _measure(self) -> None:
        """Tell the scrollbar how many rows there are; nothing is laid out anew as long as it stays, or stays away."""
        size, height = Size(self._row_width or 0, len(self._source)), self.size.height
        had, has = self.virtual_size.height > height, size.height > height
        if height and had == has and size.width == self.virtual_size.width:
            self.set_reactive(VirtualList.virtual_size, size)
            self.scroll_y = self.validate_scroll_y(self.scroll_y)
            self.tell_scrollbar()
        else:
            self.virtual_size = size
            self._scroll_update(size)  # else Textual finds out while it lays out, and does that a second time

    def tell_scrollbar(self) -> None:
        """Let the scrollbar show what is seen; Textual tells it only while it is there, and not in what order."""
        bar = self.vertical_scrollbar
        bar.window_virtual_size, bar.window_size = self.virtual_size.height, self.size.height
        bar.position = self.scroll_y

    def _remember(self) -> None:
        source = self._source
        self._key = None
        if isinstance(source, KeyedRows) and 0 <= self.cursor < len(source):
            self._key = source.key(self.cursor)

    # Cursor

    def _settle(self, index: int, step: int, count: int) -> int:
        """Find the nearest row that can hold the cursor, first in the direction of travel; -1 if there is none."""
        if count <= 0:
            return -1
        index = max(0, min(index, count - 1))
        source = self._source
        if not isinstance(source, SkippedRows):
            return index
        for path in (range(index, count), range(index, -1, -1))[:: 1 if step >= 0 else -1]:
            for candidate in path:
                if not source.skips(candidate):
                    return candidate
        return -1

    def validate_cursor(self, value: int) -> int:
        """Hold the cursor inside the list, on a row that can have it."""
        return self._settle(value, value - self.cursor, len(self._source))

    def watch_cursor(self, old: int, new: int) -> None:
        """Draw the two rows concerned and keep the cursor in sight."""
        self._from_top = None
        for index in (old, new):
            if index in self.seen:
                self.refresh_line(index)
        self._remember()
        self._reveal()
        if new >= 0:
            self.post_message(self.Highlighted(self, new))

    def _reveal(self, *, center: bool = False) -> None:
        height = self.size.height
        if self.cursor < 0 or height <= 0:
            return
        first = self.cursor
        if isinstance(self._source, SkippedRows):
            # A heading belongs to the rows below it: going up to the first of them shows it too.
            while first > 0 and self.cursor - first < height - 1 and self._source.skips(first - 1):
                first -= 1
        top = self.scroll_offset.y
        if first >= top and self.cursor < top + height:
            return
        if center:
            self._scroll_to_line(self.cursor - height // 2)
        else:
            self._scroll_to_line(first if first < top else self.cursor - height + 1)

    def _scroll_to_line(self, top: int) -> None:
        self.scroll_to(y=max(0, min(top, len(self._source) - self.size.height)), animate=False, force=True)

    def _move_page(self, rows: int) -> None:
        """Move the cursor and the page together, so that the cursor keeps its line on the screen."""
        top = self.scroll_offset.y + rows
        self.cursor += rows
        self._scroll_to_line(top)
        self._reveal()

    def action_move(self, rows: int) -> None:
        """Move the cursor by some rows."""
        self.cursor += rows

    def action_page(self, pages: int) -> None:
        """Move by pages that overlap in one row."""
        self._move_page(pages * max(1, self.size.height - 1))

    def action_half(self, pages: int) -> None:
        """Move by half pages."""
        self._move_page(pages * max(1, self.size.height // 2))

    def action_top(self) -> None:
        """Go to the first row."""
        self.cursor = 0
        self._reveal()

    def action_bottom(self) -> None:
        """Go to the last row."""
        self.cursor = len(self._source) - 1
        self._reveal()

    def action_pan(self, steps: int) -> None:
        """Scroll sideways, where rows are wider than the list."""
        self.scroll_to(x=self.scroll_offset.x + steps * PAN_CELLS, animate=False, force=True)

    def action_select(self) -> None:
        """Open the row under the cursor."""
        if self.cursor >= 0:
            self.post_message(self.Selected(self, self.cursor))

    def on_mount(self) -> None:
        """Measure the rows that are there already."""
        self.app.theme_changed_signal.subscribe(self, self._theme_changed)
        self._measure()
        if self.cursor < 0:
            self.cursor = self.validate_cursor(0)

    def on_unmount(self) -> None:
        """Hear of themes no longer, or the application keeps the list, and with it a whole ledger, for good."""
        self.app.theme_changed_signal.unsubscribe(self)

    def on_resize(self) -> None:
        """Keep the cursor in sight if it was."""
        before, self._height = self._height, self.size.height
        if not before or 0 <= self.cursor - self.scroll_offset.y < before:
            self._reveal(center=not before)
        if self._from_top is not None:
            self._place_at_top()
        self.tell_scrollbar()

    def on_focus(self) -> None:
        """Light the cursor up."""
        self.refresh_line(self.cursor)

    def on_blur(self) -> None:
        """Calm the cursor down."""
        self.refresh_line(self.cursor)

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the row; a double click opens it."""
        index = event.get_content_offset_capture(self).y + self.scroll_offset.y
        if not 0 <= index < len(self._source) or self._settle(index, 1, index + 1) != index:
            return
        event.stop()
        self.cursor = index
        if event.chain == 2:
            self.action_select()

    def _theme_changed(self, theme: Theme) -> None:
        """Forget rows drawn in other colours. Nothing else of a style is in them: focus and hover leave them be."""
        del theme
        self._drawn.forget_styles()
        self.refresh()

    # Drawing

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Give Textual none: lines are kept as they are behind all filters."""
        return ()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the lines of a part, which have their place in common."""
        self._seen_at = place_of(self)
        try:
            return super().render_lines(crop)
        finally:
            self._seen_at = None

    def render_line(self, y: int) -> Strip:
        """Draw one line of the visible part."""
        place = self._seen_at or place_of(self)
        index, base = y + self.scroll_offset.y, place.base
        if place.width <= 0 or not 0 <= index < len(self._source):
            return place.blank
        bar = Segment(" ", base)
        if index == self.cursor and (self.has_focus or self.idle_cursor):
            name = "virtual-list--cursor" if self.has_focus else "virtual-list--idle"
            base += self.get_component_rich_style(name, partial=True)
            bar = Segment(self._signs.cursor, base + self.get_component_rich_style(f"{name}-bar", partial=True))
        return self._drawn.line(index, self._row(index, place.width), place, bar, base)

    def _row(self, index: int, width: int) -> Row:
        return self._drawn.row(self._source, index, max(width - 1, self._row_width or 0))
