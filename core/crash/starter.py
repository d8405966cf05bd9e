"""Starts children in a temporary folder and answers for them: when it is left, no child and no folder remains."""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Final, TypeVar

from ..storage.layout import session_folder
from .process import ChildFailed, ChildProcess, Task

Item = TypeVar("Item")
Case = TypeVar("Case")

TIMEOUT_S: Final = 60.0
"""Seconds that a child gets to come up and to write; it needs less than one."""

_AT_ONCE: Final = (os.cpu_count() or 1) + 1
"""Children that are alive at the same time: one comes up while another is judged."""

_PREFIX: Final = "maka-ledger-crash-"


class ChildStarter:
    """A context manager around any number of children, and the temporary folder that they need."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self._command = command
        self._held = ExitStack()
        self._taken: set[str] = set()

    def __enter__(self) -> ChildStarter:
        folder = tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True)
        self.scratch = Path(self._held.enter_context(folder))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.close()

    def start(self, task: Task) -> ChildProcess | ChildFailed:
        """Start a child, or say why there is none."""
        folder = Path(tempfile.mkdtemp(dir=self.scratch))
        try:
            return self._held.enter_context(ChildProcess(task, folder, self._command))
        except ChildFailed as error:
            return error

    def session_id(self, root: Path, wanted: str) -> str:
        """Return an id that no session of the state root has yet, `wanted` itself where it is free."""
        ids = (wanted if number == 1 else f"{wanted}-{number}" for number in count(1))
        free = next(name for name in ids if name not in self._taken and not session_folder(root, name).exists())
        self._taken.add(free)
        return free


def started_ahead(items: Iterable[Item], start: Callable[[Item], Case]) -> Iterator[Case]:
    """Start something for every item and yield it in order; those behind it come up in the meantime."""
    running: deque[Case] = deque()
    for item in items:
        running.append(start(item))
        if len(running) == _AT_ONCE:
            yield running.popleft()
    yield from running


def started(child: ChildProcess | ChildFailed) -> ChildProcess:
    """Return a child that was started. Raises ChildFailed where there is none."""
    if isinstance(child, ChildFailed):
        raise child
    return child
