"""Reading big runs in a process of their own, small ones in the thread that asks. The answer is the same."""

from __future__ import annotations

import gc
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from core import EventLinks, Helper, HelperLost, Ledger, Run, bytes_apart

Progress = Callable[[int, int], None]

SMALL: Final = 2 << 20
"""Bytes of a ledger that is read here: it takes no longer than a process takes to come up."""


class Helpers:
    """Gives each reading of a big run a process of its own, the first one the process that was started ahead.

    Where there is none, or it fails, the thread that asks reads. No process outlives its reading, nor `close`.
    """

    def __init__(self, ahead: Helper | None = None) -> None:
        self._lock = threading.Lock()
        self._ahead = ahead
        self._at_work: set[Helper] = set()
        self._closed = False

    def read(self, run: Run, progress: Progress) -> tuple[Ledger, EventLinks]:
        """Read a run. What `progress` raises comes through, and nothing goes on then."""
        if bytes_apart(run) > SMALL:
            with suppress(HelperLost):
                return self._read_apart(run, progress)
            progress(0, 1)
        ledger = run.ledger(progress)
        return ledger, EventLinks(ledger)

    def _read_apart(self, run: Run, progress: Progress) -> tuple[Ledger, EventLinks]:
        helper = self._take()
        try:
            return helper.read(run, progress)
        finally:
            self._give_back(helper)
            # What is there now stays as long as the screen: no collection need look through it again.
            gc.freeze()

    def _take(self) -> Helper:
        with self._lock:
            if self._closed:
                raise HelperLost("the viewer is being left")
            helper, self._ahead = self._ahead or Helper(), None
            self._at_work.add(helper)
            return helper

    def _give_back(self, helper: Helper) -> None:
        with self._lock:
            self._at_work.discard(helper)
        helper.close()

    def drop_spare(self) -> None:
        """End the process that was started ahead, if nobody needed it."""
        with self._lock:
            helper, self._ahead = self._ahead, None
        if helper is not None:
            helper.close()

    def close(self) -> None:
        """End every process."""
        self.drop_spare()
        with self._lock:
            self._closed = True
            at_work = tuple(self._at_work)
        for helper in at_work:
            helper.close()


def helper_ahead(path: str) -> Helper | None:
    """Start a process for what lies at a path, before anything is read of it, unless that is surely small."""
    if _surely_small(path):
        return None
    try:
        return Helper()
    except HelperLost:
        return None


def _surely_small(path: str) -> bool:
    """Look at the sizes of files alone. Only a ledger, or the folder of one, is known by its size."""
    for place in (Path(path), Path(path, "runtime-events.jsonl")):
        with suppress(OSError, ValueError):
            status = place.stat()
            if stat.S_ISREG(status.st_mode):
                return status.st_size <= SMALL
    return False
