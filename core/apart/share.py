"""A share of a workspace's runs, as another process is asked for it and answers."""

from __future__ import annotations

from msgspec import Struct

from ..inspection.triage import RunSummary, summarize_run
from ..storage.run import Run
from ..workspace import Workspace, open_workspace


class SomeRuns(Struct, frozen=True):
    """Some runs of a workspace in files."""

    root: str
    """The path that was opened, absolute."""
    keys: tuple[tuple[str, str, str | None], ...]
    """Session, run, and the session's name."""
    now_ms: float | None


class Summarizing:
    """Answers for one workspace after the other; the one that was asked for last stays open."""

    def __init__(self) -> None:
        self._workspace: Workspace | None = None
        self._root = ""
        self._runs: dict[tuple[str, str], Run] = {}

    def answer(self, wanted: SomeRuns) -> tuple[RunSummary | None, ...]:
        """Summarize runs; None stands for one that is not there, or at which we failed."""
        try:
            self._open(wanted.root)
        except Exception:  # whoever asked will find out why
            return (None,) * len(wanted.keys)
        return tuple(self._summary(*key, wanted.now_ms) for key in wanted.keys)

    def _open(self, root: str) -> None:
        if self._workspace is not None and self._root == root:
            return
        if self._workspace is not None:
            self._workspace.close()
        self._workspace = open_workspace(root)
        self._root = root
        self._runs = {(run.session_id, run.run_id): run for run in self._workspace.runs()}

    def _summary(self, session_id: str, run_id: str, title: str | None, now_ms: float | None) -> RunSummary | None:
        run = self._runs.get((session_id, run_id))
        try:
            return None if run is None else summarize_run(run, title, now_ms)
        except Exception:  # whoever asked will find out why
            return None
