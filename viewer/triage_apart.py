"""The runs of a big workspace, summarized by processes, so that the list can be walked meanwhile."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

from core import Helper, HelperLost, Run, RunSummary, Session, SomeRuns, Workspace, bytes_apart

from .reading_apart import SMALL, Helpers

Pair = tuple[Run, Session]

MANY: Final = 64
"""Runs that are worth the start of processes."""
_HANDFUL: Final = 16
"""Runs that are asked for at once, at most, and fewer where they are big: what is done soon is told of soon."""
_PROCESSES: Final = 2
_PATIENCE_S: Final = 0.02


def is_much(runs: Iterable[Run]) -> bool:
    """Tell whether some runs are worth the start of processes: there are many, or one of them is big."""
    return any(number >= MANY or bytes_apart(run) > SMALL for number, run in enumerate(runs, 1))


class Sharing:
    """Processes that take runs from the front of a queue, each asked by a thread; a context manager that ends both.

    Runs that a process could not summarize, or that only this one can read, are `left` for whoever asked. While a big
    run is opened nothing else is begun.
    """

    def __init__(self, workspace: Workspace, waiting: deque[Pair], now_ms: float, helpers: Helpers) -> None:
        self.left: deque[Pair] = deque()
        self._root = str(Path(os.path.abspath(workspace.root)))  # noqa: PTH100  Path.absolute would leave the dots in it
        self._waiting = waiting
        self._now_ms = now_ms
        self._helpers = helpers
        self._found: SimpleQueue[RunSummary] = SimpleQueue()
        self._ended = False
        self._threads: list[tuple[threading.Thread, Helper]] = []

    def __enter__(self) -> Sharing:
        with suppress(HelperLost):
            for _ in range(_PROCESSES):
                helper = self._helpers.take()
                thread = threading.Thread(target=self._share, args=(helper,), name="triage", daemon=True)
                self._threads.append((thread, helper))
        for thread, _ in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended = True
        for _, helper in self._threads:
            self._helpers.end(helper)
        for thread, _ in self._threads:
            thread.join()

    def at_work(self) -> bool:
        """Tell whether more may come, beside what is found by now."""
        return any(thread.is_alive() for thread, _ in self._threads)

    def found(self) -> list[RunSummary]:
        """Return what was found since the last time; waits a moment where nothing was."""
        summaries = []
        with suppress(Empty):
            summaries.append(self._found.get(timeout=_PATIENCE_S))
            while True:
                summaries.append(self._found.get_nowait())
        return summaries

    def _share(self, helper: Helper) -> None:
        while handful := self._handful():
            keys = tuple((run.session_id, run.run_id, session.title) for run, session in handful)
            try:
                found = helper.summaries(SomeRuns(self._root, keys, self._now_ms))
            except Exception:  # the process is lost, or was ended; a fault of ours shows where the runs are read
                self._waiting.extendleft(reversed(handful))
                return
            for pair, summary in zip(handful, found, strict=True):
                if summary is None:
                    self.left.append(pair)
                else:
                    self._found.put(summary)

    def _handful(self) -> list[Pair]:
        while self._helpers.reading and not self._ended:
            time.sleep(_PATIENCE_S)
        taken: list[Pair] = []
        size = 0
        with suppress(IndexError):
            while len(taken) < _HANDFUL and size <= SMALL and not self._ended:
                pair = self._waiting.popleft()
                length = bytes_apart(pair[0])
                (taken if length else self.left).append(pair)
                size += length
        return taken
