"""A run that is written while its screen is looked at, by a clock that a test sets."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, cast

from textual.pilot import Pilot

from tests.support.run_samples import NOW, SAMPLES
from tests.support.runs import LEDGER_PATH, RUN_PATH
from viewer.screens.following import FollowingScreen

HALF = b'{"id":"e14","role":"tool","author":"tool","content":{"kind":"function_response","id":"toolu_01Q8","na'
"""The beginning of a response to the last call of the samples."""


class LiveRun:
    """A sample that goes on being written. The clock is the screens' too."""

    def __init__(self, root: Path, sample: str = "live") -> None:
        SAMPLES[sample](root)
        self.now = NOW
        self.ledger = root / LEDGER_PATH
        self.folder = root / RUN_PATH

    def clock(self) -> float:
        """Return the time, milliseconds since 1970."""
        return self.now

    def write(self, *rows: dict[str, Any], tail: bytes = b"", seconds: float = 5) -> None:
        """Append rows, so many seconds after what was before."""
        self.now += seconds * 1000
        with self.ledger.open("ab") as file:
            file.write(b"".join(json.dumps(row).encode() + b"\n" for row in rows) + tail)
        self._stamp(self.ledger)

    def cut(self, size: int) -> None:
        """Cut the ledger to so many bytes."""
        self.now += 5000
        os.truncate(self.ledger, size)
        self._stamp(self.ledger)

    def head(self, **changes: Any) -> None:
        """Write another header."""
        self.now += 5000
        path = self.folder / "run.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
        self._stamp(path)

    def _stamp(self, path: Path) -> None:
        os.utime(path, (self.now / 1000, self.now / 1000))


async def look(pilot: Pilot[Any]) -> None:
    """Let the screen look at once, and wait until it shows what it saw."""
    screen = cast("FollowingScreen", pilot.app.screen_stack[0])
    while screen._looking:
        await pilot.pause(0.01)
    screen._begin_look()
    while screen._looking:
        await pilot.pause(0.01)
    while any(not worker.is_finished for worker in pilot.app.workers):
        await pilot.pause(0.01)
    await pilot.pause()
    await pilot.pause()
