"""Finding in one run: search, filter, going to a place. Threads look at the rows; the cursor keeps its place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final

from textual import on, work
from textual.worker import get_current_worker

from core import ROW_FIELDS, Filter, Pattern, RequestError, matching_row_batches, parse_filter, search

from ..hits import Hits
from ..loading import Beat
from ..run_layout import RAW, TIMELINE
from ..run_messages import RowsKept
from ..run_reading import Opened
from ..widgets.find_bar import FindBar, Finding, Found
from .run_view import RunView

_HINT: Final = "kind:call  tool:Bash  status:failed  text:deploy  any word; ! before a word turns it round"


class RunFind(RunView):
    """Searches and filters the timeline."""

    chosen_filter: Filter | None = None
    """The filter that holds; None where none does."""
    _keeping: Sequence[int] = ()
    _kept_done: bool = True
    _renewing: bool = False
    _renew_later: bool = False
    _filter_text: str = ""
    _filter_before: str = ""
    _left: tuple[int, int] | None = None
    """The row under the cursor when the filter was set, and the one that it came to."""
    _visible: Hits | None = None
    _place: Hashable = None

    # Searching

    @property
    def here(self) -> int:
        """The row under the cursor; behind the last row where the cursor is on none."""
        rows, cursor = self.rows, self.timeline.cursor
        row = rows.row_of(cursor) if rows is not None and 0 <= cursor < len(rows) else None
        if row is not None:
            return row
        return len(self.opened.ledger.rows) if self.opened is not None else 0

    def go(self, place: int) -> None:
        """Put the cursor on a row."""
        self.select_row(place)

    def remember_place(self) -> None:
        """Remember the line by its name: some lines are no rows."""
        rows, cursor = self.rows, self.timeline.cursor
        self._place = rows.key(cursor) if rows is not None and 0 <= cursor < len(rows) else None

    def come_back(self, place: int) -> None:
        """Go back to that line."""
        line = self.rows.find(self._place) if self.rows is not None and self._place is not None else None
        if line is not None:
            self.timeline.go_to(line)
        else:
            self.go(place)

    def places_with(self, pattern: Pattern, start: int, stop: Callable[[], bool]) -> Iterator[int]:
        """Search the rows, shown and raw."""
        return search(self.opened.ledger, pattern, stop, start) if self.opened is not None else iter(())

    def marks_changed(self) -> None:
        """Mark hits in the timeline, and in the bytes if they are seen."""
        self.fill_timeline()
        if self.tabs.open == RAW:
            self.show_detail(keep_place=True)

    def hits_changed(self) -> None:
        """Count anew which hits the filter leaves."""
        self._visible = None

    @property
    def visible_hits(self) -> Hits:
        """The hits that the filter leaves."""
        if self.kept is None or self.hits is None:
            return super().visible_hits
        if self._visible is None:
            self._visible = self.hits.among(Hits(self.kept))
        return self._visible

    @property
    def found(self) -> Found:
        """What is searched and what is kept."""
        chosen, opened = self.chosen_filter, self.opened
        found = super().found
        if chosen is None or opened is None:
            return found
        count = len(opened.ledger.rows)
        said = chosen.result(len(self.kept or ()), count, done=self._kept_done)
        return Found(found.pattern, found.hits, self._filter_text, said)

    # Filtering

    def action_filter(self) -> None:
        """Ask for a filter, beginning with the last one."""
        self._filter_before = self._filter_text if self.chosen_filter is not None else ""
        text = self._filter_text or self.app.last_filter
        self.begin_to_type(Finding.FILTER, text, _HINT)
        if text:
            self._set_filter(text)

    @on(FindBar.Typed)
    def _filter_typed(self, message: FindBar.Typed) -> None:
        if message.finding is Finding.FILTER:
            self._set_filter(message.text)

    @on(FindBar.Ended)
    def _filter_ended(self, message: FindBar.Ended) -> None:
        if message.finding is not Finding.FILTER:
            return
        if self._understood(message.text) is None:
            return  # what is wrong stands below the field, which stays open
        self.app.last_filter = message.text.strip() or self.app.last_filter
        self.end_to_type()

    @on(FindBar.Dropped)
    def _filter_dropped(self, message: FindBar.Dropped) -> None:
        if message.finding is Finding.FILTER:
            self._set_filter(self._filter_before)
            self.end_to_type()

    def _understood(self, text: str) -> Filter | None:
        try:
            return parse_filter(text, ROW_FIELDS)
        except RequestError as error:
            self.find_bar.refuse(f"{error.message}{f': {error.hint}' if error.hint else ''}")
            return None

    def _set_filter(self, text: str) -> None:
        """Begin to filter; while a text is not understood every row is shown."""
        chosen = self._understood(text)
        if self.opened is None:
            return
        if not chosen:
            self.end_filter()
        elif chosen != self.chosen_filter:
            if self.chosen_filter is None:
                self._left = (self.here, self.here)
            self.chosen_filter, self._filter_text = chosen, text.strip()
            self._kept_done, self._keeping, self._renewing = False, [], False
            self._filter(self.opened, chosen)
        self.tell_found()

    @property
    def filter_is_done(self) -> bool:
        """Whether every row was looked at."""
        return self._kept_done

    def take_kept(self, kept: Sequence[int]) -> None:
        """Take what the filter keeps of a ledger that grew."""
        self._keeping = self.kept = list(kept)
        self._visible = None

    def filter_again(self) -> None:
        """Look at every row again; what is kept so far stays until that is done. One such look at a time."""
        if self.opened is None or self.chosen_filter is None:
            return
        if self._renewing:
            self._renew_later = True
            return
        # Another object, so that what an older look still has to tell is not taken for this one's.
        self.chosen_filter = Filter(self.chosen_filter.terms)
        self._renewing, self._kept_done, self._keeping = self.kept is not None, False, []
        self._filter(self.opened, self.chosen_filter)

    def end_filter(self) -> None:
        """Show every row again, and the row where one was unless the cursor was moved since."""
        self.workers.cancel_group(self, "filter")
        back, here = self._left, self.here
        self.chosen_filter, self.kept, self._left, self._visible = None, None, None, None
        self._filter_text = ""
        self._kept_done = True
        self.fill_timeline()
        self.show_headings()
        if back is not None and here == back[1]:
            self.select_row(back[0])
        self.tell_found()

    @work(thread=True, exclusive=True, exit_on_error=False, group="filter", description="filter the rows")
    def _filter(self, opened: Opened, chosen: Filter) -> None:
        worker, beat = get_current_worker(), Beat()
        waiting: list[int] = []
        for batch in matching_row_batches(opened.ledger, chosen, lambda: worker.is_cancelled):
            waiting += batch
            if beat.due() and not worker.is_cancelled:
                self.post_message(RowsKept(chosen, waiting))
                waiting = []
        if not worker.is_cancelled:
            self.post_message(RowsKept(chosen, waiting, done=True))

    @on(RowsKept)
    def _rows_kept(self, message: RowsKept) -> None:
        chosen = self.chosen_filter
        if message.chosen is not chosen or chosen is None:
            return
        self._keeping = sorted([*self._keeping, *message.rows])
        self._kept_done = message.done
        if self._renewing and not message.done:
            return
        again, self._renewing, self._renew_later = self._renew_later, False, False
        unmoved = self._left is not None and self.here == self._left[1]
        self.kept, self._visible = self._keeping, None
        self.nothing = f"Nothing is kept: {chosen.description}. esc clears the filter." if message.done else ""
        self.fill_timeline()
        if self._left is not None and unmoved and self.rows is not None:
            self.timeline.go_to(self.rows.line_of(self._left[0]))
            self._left = (self._left[0], self.here)
        self.show_headings()
        self.tell_found()
        if again:
            self.filter_again()

    def select_row(self, row: int) -> None:
        """Put the cursor on a row; one that the filter hides takes the filter away, since somebody asked for it."""
        kept = self.kept
        if kept is not None:
            place = bisect_left(kept, row)
            if place >= len(kept) or kept[place] != row:
                self._left = None
                self.end_filter()
                self.say(f"The filter hid row {row + 1:,}: it is cleared.")
        super().select_row(row)

    def action_clear(self) -> None:
        """End search and filter; where there is neither, end the zoom."""
        if self.pattern is None and self.chosen_filter is None:
            if self.has_class("-zoomed"):
                self.action_zoom()
            return
        self.end_search()
        if self.chosen_filter is not None:
            self.end_filter()

    @property
    def clearable(self) -> bool:
        """Whether there is something to clear."""
        return super().clearable or self.chosen_filter is not None or self.has_class("-zoomed")

    # Going to a place

    def action_go_to(self) -> None:
        """Ask for a number, an id or a time, and go there."""
        if self.opened is None:
            return
        from .ask import GoToScreen

        local = self.times.zone is None
        self.app.push_screen(GoToScreen(self.opened.ledger, local=local, signs=self.app.signs), self._gone)

    def _gone(self, row: int | None) -> None:
        if row is not None:
            self.select_row(row)
            self.show_timeline()

    def show_timeline(self) -> None:
        """Go to the timeline."""
        self.show_page(TIMELINE)
        self.timeline.focus()
