"""Following, saving and comparing, as pictures."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core import open_workspace
from tests.support.live_runs import HALF, LiveRun, look
from tests.support.run_samples import PLACE, TITLE, answer, said, tool
from tests.support.run_screens import drawn, press, screen_of, settle
from tests.support.stillness import still
from viewer.app import ViewerApp
from viewer.screens.run import RunScreen

SIZES = {"80x24": (80, 24), "120x36": (120, 36)}
Act = Callable[[Pilot[Any], LiveRun], Awaitable[None]]


async def live(pilot: Pilot[Any], run: LiveRun) -> None:
    """Only follow."""


async def being_written(pilot: Pilot[Any], run: LiveRun) -> None:
    """Begin a row and do not end it."""
    run.write(tail=HALF)
    await look(pilot)


async def died(pilot: Pilot[Any], run: LiveRun) -> None:
    """Write nothing more for longer than a minute."""
    await being_written(pilot, run)
    run.now += 70_000
    screen_of(pilot.app)._tick()  # type: ignore[arg-type]  # the app of these tests
    await settle(pilot)


async def grown(pilot: Pilot[Any], run: LiveRun) -> None:
    """Answer the call, go on, and make another one."""
    asked = tool("e16", 32, "toolu_9", "Bash", {"command": "curl -X POST https://status.example/ok"})
    run.write(answer("e14", 30, "toolu_01Q8", "Bash", "exit 0"), said("e15", 31, "It is deployed."), asked)
    await look(pilot)


async def paused(pilot: Pilot[Any], run: LiveRun) -> None:
    """Hold it as it is."""
    await press(pilot, "equals_sign")


async def changes(pilot: Pilot[Any], run: LiveRun) -> None:
    """Mark the end, let the run go on, and ask what changed."""
    await press(pilot, "c")
    await grown(pilot, run)
    await pilot.press("c")
    while any(not worker.is_finished for worker in pilot.app.workers):
        await pilot.pause(0.01)
    await pilot.pause()
    await pilot.pause()


async def saving(pilot: Pilot[Any], run: LiveRun) -> None:
    """Open the dialog."""
    await pilot.press("ctrl+s")
    await pilot.pause()
    await pilot.pause()


ACTS = [live, being_written, died, grown, paused, changes, saving]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "act", [live, being_written, died, grown, paused, changes, saving], ids=lambda act: act.__name__
)
def test_state(tmp_path: Path, snap_compare: Any, monkeypatch: pytest.MonkeyPatch, act: Act, size: str) -> None:
    """Calm while the run may go on, loud as soon as it is known to have died, and every dialog whole."""
    work = tmp_path / "home" / "work"
    work.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(work.parent))
    monkeypatch.setenv("USERPROFILE", str(work.parent))
    monkeypatch.chdir(work)
    root = tmp_path / "root"
    root.mkdir()
    run = LiveRun(root)
    workspace = open_workspace(root)
    app = ViewerApp(
        lambda: RunScreen(workspace.runs()[0], title=TITLE, place=PLACE, workspace=workspace), now_ms=run.clock
    )

    async def before(pilot: Pilot[Any]) -> None:
        await drawn(pilot)
        await press(pilot, "F")
        await look(pilot)
        await act(pilot, run)
        pilot.app.clear_notifications()
        await still(pilot)

    assert snap_compare(app, terminal_size=SIZES[size], run_before=before)
