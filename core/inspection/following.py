"""Following a workspace: runs that are new, that changed or that went, and how each of them stands now."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from msgspec import Struct

from ..errors import CoreError
from ..storage.ledger import Ledger
from ..storage.lineage import RunKey
from ..storage.run import Progress, Run, RunFollower
from ..workspace import Workspace
from .inspect import LIVE_WINDOW_MS, Verdict, inspect
from .triage import RunSummary, summarize_run, summary_of

_READ_ON: Final = 8
"""Runs whose ledgers are kept to be read on; of a run that changes more seldom than these all is read again."""


class WorkspaceNews(Struct, frozen=True):
    """What is new in a workspace."""

    workspace: Workspace
    """The workspace as it is now."""
    summaries: tuple[RunSummary, ...]
    """The runs that are new, changed, or may have died since."""
    gone: tuple[RunKey, ...] = ()
    """Session and id of the runs that are no longer there."""
    said: str = ""
    """What happened to the storage as a whole, in a sentence for a person."""


@dataclass(slots=True)
class _Open:
    """A run that is read on."""

    follower: RunFollower
    run: Run
    ledger: Ledger | None = None


class WorkspaceFollower:
    """Follows a workspace that is being written.

    It waits for nothing and has no thread: whoever follows asks again and again, from one thread at a time. The
    workspace that it begins with is the caller's; what the follower opens beside it is closed with it.
    """

    def __init__(self, workspace: Workspace, known: Iterable[RunSummary] = ()) -> None:
        """Begin with what is known of the runs; those that were written to since are read with the first look."""
        self._given = workspace
        self._workspace = workspace
        self._known = {(summary.session_id, summary.run_id): summary for summary in known}
        self._states: dict[RunKey, Hashable] = {}
        self._open: OrderedDict[RunKey, _Open] = OrderedDict()

    def poll(self, now_ms: float, progress: Progress | None = None) -> WorkspaceNews | None:
        """Read what is new; None where nothing is. `now_ms` is the time, milliseconds since 1970.

        What `progress` raises comes through, and the next call goes on. Raises CoreError where the workspace cannot be
        opened any longer; the next call tries again.
        """
        again = self._workspace.again()
        workspace, said = again or self._workspace, ""
        if workspace.storage != self._workspace.storage:
            to_files = workspace.storage == "jsonl"
            said = (
                "The database is gone: these are files." if to_files else "There is a database: Maka reads only that."
            )
            self._close_open()
        runs = {(run.session_id, run.run_id): run for run in workspace.runs()}
        gone = tuple(dict.fromkeys(key for key in (*self._states, *self._known) if key not in runs))
        changed = self._written(runs) if again is not None or not self._states else {}
        related = self._related(workspace, {*changed, *gone}) if changed or gone else ()
        died = (key for key in self._known if key in runs and self._may_have_died(key, now_ms))
        for key in (*related, *died):
            changed.setdefault(key, self._states.get(key))
        self._workspace = workspace
        for key in gone:
            self._forget(key)
        titles = {session.session_id: session.title for session in workspace.sessions} if changed else {}
        summaries = []
        for key, state in changed.items():
            summaries.append(self._summary(runs[key], titles[key[0]], now_ms, progress))
            self._states[key] = state
        if not (summaries or gone or said):
            return None
        return WorkspaceNews(workspace, tuple(summaries), gone, said)

    def close(self) -> None:
        """Give back what is open."""
        self._close_open()
        if self._workspace.storage != self._given.storage:
            self._workspace.close()

    def _written(self, runs: dict[RunKey, Run]) -> dict[RunKey, Hashable]:
        """Return the runs that were written to since the last look, with what they are now."""
        written: dict[RunKey, Hashable] = {}
        for key, run in runs.items():
            state = run.state()
            if key not in self._states and key in self._known and self._known[key].last_write_ms == run.last_write_ms:
                self._states[key] = state
            elif self._states.get(key) != state:
                written[key] = state
        return written

    def _related(self, workspace: Workspace, moved: set[RunKey]) -> Iterator[RunKey]:
        """Yield the runs that others are linked to in another way than before: by those that came, changed or went."""
        sessions = {session_id for session_id, _ in moved}
        for session in workspace.sessions:
            if session.session_id in sessions or workspace.storage == "sqlite":
                for run in session.runs:
                    known = self._known.get((run.session_id, run.run_id))
                    if known is not None and known.continued_by != run.continued_by:
                        yield run.session_id, run.run_id

    def _may_have_died(self, key: RunKey, now_ms: float) -> bool:
        known = self._known[key]
        if known.verdict is not Verdict.MAY_BE_RUNNING or known.last_write_ms is None:
            return False
        return now_ms - known.last_write_ms >= LIVE_WINDOW_MS

    def _summary(self, run: Run, title: str | None, now_ms: float, progress: Progress | None) -> RunSummary:
        key = (run.session_id, run.run_id)
        try:
            one = self._open.get(key) or self._read_on(key, run)
            self._open.move_to_end(key)
            news = one.follower.poll(now_ms, progress)
            if news is not None:
                one.run, one.ledger = news.run, news.ledger
            if one.ledger is None:
                raise CoreError("nothing was read")
            summary = summary_of(inspect(one.ledger, now_ms=now_ms), title, one.run)
        except CoreError:
            self._close_run(key)
            summary = summarize_run(run, title, now_ms, progress)
        self._known[key] = summary
        return summary

    def _read_on(self, key: RunKey, run: Run) -> _Open:
        while len(self._open) >= _READ_ON:
            self._close_run(next(iter(self._open)))
        one = self._open[key] = _Open(run.follow(), run)
        return one

    def _forget(self, key: RunKey) -> None:
        self._close_run(key)
        self._states.pop(key, None)
        self._known.pop(key, None)

    def _close_run(self, key: RunKey) -> None:
        one = self._open.pop(key, None)
        if one is not None:
            one.follower.close()

    def _close_open(self) -> None:
        for key in list(self._open):
            self._close_run(key)
