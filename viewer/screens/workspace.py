"""The first look at a workspace: every run, most urgent first, and what must be known about the chosen one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.getters import query_one
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import Worker, WorkerState, get_current_worker

from core import Run, RunSummary, Verdict, Workspace, absolute_time, ago

from ..command import Context
from ..commands import bindings_for
from ..loading import RunReader
from ..messages import ReadingEnded, ReadingProgress, RemarksRead, RunsRead
from ..sorted_runs import SortedRuns, key_of
from ..widgets.bars import Fact, FooterBar, HeaderBar
from ..widgets.counts import Counts, CountsLine
from ..widgets.pane import Pane
from ..widgets.remarks import Remarks
from ..widgets.rules import RuleHeading
from ..widgets.run_list import RunHeads, RunList, RunRows
from ..widgets.run_summary import RunSummaryLines
from ..words import no_runs, tilde
from .base import BaseScreen
from .remarks import RemarksScreen

if TYPE_CHECKING:
    from ..app import ViewerApp

OpenRun = Callable[[Run, str | None], Screen[Any]]
"""Makes the screen of one run, given its session's title."""

TICK_SECONDS: Final = 5.0
"""Between two looks at the clock, for the ages on the screen."""


class WorkspaceScreen(BaseScreen[None]):
    """Lists the runs of an opened workspace; it is there before the first of them is read."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.WORKSPACE)
    app: ViewerApp

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
        self.workspace = workspace
        self._open_run = open_run
        self._all = {(run.session_id, run.run_id): run for run in workspace.runs()}
        self._runs = SortedRuns()
        self._source: RunRows
        self._reading = ""
        self._ended = False
        self._settled = False
        self._at = 0

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        signs = self.app.signs
        ids = [run_id for _, run_id in self._all]
        self._source = RunRows(self._runs, ids, self.app.now_ms, signs)
        yield HeaderBar(signs=signs)
        yield CountsLine(signs=signs)
        yield Remarks(signs=signs)
        heading = RuleHeading("Runs", "most urgent first", signs=signs, gap=", ", id="runs-heading")
        yield Pane(
            heading,
            RunHeads(lambda: self._source, signs=signs),
            RunList(self._source, signs=signs),
            Static(no_runs(()), id="no-runs", markup=False),
        )
        yield RuleHeading(signs=signs, id="run-heading")
        yield RunSummaryLines(signs=signs)
        yield FooterBar(signs=signs)

    def on_mount(self) -> None:
        """Show what is known from the names alone, then start to read."""
        super().on_mount()
        self.set_class(not self._all, "-no-runs")
        self.watch(self.rows, "scroll_y", self._show_place, init=False)
        self._show_progress()
        if self._all:
            self.rows.focus()
        else:
            self.heading.note = ""
        self.call_after_refresh(self._read_all)
        self.set_interval(TICK_SECONDS, self._tick)

    # Reading

    @work(thread=True, exclusive=True, exit_on_error=False, group="runs", description="read every run")
    def _read_all(self) -> None:
        worker = get_current_worker()
        RunReader(self.app.now_ms, self.post_message, lambda: worker.is_cancelled).read_workspace(self.workspace)

    @work(thread=True, exclusive=True, exit_on_error=False, group="live", description="read live runs again")
    def _read_again(self, runs: frozenset[tuple[str, str]]) -> None:
        worker = get_current_worker()
        reader = RunReader(self.app.now_ms, self.post_message, lambda: worker.is_cancelled)
        reader.read_again(self.workspace, runs)

    @on(RemarksRead)
    def _remarks_read(self, message: RemarksRead) -> None:
        self.remarks.findings = message.findings
        self.query_one("#no-runs", Static).update(no_runs(message.findings))
        self.refresh_bindings()

    @on(RunsRead)
    def _runs_read(self, message: RunsRead) -> None:
        """Take runs in. The cursor keeps to its run, but stays on the most urgent one until somebody moves it."""
        moved = self._settled or self.rows.cursor > 0
        self._reading = ""
        self._runs.take(message.summaries)
        self._source.measure(message.summaries)
        self.rows.rows_changed()
        if not moved:
            self.rows.go_to(0)
        self.heads.version += 1
        self.counts.counts = Counts(dict(self._runs.counts), self._runs.continued)
        self._show_progress()
        self._show_place()
        self._show_run()

    @on(ReadingProgress)
    def _reading_on(self, message: ReadingProgress) -> None:
        self._reading = f", {message.run_id} {message.share:.0%}"
        self._show_progress()

    @on(ReadingEnded)
    def _reading_ended(self) -> None:
        self._ended = True
        self._reading = ""
        self._show_progress()

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR:
            error = event.worker.error
            self.notify(f"Reading stopped by a fault of ours: {type(error).__name__}", severity="error", markup=False)

    def _tick(self) -> None:
        """Let ages grow, and look again at runs that may have died since."""
        if not self.is_current:
            return
        self._show_progress()
        self._show_run()
        live = frozenset(key_of(summary) for summary in self._runs if summary.verdict is Verdict.MAY_BE_RUNNING)
        if live and self._ended:
            self._read_again(live)

    # Showing

    def _show_progress(self) -> None:
        newest = self._runs.newest_write_ms
        age = f"newest write {ago(max(0.0, self.app.now_ms() - newest))}" if newest is not None else ""
        self.header.crumbs = (tilde(str(self.workspace.root), str(Path.home())),)
        read = f"{len(self._runs):,} of {len(self._all):,} runs read{self._reading}" if self._all else "no runs"
        self.header.facts = (Fact("read-only", 2), Fact(read, 1), Fact(age, 3))

    def _show_place(self) -> None:
        seen, count = self.rows.seen, len(self._runs)
        dash = self.app.signs.none
        self.heading.right = f"times in UTC   {seen.start + 1:,}{dash}{seen.stop:,} of {count:,}" if seen else ""

    def _show_run(self) -> None:
        summary = self._current
        self.summary.summary = summary
        self.run_heading.title = summary.run_id if summary else ""
        self.run_heading.note = (summary.title or summary.session_id) if summary else ""
        self.run_heading.right = self._called(summary) if summary else ""

    def _called(self, summary: RunSummary) -> str:
        if summary.called_ms is None:
            return ""
        age = self.app.now_ms() - summary.called_ms
        return f"called {absolute_time(summary.called_ms)}{f', {ago(age)}' if age >= 0 else ''}"

    @property
    def _current(self) -> RunSummary | None:
        index = self.rows.cursor
        return self._runs[index] if 0 <= index < len(self._runs) else None

    # Keys

    @on(RunList.Highlighted)
    def _highlighted(self) -> None:
        summary = self._current
        old, self._source.current = self._source.current, key_of(summary) if summary else None
        changed = [self._runs.find(key) for key in (old, self._source.current) if key is not None]
        self.rows.refresh_row(*(index for index in changed if index is not None))
        self._show_place()
        self._show_run()

    @on(RunList.Selected)
    def _selected(self, message: RunList.Selected) -> None:
        self._settled = True
        summary = self._runs[message.index]
        self.app.push_screen(self._open_run(self._all[key_of(summary)], summary.title))

    def action_doubt(self, step: int) -> None:
        """Go to the next or the previous run that is not replayable."""
        found = self._runs.next_blocked(max(0, self.rows.cursor), step)
        if found is not None:
            self.rows.go_to(found)

    def action_remarks(self) -> None:
        """Show every finding on the workspace."""
        self.app.push_screen(RemarksScreen(self.remarks.findings, signs=self.app.signs))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what there is: no other pane, and remarks and doubts only where there are any."""
        del parameters
        if action == "doubt":
            return bool(self._all)
        if action == "remarks":
            return bool(self.remarks.findings)
        return action not in ("next_pane", "previous_pane")
