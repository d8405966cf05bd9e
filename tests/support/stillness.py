"""Waits until a screen has nothing more to do, however busy the machine is."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from tests.support.shots import screen_lines, stale_lines

_LOOKS = 4
"""So many looks in a row must find the same picture."""


async def rest(pilot: Pilot[Any]) -> None:
    """Wait until no worker works and what they sent was handled, and hold that no line of a list was left behind."""
    while any(not worker.is_finished for worker in pilot.app.workers):
        # A search that was typed on is cancelled, which is no failure.
        with suppress(WorkerCancelled):
            await pilot.app.workers.wait_for_complete()
        await pilot.pause()
    await pilot.pause()
    await pilot.pause()
    left = stale_lines(pilot.app)
    assert not left, "\n".join(left)


async def still(pilot: Pilot[Any]) -> None:
    """Wait until the picture stays as it is."""
    before, same = None, 0
    while same < _LOOKS:
        await rest(pilot)
        await pilot.pause(0.01)
        now = screen_lines(pilot.app)
        before, same = now, same + 1 if now == before else 0
