"""Triage of many runs by two processes: this one, and another that begins with the last. The answer is the same."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import CoreError
from ..inspection.triage import RunSummary, summarize_run
from ..storage.ledger import Ledger
from ..storage.run import Progress, Run
from ..storage.session import Session
from ..workspace import Workspace
from .processors import processors

if TYPE_CHECKING:
    from .helper import Helper

_ALONE_SECONDS: Final = 0.25
"""So long nobody else is asked: by then a small workspace is done, and a process would only be coming up."""
_MANY: Final = 64
"""Runs that must be left, or another process is not worth its start."""
_CROWD: Final = 1024
"""Runs with which there is no doubt."""
_HANDFUL: Final = 16
"""Runs that are asked for at once; they are told of together."""
_ASKED: Final = 2
"""Handfuls that the process has before it: while one comes back, it is at work on the next."""

Pair = tuple[Run, Session]


def _process() -> Helper:
    from .fork import quick_helper  # what starts processes is loaded when one is started

    return quick_helper()


def triage_together(
    workspace: Workspace,
    now_ms: float | None = None,
    *,
    runs: Iterable[Pair] | None = None,
    progress: Callable[[Run], Progress | None] = lambda run: None,
    start: Callable[[], Helper] = _process,
    read: Callable[[Run, Progress | None], Ledger] = Run.ledger,
) -> Iterator[RunSummary]:
    """Yield a summary of every run, or of those given, each with its session.

    Where there is much to do, a second process takes a share from the end; where there can be none, or it fails, all is
    done here, the first run first.
    `progress` gives the callback for a run that is read here; what that raises comes through. `read` is how that one's
    ledger is read. When the iterator ends or is closed, so does the process.
    """
    waiting = deque(runs if runs is not None else _every(workspace))
    sharing = _Sharing(workspace, waiting, now_ms, start)
    begun = time.monotonic()
    try:
        while sharing.at_work() or waiting:  # in this order: what comes back comes before the thread ends
            while sharing.done:
                yield sharing.done.popleft()
            try:
                run, session = waiting.popleft()
            except IndexError:
                sharing.wait()
                continue
            if len(waiting) >= (_MANY if time.monotonic() - begun >= _ALONE_SECONDS else _CROWD):
                sharing.begin()
            yield summarize_run(run, session.title, now_ms, progress(run), read)
        yield from sharing.done
    finally:
        sharing.close()


def _every(workspace: Workspace) -> Iterator[Pair]:
    return ((run, session) for session in workspace.sessions for run in session.runs)


class _Sharing:
    """The other process, and the thread that asks it for one handful after the other."""

    def __init__(
        self, workspace: Workspace, waiting: deque[Pair], now_ms: float | None, start: Callable[[], Helper]
    ) -> None:
        self.done: deque[RunSummary] = deque()
        self._root = str(Path(os.path.abspath(workspace.root)))  # noqa: PTH100  Path.absolute would leave the dots in it
        self._waiting = waiting
        self._now_ms = now_ms
        self._start = start
        self._helper: Helper | None = None
        self._thread: threading.Thread | None = None
        self._possible = workspace.storage == "jsonl" and processors() > 1

    def begin(self) -> None:
        """Let another process take its share, unless there is one already, or can be none."""
        if not self._possible:
            return
        self._possible = False
        with suppress(CoreError):
            self._helper = self._start()
            self._thread = threading.Thread(target=self._share, args=(self._helper,), name="triage", daemon=True)
            self._thread.start()

    def at_work(self) -> bool:
        """Tell whether more may come of it."""
        return self._thread is not None and self._thread.is_alive()

    def wait(self) -> None:
        """Wait a moment for more."""
        if self._thread is not None:
            self._thread.join(0.01)

    def close(self) -> None:
        """End the process and the thread."""
        if self._helper is not None:
            self._helper.close()
        if self._thread is not None:
            self._thread.join()

    def _share(self, helper: Helper) -> None:
        from .share import SomeRuns

        asked: deque[list[Pair]] = deque()
        try:
            while True:
                while len(asked) < _ASKED and (handful := self._handful()):
                    asked.append(handful)
                    keys = tuple((run.session_id, run.run_id, session.title) for run, session in handful)
                    helper.ask(SomeRuns(self._root, keys, self._now_ms))
                if not asked:
                    return
                found = helper.summarized()
                if len(found) != len(asked[0]):
                    return
                for pair, summary in zip(asked.popleft(), found, strict=True):
                    if summary is None:
                        self._waiting.append(pair)
                    else:
                        self.done.append(summary)
                if None in found:
                    return
        except Exception:  # the process is lost, or closed; should it be a fault of ours, it shows where they are read
            return
        finally:
            for handful in asked:
                self._waiting.extend(handful)

    def _handful(self) -> list[Pair]:
        from .recipe import recipe_of  # loads what hands a ledger over

        taken: list[Pair] = []
        with suppress(IndexError):
            while len(taken) < _HANDFUL:
                pair = self._waiting.pop()  # the last ones: relatives stand together, and each costs a look at all
                if recipe_of(pair[0]) is None:
                    self._waiting.appendleft(pair)
                    break
                taken.append(pair)
        return taken
