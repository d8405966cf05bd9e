"""Reading big runs in a process of their own, small ones in the thread that asks. The answer is the same."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from core import Helper, HelperLost

if TYPE_CHECKING:
    from core import EventLinks, Ledger, RowsSoFar, Run


Progress = Callable[[int, int], None]
SoFar: TypeAlias = "Callable[[RowsSoFar | None], None]"

SMALL: Final = 2 << 20
"""Bytes of a ledger that is read here: it takes no longer than a process takes to come up."""

_LEDGER: Final = "runtime-events.jsonl"
_MORE: Final = ("runtime.sqlite", "runtime.sqlite-wal", "sessions")
"""What makes a folder more than that of one run, or what lies in it stale."""


class Helpers:
    """Gives each reading of a big run a process of its own, the first one the process that was started ahead.

    Where there is none, or it fails, the thread that asks reads. No process outlives its reading, nor `close`.
    """

    def __init__(self, ahead: Helper | None = None) -> None:
        self._lock = threading.Lock()
        self._ahead = ahead
        self._at_work: set[Helper] = set()
        self._readings = 0
        self._closed = False

    @property
    def reading(self) -> bool:
        """Whether a big run is read at the moment: whoever asks for less waits, since somebody looks at that one."""
        return self._readings > 0

    def read(self, run: Run, progress: Progress, so_far: SoFar = lambda rows: None) -> tuple[Ledger, EventLinks]:
        """Read a run. What `progress` raises comes through, and nothing goes on then.

        `so_far` hears of the rows that are there while a big one is read; of None where they are none after all.
        """
        from core import EventLinks, bytes_apart  # the process that is started ahead does not wait for what reads here

        if bytes_apart(run) > SMALL:
            with suppress(HelperLost):
                return self._read_apart(run, progress, so_far)
            so_far(None)
            progress(0, 1)
        ledger = run.ledger(progress)
        return ledger, EventLinks(ledger)

    def _read_apart(self, run: Run, progress: Progress, so_far: SoFar) -> tuple[Ledger, EventLinks]:
        helper = self.take()
        with self._lock:
            self._readings += 1
        try:
            return helper.read(run, progress, so_far)
        finally:
            with self._lock:
                self._readings -= 1
            self.end(helper)

    def take(self) -> Helper:
        """Give a process to whoever ends it. Raises HelperLost."""
        with self._lock:
            if self._closed:
                raise HelperLost("the viewer is being left")
            helper, self._ahead = self._ahead or Helper(), None
            self._at_work.add(helper)
            return helper

    def end(self, helper: Helper) -> None:
        """End a process that was taken; twice is harmless."""
        with self._lock:
            self._at_work.discard(helper)
        helper.close()

    def close(self) -> None:
        """End every process; no other is started."""
        with self._lock:
            self._closed = True
            left = {*self._at_work, *filter(None, (self._ahead,))}
        for helper in left:
            helper.close()


def helper_ahead(path: str) -> Helper | None:
    """Start a process for what lies at a path, before anything is read of it, unless that is surely small."""
    if _surely_small(path):
        return None
    try:
        return Helper()
    except HelperLost:
        return None


def is_one_run(path: str) -> bool:
    """Tell, by names alone, whether a path is surely the ledger or the folder of one run that can be read.

    What is not sure is opened first.
    """
    place = Path(path)
    ledger, more = (place, ()) if place.suffix == ".jsonl" else (place / _LEDGER, _MORE)
    with suppress(OSError, ValueError):
        readable = stat.S_ISREG(ledger.stat().st_mode) and os.access(ledger, os.R_OK)
        return readable and not any(os.path.lexists(place / name) for name in more)
    return False


def _surely_small(path: str) -> bool:
    """Look at the sizes of files alone. Only a ledger, or the folder of one, is known by its size."""
    for place in (Path(path), Path(path, _LEDGER)):
        with suppress(OSError, ValueError):
            status = place.stat()
            if stat.S_ISREG(status.st_mode):
                return status.st_size <= SMALL
    return False
