"""A helper that is there at once: a copy of this process, where it can be copied without doubt."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from .helper import Helper, HelperLost

_TASKS: Final = Path("/proc/self/task")
"""A folder for each thread, those that Python does not know included."""

_ENDING: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a process from outside; not every system has all of them."""

_FIRST: Final = 3
"""Of the numbers of files, those that no standard one has."""
_LEAST: Final = 1 << 10
"""Files that are closed at least, where the system names no limit."""


def quick_helper() -> Helper:
    """Start the helper that is there soonest. Raises HelperLost.

    Of a process with other threads no copy is made: it would hold what they were about for ever.
    """
    return ForkedHelper() if can_be_copied() else Helper()


def can_be_copied() -> bool:
    """Tell whether this process has one thread alone, on a system where that can be known."""
    if sys.platform != "linux":
        return False
    with suppress(OSError):
        return len(os.listdir(_TASKS)) == 1  # noqa: PTH208  no path is made of each
    return False


class ForkedHelper(Helper):
    """A helper that is a copy of this process and loads nothing. For a process without other threads."""

    def __init__(self) -> None:
        """Start it. Raises HelperLost."""
        self._closing = threading.Lock()
        try:
            self._process = Fork()
        except OSError as error:
            raise HelperLost(f"no process can be started: {error}") from error


class Fork:
    """A copy of this process that serves as a helper does: with what `Popen` has for one that is heard and killed.

    Raises OSError where there can be none.
    """

    def __init__(self) -> None:
        ends = (*os.pipe(), *os.pipe())
        tasks, to_tasks, from_answers, answers = ends
        try:
            if min(ends) < _FIRST:
                raise OSError("the standard files of this process are closed")
            # A signal that came to the copy before it is on its own would unwind our own work there.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
            try:
                self.pid = os.fork()
                if not self.pid:
                    _serve(tasks, answers, before)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        except OSError:
            for end in ends:
                os.close(end)
            raise
        os.close(tasks)
        os.close(answers)
        self.stdin, self.stdout = os.fdopen(to_tasks, "wb"), os.fdopen(from_answers, "rb")
        self._code: int | None = None

    def kill(self) -> None:
        """Kill it, unless it is known to have ended."""
        if self._code is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for its end, once, and return its exit code; that of a signal is negative."""
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._code


def _serve(tasks: int, answers: int, mask: Iterable[int]) -> NoReturn:
    """Be the helper. Nothing of the process that was copied is used, written to or cleaned up."""
    try:
        for number in _ENDING:
            signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        _keep_only(tasks, answers)
        from .serving import serve

        with os.fdopen(tasks, "rb") as asked, os.fdopen(answers, "wb") as answered:
            serve(asked, answered)
    except BaseException:  # who asked finds the pipe closed, and goes on alone
        os._exit(1)
    os._exit(0)


def _keep_only(*ends: int) -> None:
    """Close every other file, so that nothing is held open; in the place of the standard ones nothing is heard."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(_FIRST):
        os.dup2(nothing, standard)
    start = _FIRST
    for end in (*sorted(ends), max(os.sysconf("SC_OPEN_MAX"), _LEAST)):
        os.closerange(start, end)
        start = end + 1
