"""The list of all runs: its frame, and its lines in an order, put there by a thread where that may take long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.getters import query_one
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import get_current_worker

from core import (
    Filter,
    Run,
    RunLine,
    RunOrder,
    RunSummary,
    TimeMode,
    TimeScale,
    Workspace,
    arrange_runs,
    matching_runs,
    printable,
)

from ..command import Context
from ..commands import bindings_for
from ..run_lines import ArrangedLines, RunLines, UrgentLines, summary_at
from ..sorted_runs import SortedRuns, key_of
from ..widgets.bars import FooterBar, HeaderBar
from ..widgets.counts import CountsLine
from ..widgets.find_bar import FindBar
from ..widgets.pane import Pane
from ..widgets.remarks import Remarks
from ..widgets.rules import RuleHeading
from ..widgets.run_list import RunHeads, RunList, RunRows
from ..widgets.run_summary import RunSummaryLines
from .finding import FindingScreen

OpenRun = Callable[[Run, str | None], Screen[Any]]
"""Makes the screen of one run, given its session's title."""

MODES = (TimeMode.UTC, TimeMode.LOCAL, TimeMode.AGO)


class RunsArranged(Message):
    """The runs were put in order."""

    def __init__(self, question: object, lines: Sequence[RunLine], kept: int) -> None:
        super().__init__()
        self.question = question
        """Order, filter and runs; an answer to another one is not wanted any longer."""
        self.lines = lines
        self.kept = kept
        """Runs that the filter keeps."""


class RunsFrame(FindingScreen):
    """Keeps the list."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.WORKSPACE)

    header = query_one(HeaderBar)
    counts = query_one(CountsLine)
    remarks = query_one(Remarks)
    heading = query_one("#runs-heading", RuleHeading)
    heads = query_one(RunHeads)
    rows = query_one(RunList)
    run_heading = query_one("#run-heading", RuleHeading)
    summary = query_one(RunSummaryLines)

    def __init__(self, workspace: Workspace, open_run: OpenRun) -> None:
        """Prepare the screen; nothing is read yet."""
        super().__init__()
        self.workspace = self.read_workspace = workspace
        self.all_runs = {(run.session_id, run.run_id): run for run in workspace.runs()}
        self.runs = SortedRuns()
        """What is read of them."""
        self.lines: RunLines = UrgentLines(self.runs)
        """What is shown, in order."""
        self.order = RunOrder.URGENT
        self.chosen_filter: Filter | None = None
        self.source: RunRows
        self.settled = False
        """Whether somebody chose a run."""
        self.rows_cursor = 0
        self.put_anew = False
        """Whether another order or filter was asked for, so that rows are shown from the top."""
        self._open_run = open_run
        self.filter_text = ""
        self._question: object = None
        self.kept = 0
        self._wanted: tuple[str, str] | None = None

    def frame(self, no_runs: Widget) -> ComposeResult:
        """Lay the screen out; `no_runs` stands in the place of an empty list."""
        signs = self.app.signs
        ids = [run_id for _, run_id in self.all_runs]
        self.source = RunRows(self.lines, ids, self.app.now_ms, signs)
        place = self.app.memory.list_among(self.all_runs)
        if place is not None:
            self.order, self._wanted = place.order, (place.session, place.run)
        yield HeaderBar(signs=signs)
        yield CountsLine(signs=signs)
        yield Remarks(signs=signs)
        heading = RuleHeading("Runs", self.order.words, signs=signs, gap=", ", id="runs-heading")
        yield Pane(
            heading,
            RunHeads(lambda: self.source, signs=signs),
            RunList(self.source, signs=signs),
            no_runs,
            Static(id="none-kept", markup=False),
        )
        yield RuleHeading(signs=signs, id="run-heading")
        yield RunSummaryLines(signs=signs)
        yield FindBar(signs=signs)
        yield FooterBar(signs=signs)

    # What is shown

    @property
    def current(self) -> RunSummary | None:
        """The run under the cursor."""
        return summary_at(self.lines, self.rows_cursor)

    @property
    def times(self) -> TimeScale:
        """How times are written; runs began at different times, so none is told since a start."""
        mode = self.app.times if self.app.times in MODES else TimeMode.UTC
        return TimeScale(mode, now_ms=self.app.now_ms())

    def take(self, summaries: Sequence[RunSummary]) -> None:
        """Take runs in that were read."""
        self.runs.take(summaries)
        self.source.measure(summaries)
        self.put_in_order()

    def put_in_order(self) -> None:
        """Put the runs in order: at once in the order in which they are kept, else in a thread."""
        if self.order is RunOrder.URGENT and self.chosen_filter is None:
            self._question = None
            self.workers.cancel_group(self, "arrange")
            self._show_lines(self.lines if isinstance(self.lines, UrgentLines) else UrgentLines(self.runs))
            return
        question = self._question = (self.order, self.chosen_filter, len(self.runs))
        self._arrange(question, tuple(self.runs), self.order, self.chosen_filter)

    @work(thread=True, exclusive=True, exit_on_error=False, group="arrange", description="put runs in order")
    def _arrange(self, question: object, runs: Sequence[RunSummary], order: RunOrder, chosen: Filter | None) -> None:
        worker = get_current_worker()
        kept = None if chosen is None else frozenset(map(key_of, matching_runs(runs, chosen)))
        if not worker.is_cancelled:
            lines = arrange_runs(runs, order, kept)
            self.post_message(RunsArranged(question, lines, len(runs) if kept is None else len(kept)))

    @on(RunsArranged)
    def _arranged(self, message: RunsArranged) -> None:
        if message.question is self._question:
            self.kept = message.kept
            self._show_lines(ArrangedLines(message.lines))

    def _show_lines(self, lines: RunLines) -> None:
        """Show other lines. The cursor keeps to its run, but stays at the top until somebody moves it."""
        moved = self.settled or self.rows_cursor > 0
        self.lines = self.source.lines = lines
        self.source.by_session = self.order is RunOrder.SESSIONS
        self.rows.rows_changed()
        wanted = lines.find(self._wanted) if self._wanted is not None and not moved else None
        if wanted is not None:
            self._wanted, self.settled = None, True
            self.rows.go_to(wanted)
        elif not moved:
            self.rows.action_top()
        if self.put_anew:
            self.put_anew = False
            self.rows.show_from_top()
        self.rows_cursor = self.rows.cursor
        self.heads.version += 1
        self.heading.note = self.order.words
        nothing = self.chosen_filter is not None and not len(lines)
        if self.has_class("-none-kept") and not nothing and not self.find_bar.editing:
            self.call_after_refresh(self.rows.focus)
        self.set_class(nothing, "-none-kept")
        if nothing and self.chosen_filter is not None:
            said = f"No run is kept: {self.chosen_filter.description}. esc clears the filter."
            self.query_one("#none-kept", Static).update(printable(said, limit=500))
        if self.pattern is not None:
            self.search_again()
        self.show_place()
        self.show_run()
        self.tell_found()

    def show_run(self) -> None:
        """Tell of the run under the cursor."""

    def show_place(self) -> None:
        """Say which lines are seen, and how times are written."""
        seen, count = self.rows.seen, len(self.lines)
        dash = self.app.signs.none
        zone = {TimeMode.LOCAL: "times are local", TimeMode.AGO: "times are ages"}.get(self.times.mode, "times in UTC")
        self.heading.right = f"{zone}   {seen.start + 1:,}{dash}{seen.stop:,} of {count:,}" if seen else ""

    def times_changed(self) -> None:
        """Write every time anew."""
        self.source.times = self.times.mode
        self.rows.rows_changed()
        self.show_place()
        self.show_run()
