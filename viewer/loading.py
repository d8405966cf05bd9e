"""Reading in threads: stopped when nobody wants it any longer, and heard of a few times a second, not a thousand.

Nothing here touches a widget. What a thread has to say, it posts.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Final

from msgspec import Struct
from textual.message import Message

from core import (
    CoreError,
    Finding,
    RowsSoFar,
    Run,
    RunSummary,
    Session,
    Verdict,
    Workspace,
    bytes_apart,
    summarize_run,
)

from .messages import ReadingEnded, ReadingProgress, RemarksRead, RunsRead
from .reading_apart import SMALL, Helpers
from .triage_apart import Sharing, is_much

BEAT_SECONDS: Final = 0.25
"""Between two reports."""

ALONE_SECONDS: Final = 0.25
"""So long a workspace is read here alone: a small one is done by then."""

LONG_SECONDS: Final = 0.3
"""A reading that took so long, and will take as long again, is a long one."""

Progress = Callable[[int, int], None]


class Stopped(Exception):
    """Raised inside a reading to end it, because nobody waits for it any longer."""


class Beat:
    """Tells when to report: soon after the start, then once in every `BEAT_SECONDS`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._next = clock() + BEAT_SECONDS / 5

    def due(self) -> bool:
        """Tell whether a report is due, and count it as made."""
        now = self._clock()
        if now < self._next:
            return False
        self._next = now + BEAT_SECONDS
        return True


def watch(stopped: Callable[[], bool], report: Progress | None = None, beat: Beat | None = None) -> Progress:
    """Make the progress callback of a reading: it raises `Stopped` once `stopped` says so, and reports on the beat."""
    beat = beat or Beat()

    def progress(done: int, total: int) -> None:
        if stopped():
            raise Stopped
        if report is not None and beat.due():
            report(done, total)

    return progress


class WhileLong:
    """Passes on the rows that are there of a long reading; those of one that is done soon would only flicker."""

    def __init__(self, post: Callable[[RowsSoFar | None], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._post = post
        self._clock = clock
        self._begun = clock()
        self._shown = False

    def __call__(self, rows: RowsSoFar | None) -> None:
        """Hear of rows, or that there are none after all."""
        if not self._shown and (rows is None or not self._is_long(rows.share)):
            return
        self._shown = rows is not None
        self._post(rows)

    def _is_long(self, share: float) -> bool:
        passed = self._clock() - self._begun
        return passed >= LONG_SECONDS and passed * (1 - share) >= LONG_SECONDS * share


class RunReader(Struct, frozen=True):
    """Reads runs one after the other and tells of them in batches. Made for a thread, tried without one."""

    now_ms: Callable[[], float]
    post: Callable[[Message], object]
    stopped: Callable[[], bool]
    clock: Callable[[], float] = time.monotonic
    helpers: Helpers | None = None
    """Processes that may read too, where there is much to read."""

    def read_workspace(self, workspace: Workspace) -> None:
        """Read every run, the one that was written last first: a crash is most likely there.

        What is wrong with files is known at once and told first; a database is looked through when its runs are there.
        """
        runs = [(run, session) for session in workspace.sessions for run in session.runs]
        try:
            if workspace.storage == "jsonl":
                self._look(workspace)
            written = {id(run): self._last_write(run) for run, _ in runs}
            runs.sort(key=lambda pair: -written[id(pair[0])])
            self._read_all(workspace, deque(runs))
            if workspace.storage != "jsonl":
                self._look(workspace)
        except Stopped:
            return
        self.post(ReadingEnded())

    def _look(self, workspace: Workspace) -> None:
        try:
            findings = workspace.findings
        except CoreError as error:
            findings = (Finding(error.code, error.message, path=error.path),)
        if self.stopped():
            raise Stopped
        if findings:
            self.post(RemarksRead(findings))

    def read_again(self, workspace: Workspace, keys: Container[tuple[str, str]]) -> None:
        """Read some runs of a workspace anew, named by session and run."""
        runs = [(run, session) for session in workspace.sessions for run in session.runs]
        with suppress(Stopped):
            self.read(pair for pair in runs if (pair[0].session_id, pair[0].run_id) in keys)

    def _read_all(self, workspace: Workspace, waiting: deque[tuple[Run, Session]]) -> None:
        if self.helpers is not None and workspace.storage == "jsonl":
            self.read(self._first(waiting))
            if is_much(run for run, _ in waiting):
                self._read_together(workspace, waiting, self.helpers)
        self.read(waiting)

    def _first(self, waiting: deque[tuple[Run, Session]]) -> Iterator[tuple[Run, Session]]:
        """Give small runs, for so long as no process is worth its start."""
        end = self.clock() + ALONE_SECONDS
        while waiting and bytes_apart(waiting[0][0]) <= SMALL and self.clock() < end:
            yield waiting.popleft()

    def _read_together(self, workspace: Workspace, waiting: deque[tuple[Run, Session]], helpers: Helpers) -> None:
        """Let processes read, and tell of what they found. What they left is waiting then."""
        beat = Beat(self.clock)
        batch: list[RunSummary] = []
        with Sharing(workspace, waiting, self.now_ms(), helpers) as sharing:
            more = True
            while more:
                more = sharing.at_work()  # asked first: what a process found comes before its thread ends
                batch += sharing.found()
                if self.stopped():
                    raise Stopped
                if beat.due():
                    self._tell(batch)
        self._tell(batch)
        waiting.extendleft(reversed(sharing.left))

    def read(self, runs: Iterable[tuple[Run, Session]]) -> None:
        """Read some runs. Raises Stopped."""
        beat = Beat(self.clock)
        batch: list[RunSummary] = []
        for run, session in runs:
            report = partial(self._report, batch, run.run_id)
            batch.append(self._summary(run, session, watch(self.stopped, report, beat)))
            if beat.due():
                self._tell(batch)
        self._tell(batch)

    def _tell(self, batch: list[RunSummary]) -> None:
        if self.stopped():
            raise Stopped
        if batch:
            self.post(RunsRead(batch))
            batch.clear()

    def _report(self, batch: list[RunSummary], run_id: str, done: int, total: int) -> None:
        """Tell how far a long reading is, and of the runs before it, which shall not wait for it."""
        self._tell(batch)
        self.post(ReadingProgress(run_id, done / total if total else 1.0))

    def _summary(self, run: Run, session: Session, progress: Progress) -> RunSummary:
        if self.stopped():
            raise Stopped
        try:
            return summarize_run(run, session.title, self.now_ms(), progress)
        except Stopped:
            raise
        except Exception as error:  # a fault of ours on one run must not hide the others
            return _failed(run, error)

    def _last_write(self, run: Run) -> float:
        if self.stopped():
            raise Stopped
        return run.last_write_ms or 0.0


def _failed(run: Run, error: Exception) -> RunSummary:
    said = f"{type(error).__name__}: {error}"
    return RunSummary(
        run.session_id,
        run.run_id,
        None,
        Verdict.UNREADABLE,
        "blocked",
        reasons=("runtime_ledger_unreadable",),
        stands="maka-ledger failed on this run by a fault of its own; nothing is decided about it.",
        act="read it with another tool; do not resume this run.",
        note=said,
        findings=("tool_fault",),
    )
