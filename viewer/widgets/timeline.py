"""The timeline: every row of a ledger in order, between them the end of what is committed, behind them what is not."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence
from typing import Final

from textual.content import Content

from core import PartialSnapshot, RowKind, RowsSoFar

from ..styles import Signs
from .row_source import Parts, RowSource
from .timeline_line import LineDrawer, TimelineView
from .virtual_list import VirtualList

END: Final = "end"
"""Names the line that marks the end of the committed prefix."""

REST: Final = "rest"
"""Names the line behind the rows of a ledger that is still being read. It is found nowhere again: rows come there."""

TORN: Final = "torn"
"""Names the second line about a torn row."""

EMPTY: Final = "empty"
"""Names the line that stands where a filter keeps nothing."""


class TimelineList(VirtualList):
    """Opens with the cursor on one line and another one in sight, until somebody moves."""

    _opened_at: tuple[int, int] | None = None

    def open_at(self, cursor: int, seen: int) -> None:
        """Put the cursor on a line and bring the other one into sight, as far as the cursor stays there."""
        self.cursor = cursor
        self._opened_at = (self.cursor, seen)
        self.show_both()

    def keep_end_in_sight(self) -> None:
        """Scroll down to the last line, as far as the cursor stays in sight."""
        top = min(max(0, len(self.source) - self.size.height), self.cursor)
        if top > self.scroll_offset.y:
            self.scroll_to(y=top, animate=False, force=True)

    def on_resize(self) -> None:
        """Find the place again: the first sizes of a screen that fills are not its last."""
        self.show_both()

    def show_both(self) -> bool:
        """Show the line with the cursor and the other one, unless somebody has moved since; tell whether nobody has."""
        self._place()
        # What else changes with this may give the list another height, which counts once all of it is laid out.
        self.call_after_refresh(self._place)
        return self._opened_at is not None

    def _place(self) -> None:
        if self._opened_at is None or self.cursor != self._opened_at[0]:
            self._opened_at = None
            return
        top = min(max(0, self._opened_at[1] + 1 - self.size.height), self.cursor)
        self.scroll_to(y=top, animate=False, force=True, immediate=True)
        self.tell_scrollbar()


class TimelineRows:
    """The lines of a timeline. Each row of the ledger is read when it is drawn, and never kept."""

    def __init__(self, view: TimelineView, signs: Signs) -> None:
        self._view = view
        self.drawer: Final = LineDrawer(view, signs)
        """What draws the rows."""
        self.number_width: Final = self.drawer.number_width
        """Cells of the numbers of rows."""
        count = len(view.ledger.rows)
        self._kept: Sequence[int] = range(count) if view.kept is None else view.kept
        self._rows = len(self._kept)
        self._end = REST if isinstance(view.ledger, RowsSoFar) else END
        self._committed = bisect_left(self._kept, len(view.ledger))
        self._torn = view.notes and self._rows > 0 and view.ledger.rows.kinds[self._kept[-1]] == RowKind.TORN
        self._empty = int(not self._rows and bool(view.nothing))
        self._extras = self._empty + self._rows + 1 + self._torn

    def __len__(self) -> int:
        return self._extras + len(self._view.partials)

    def key(self, index: int) -> Hashable:
        """Name a line: the row's number for rows, `END` or `REST`, `TORN`, `EMPTY`, or an unfinished stream's name."""
        if self._empty and index == 0:
            return EMPTY
        place = index - self._empty
        if place < self._committed:
            return self._kept[place]
        if place == self._committed:
            return self._end
        if place <= self._rows:
            return self._kept[place - 1]
        return TORN if index < self._extras else self._view.partials[index - self._extras][0].name

    def find(self, key: Hashable) -> int | None:
        """Find a line by its name; for a row that is not shown, the nearest that is."""
        if isinstance(key, int):
            return self.line_of(key)
        if key == END == self._end:
            return self._empty + self._committed
        return next((line for line in range(self._rows + 1, len(self)) if self.key(line) == key), None)

    def line_of(self, row: int) -> int:
        """Return the line of a row of the ledger, or of the nearest row that is shown."""
        if not self._rows:
            return 0
        place = min(bisect_left(self._kept, row), self._rows - 1)
        return self._empty + (place if place < self._committed else place + 1)

    def row_of(self, line: int) -> int | None:
        """Return the row of the ledger that a line belongs to; None for the other lines."""
        key = self.key(line)
        return self._kept[-1] if key == TORN else key if isinstance(key, int) else None

    def partial_of(self, line: int) -> PartialSnapshot | None:
        """Return the unfinished stream that a line stands for."""
        return self._view.partials[line - self._extras][0] if line >= self._extras else None

    def same_as(self, before: RowSource) -> Callable[[int], bool] | None:
        """Tell which lines look as they did: all rows, where the same is shown, but those whose decision is another."""
        if not isinstance(before, TimelineRows) or not self.drawer.draws_alike(before.drawer):
            return None
        same_row, other = self.drawer.same_row, before.drawer

        def same(line: int) -> bool:
            key = self.key(line) if line < len(self) else None
            return isinstance(key, int) and line < len(before) and before.key(line) == key and same_row(key, other)

        return same

    def row(self, index: int, width: int) -> Content | Parts:
        """Draw one line."""
        key = self.key(index)
        if isinstance(key, int):
            return self.drawer.row(key, width)
        if key == self._end:
            return self.drawer.end(width)
        if key == TORN:
            return self.drawer.torn_note(width)
        if key == EMPTY:
            return self.drawer.nothing(width)
        return self.drawer.partial(self._view.partials[index - self._extras][1], width)
