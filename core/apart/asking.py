"""Asks another process for decoded rows, some parts of a ledger ahead of the one that is folded."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from ..errors import CoreError
from ..records.plain import Execution
from ..storage.ahead import PlainColumns
from ..storage.files import ReadOnlyFile
from .decoding import SomeRows, decoded
from .helper import Helper

_BACKLOG: Final = 8
"""Parts that it has before it, at most."""
_VAIN: Final = 16
"""So many parts that it could not decode, and no other is asked for: these rows are not plain."""
_END: Final = b""
"""What comes behind the last answer."""


class Asking:
    """Asks for the rows of one open file; a thread takes the answers in, so that nobody waits until they are wanted.

    The process is started when there are `many` rows to come.
    """

    def __init__(self, start: Callable[[], Helper], many: int, file: ReadOnlyFile) -> None:
        self._start = start
        self._many = many
        self._path = Path(file.path).absolute()
        self._identity = file.state().identity
        self._helper: Helper | None = None
        self._answers: SimpleQueue[bytes | None] = SimpleQueue()
        self._unanswered = 0
        self._up = self._lost = False
        self._vain: deque[bool] = deque(maxlen=_VAIN)
        self._thread: threading.Thread | None = None

    def worth(self, rows: int) -> bool:
        """Start the process if there are many rows to come, and tell whether it was."""
        if rows >= self._many:
            self._begin()
        return self._helper is not None

    def wants(self) -> bool:
        """Tell whether the process is up and has little left to do."""
        if not self._up and not self._answers.empty():
            self._up = self.take() is not None  # the answer to the empty question: somebody is there
            self._lost = not self._up
        in_vain = len(self._vain) == _VAIN and all(self._vain)
        return self._up and not self._lost and not in_vain and self._unanswered - self._answers.qsize() < _BACKLOG

    def _begin(self) -> None:
        try:
            helper = self._helper = self._start()
        except CoreError:
            return
        self._thread = threading.Thread(target=self._listen, args=(helper,), name="decoded rows", daemon=True)
        self._thread.start()
        self.ask(0, 0, ("", "", "", ""))

    def ask(self, start: int, end: int, execution: Execution) -> None:
        """Ask for rows."""
        self._unanswered += 1
        with suppress(CoreError):  # the process has ended; the thread finds out and says so
            if self._helper is not None:
                self._helper.ask(SomeRows(self._path, self._identity, start, end, execution))

    def take(self) -> list[PlainColumns] | None:
        """Wait for the next answer; None where there is none to be had."""
        self._unanswered -= 1
        answer = _END if self._lost else self._answers.get()
        self._lost = answer == _END
        found = None
        with suppress(EOFError, ValueError, TypeError):
            found = decoded(answer) if answer else None
        self._vain.append(found is None)
        return found

    def close(self) -> None:
        """End the process and the thread."""
        if self._helper is not None:
            self._helper.close()
        if self._thread is not None:
            self._thread.join()

    def _listen(self, helper: Helper) -> None:
        try:
            while True:
                self._answers.put(helper.decoded())
        except Exception:  # whatever is wrong with the answers, there will be no other
            self._answers.put(_END)
