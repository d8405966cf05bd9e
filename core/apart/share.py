"""A share of a workspace's runs, as another process is asked for it and answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from ..inspection.triage import RunSummary, summarize_run
from ..storage.run import Run
from ..workspace import Workspace, open_session, open_workspace


class SomeRuns(Struct, frozen=True):
    """Some runs of a workspace in files."""

    root: str
    """The path that was opened, absolute."""
    keys: tuple[tuple[str, str, str | None], ...]
    """Session, run, and the session's name."""
    now_ms: float | None


class Summarizing:
    """Answers for one workspace after the other; of the one that was asked for last, what was looked at stays known."""

    def __init__(self) -> None:
        self._root = ""
        self._workspace: Workspace | None = None
        self._runs: dict[str, Mapping[str, Run]] = {}
        """By session and run."""

    def answer(self, wanted: SomeRuns) -> tuple[RunSummary | None, ...]:
        """Summarize runs; None stands for one that is not there, or at which we failed."""
        if wanted.root != self._root:
            self._close()
            self._root = wanted.root
        return tuple(self._summary(*key, wanted.now_ms) for key in wanted.keys)

    def _close(self) -> None:
        workspace, self._workspace, self._runs = self._workspace, None, {}
        if workspace is not None:
            workspace.close()

    def _summary(self, session_id: str, run_id: str, title: str | None, now_ms: float | None) -> RunSummary | None:
        try:
            if session_id not in self._runs:
                self._runs[session_id] = self._runs_of(session_id)
            run = self._runs[session_id].get(run_id)
            return None if run is None else summarize_run(run, title, now_ms)
        except Exception:  # whoever asked will find out why
            return None

    def _runs_of(self, session_id: str) -> Mapping[str, Run]:
        """Return the runs of a session. Of very many sessions, none but those that were asked for is looked at."""
        session = None if self._workspace else open_session(Path(self._root), session_id)
        if session is not None:
            return {run.run_id: run for run in session.runs}
        if self._workspace is None:
            self._workspace = open_workspace(self._root)
        return {run.run_id: run for run in self._workspace.runs() if run.session_id == session_id}
