"""The first look at a workspace: every run, most urgent first, and what must be known about the chosen one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from textual import on, work
from textual.app import ComposeResult
from textual.widgets import Static
from textual.worker import Worker, WorkerState, get_current_worker

from core import RunSummary, Verdict, Workspace, absolute_time, ago

from ..loading import RunReader
from ..memory import ListPlace
from ..messages import ReadingEnded, ReadingProgress, RemarksRead, RunsRead
from ..sorted_runs import key_of
from ..state_folder import home_folder, tilde
from ..widgets.bars import Fact
from ..widgets.counts import Counts
from ..widgets.run_list import RunList
from ..words import no_runs
from .runs_following import RunsFollowing
from .saving import SavingScreen

if TYPE_CHECKING:
    from ..saves import Save

TICK_SECONDS: Final = 5.0
"""Between two looks at the clock, for the ages on the screen."""


class WorkspaceScreen(SavingScreen, RunsFollowing):
    """Lists the runs of an opened workspace; it is there before the first of them is read."""

    AUTO_FOCUS = ""

    _reading = ""
    _all_read = False

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        yield from self.frame(Static(no_runs(()), id="no-runs", markup=False))

    def on_mount(self) -> None:
        """Show what is known from the names alone, then start to read."""
        self.set_class(not self.all_runs, "-no-runs")
        self.watch(self.rows, "scroll_y", self.show_place, init=False)
        self.show_progress()
        if self.all_runs:
            self.rows.focus()
        else:
            self.heading.note = ""
        self.call_after_refresh(self._read_all)
        self.set_interval(TICK_SECONDS, self._tick)

    def on_unmount(self) -> None:
        """Remember where one was, once one was somewhere."""
        summary = self.current
        if summary is not None and (self.settled or self.rows_cursor > 0):
            self.app.memory.keep(runs=ListPlace(summary.session_id, summary.run_id, self.order))

    def on_screen_resume(self) -> None:
        """Show times as they are written now: another screen may have changed that."""
        self.times_changed()

    # Reading

    @work(thread=True, exclusive=True, exit_on_error=False, group="runs", description="read every run")
    def _read_all(self) -> None:
        worker = get_current_worker()
        reader = RunReader(self.app.now_ms, self.post_message, lambda: worker.is_cancelled, helpers=self.app.helpers)
        reader.read_workspace(self.workspace)

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
        self._reading = ""
        self.take(message.summaries)
        self.show_progress()

    @on(ReadingProgress)
    def _reading_on(self, message: ReadingProgress) -> None:
        self._reading = f", {message.run_id} {message.share:.0%}"
        self.show_progress()

    @on(ReadingEnded)
    def _reading_ended(self) -> None:
        self._all_read = True
        self._reading = ""
        self.refresh_bindings()
        self.show_progress()

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR:
            error = event.worker.error
            self.notify(f"Reading stopped by a fault of ours: {type(error).__name__}", severity="error", markup=False)

    def _tick(self) -> None:
        """Let ages grow, and look again at runs that may have died since."""
        if not self.is_current:
            return
        self.show_progress()
        self.show_run()
        live = frozenset(key_of(summary) for summary in self.runs if summary.verdict is Verdict.MAY_BE_RUNNING)
        if live and self._all_read and not self.following:
            self._read_again(live)

    # Showing

    def show_progress(self) -> None:
        """Say how many runs there are and how they stand, and when the last of them was written."""
        self.counts.counts = Counts(dict(self.runs.counts), self.runs.continued)
        newest = self.runs.newest_write_ms
        age = f"newest write {ago(max(0.0, self.app.now_ms() - newest))}" if newest is not None else ""
        self.header.crumbs = (tilde(str(self.workspace.root), str(home_folder())),)
        read = f"{len(self.runs):,} of {len(self.all_runs):,} runs read{self._reading}" if self.all_runs else "no runs"
        self.header.facts = (Fact(self.follows, 0, "$live"), Fact("read-only", 1), Fact(read, 1), Fact(age, 3))

    def show_run(self) -> None:
        """Tell of the run under the cursor."""
        summary = self.current
        self.summary.summary = summary
        self.run_heading.title = summary.run_id if summary else ""
        self.run_heading.note = (summary.title or summary.session_id) if summary else ""
        self.run_heading.right = self._called(summary) if summary else ""

    def _called(self, summary: RunSummary) -> str:
        if summary.called_ms is None:
            return ""
        age = self.app.now_ms() - summary.called_ms
        return f"called {absolute_time(summary.called_ms, self.times.zone)}{f', {ago(age)}' if age >= 0 else ''}"

    # Keys

    @on(RunList.Highlighted)
    def _highlighted(self) -> None:
        summary = self.current
        self.rows_cursor = self.rows.cursor
        old, self.source.current = self.source.current, key_of(summary) if summary else None
        changed = [self.lines.find(key) for key in (old, self.source.current) if key is not None]
        self.rows.refresh_row(*(index for index in changed if index is not None))
        self.show_place()
        self.show_run()
        self.tell_found()

    @on(RunList.Selected)
    def _selected(self) -> None:
        self.open_current()

    def saves(self, workspace: Workspace) -> Iterator[Save]:
        """Offer reports on the run under the cursor and on all in doubt, and a redacted repro."""
        from ..saves import run_saves, workspace_saves

        if self.current is not None:
            yield from run_saves(workspace, self.all_runs[key_of(self.current)], self.app.now_ms())
        yield from workspace_saves(workspace, self.app.now_ms())

    @property
    def save_name(self) -> str:
        """The workspace, whatever it is called."""
        return "workspace"

    def action_remarks(self) -> None:
        """Show every finding on the workspace."""
        from .remarks import RemarksScreen

        self.app.push_screen(RemarksScreen(self.remarks.findings, signs=self.app.signs))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what there is: no other pane, and remarks and doubts only where there are any."""
        del parameters
        if action in ("doubt", "search", "hit", "filter", "sort", "times", "copy", "save"):
            return bool(self.all_runs)
        if action == "remarks":
            return bool(self.remarks.findings)
        if action == "clear":
            return self.clearable
        if action == "follow":
            return self._all_read
        if action == "pause":
            return self.following
        return action not in ("next_pane", "previous_pane")
