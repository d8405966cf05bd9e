"""Finding a run: search, filter, order; and what can be done with the run under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from textual import on

from core import RUN_FIELDS, Filter, Pattern, RequestError, RunSummary, parse_filter, printable, run_text

from ..run_copies import run_copies
from ..run_lines import next_blocked, summary_at
from ..run_places import Place
from ..sorted_runs import key_of
from ..styles import VERDICTS
from ..widgets.counts import CountsLine
from ..widgets.find_bar import FindBar, Finding, Found
from .runs_frame import MODES, RunsFrame

_HINT: Final = "verdict:may_have_run  session:port  run:7f3e  text:deploy  any word; ! before a word turns it round"


class RunsFinding(RunsFrame):
    """Finds runs. Places of the search are lines."""

    _filter_before = ""

    # Searching

    @property
    def here(self) -> int:
        """The line under the cursor."""
        return max(self.rows.cursor, 0)

    def go(self, place: int) -> None:
        """Put the cursor on a line."""
        self.settled = True
        self.rows.go_to(place)

    def places_with(self, pattern: Pattern, start: int, stop: Callable[[], bool]) -> Iterator[int]:
        """Search what the list says of each run."""
        lines, count = self.lines, len(self.lines)
        for place in range(count):
            index = (start + place) % count
            if place % 256 == 0 and stop():
                return
            summary = summary_at(lines, index)
            if summary is not None and pattern.in_text(run_text(summary)):
                yield index

    def marks_changed(self) -> None:
        """Mark the hits."""
        self.source.pattern, self.source.hits = self.pattern, self.visible_hits
        self.rows.rows_changed()

    # Order and filter

    def action_sort(self) -> None:
        """Put the runs in the next order; the cursor stays on its run."""
        self.order = self.order.next
        self.settled = self.put_anew = True
        self.put_in_order()

    def action_filter(self) -> None:
        """Ask for a filter, beginning with the last one."""
        self._filter_before = self.filter_text
        self.begin_to_type(Finding.FILTER, self.filter_text, _HINT)

    @on(FindBar.Typed)
    def _filter_typed(self, message: FindBar.Typed) -> None:
        if message.finding is Finding.FILTER:
            self.set_filter(message.text)

    @on(FindBar.Ended)
    def _filter_ended(self, message: FindBar.Ended) -> None:
        if message.finding is Finding.FILTER and self.set_filter(message.text):
            self.end_to_type()

    @on(FindBar.Dropped)
    def _filter_dropped(self, message: FindBar.Dropped) -> None:
        if message.finding is Finding.FILTER:
            self.set_filter(self._filter_before)
            self.end_to_type()

    def set_filter(self, text: str) -> bool:
        """Show only the runs that hold; whether the text was understood. While it is not, every run is shown."""
        chosen, understood = Filter(), True
        try:
            chosen = parse_filter(text, RUN_FIELDS)
        except RequestError as error:
            self.find_bar.refuse(f"{error.message}{f': {error.hint}' if error.hint else ''}")
            understood = False
        if (chosen or None) != self.chosen_filter:
            self.settled = self.settled or self.rows_cursor > 0
            self.chosen_filter = chosen or None
            self.put_anew = True
            self.put_in_order()
        self.filter_text = text.strip() if chosen else ""
        self.tell_found()
        return understood

    @on(CountsLine.Wanted)
    def _counts_wanted(self, message: CountsLine.Wanted) -> None:
        self.set_filter(f"verdict:{message.verdict}")

    @property
    def found(self) -> Found:
        """What is searched and what is kept."""
        found = super().found
        if self.chosen_filter is None:
            return found
        said = self.chosen_filter.result(self.kept, len(self.runs), "runs")
        return Found(found.pattern, found.hits, self.filter_text, said)

    def action_clear(self) -> None:
        """End search and filter."""
        self.end_search()
        self.set_filter("")

    @property
    def clearable(self) -> bool:
        """Whether there is something to clear."""
        return super().clearable or self.chosen_filter is not None

    # What is done with a run

    def open_current(self) -> None:
        """Open the run under the cursor."""
        summary = self.current
        if summary is not None:
            self._open(summary)

    def _open(self, summary: RunSummary) -> None:
        self.settled = True
        self.app.push_screen(self._open_run(self.all_runs[key_of(summary)], summary.title))

    def action_doubt(self, step: int) -> None:
        """Go to the next or the previous run that is not replayable."""
        found = next_blocked(self.lines, max(0, self.rows.cursor), step)
        if found is not None:
            self.rows.go_to(found)

    def action_times(self) -> None:
        """Write times in the next way."""
        self.app.times = self.times.mode.next_of(MODES)
        self.app.memory.keep(times=self.app.times)
        self.times_changed()

    def action_copy(self) -> None:
        """Choose what to copy of the run under the cursor."""
        summary = self.current
        if summary is not None:
            self.offer(list(run_copies(self.workspace, self.all_runs[key_of(summary)], self.app.now_ms())))

    def palette_places(self) -> Iterator[Place]:
        """Give the runs that the palette offers."""
        for index in range(len(self.runs)):
            summary = self.runs[index]
            title = printable(f"{summary.run_id}  {summary.title or summary.session_id}", limit=100)
            yield Place(title, f"run, {VERDICTS[summary.verdict].word}", self._opening(summary))

    def _opening(self, summary: RunSummary) -> Callable[[], None]:
        return lambda: self._open(summary)
