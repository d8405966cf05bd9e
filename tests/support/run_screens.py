"""The screen of one run on a sample, and how a test waits for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from textual.pilot import Pilot

from core import Run
from tests.support.run_samples import NOW, PLACE, SAMPLES, TITLE, open_sample
from tests.support.stillness import rest, still
from viewer.app import ViewerApp
from viewer.screens.run import RunScreen


def show_run(
    run: Run,
    *,
    expected_high_water: int | None = None,
    now_ms: Callable[[], float] = lambda: NOW,
    **options: Any,
) -> ViewerApp:
    """Make the app on one run."""

    def first() -> RunScreen:
        return RunScreen(run, title=TITLE, place=PLACE, expected_high_water=expected_high_water)

    return ViewerApp(first, now_ms=now_ms, **options)


def show_sample(root: Path, name: str, **options: Any) -> ViewerApp:
    """Write a sample and make the app on it."""
    SAMPLES[name](root)
    return show_run(open_sample(root), **options)


def screen_of(app: ViewerApp) -> RunScreen:
    """Give the screen of the run, whatever lies over it."""
    return cast("RunScreen", app.screen_stack[0])


async def settle(pilot: Pilot[Any]) -> None:
    """Wait until what was asked for is read, decided and drawn."""
    screen = screen_of(cast("ViewerApp", pilot.app))
    while not settled(screen):
        await pilot.pause(0.01)
    await rest(pilot)


async def drawn(pilot: Pilot[Any]) -> None:
    """Wait for that, and until the picture stays as it is."""
    await settle(pilot)
    await still(pilot)


def settled(screen: RunScreen) -> bool:
    """Tell whether nothing is awaited any more."""
    if screen.has_class("-failed"):
        return True
    if screen.opened is None or screen.decided is None or screen.said is None or screen.beside is None:
        return False
    wanted = len(screen.opened.ledger) if screen.asked is None else screen.asked
    return screen.decided.end == wanted and screen.said.chosen is screen.chosen


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys one by one, and wait after each for what it asked for."""
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
        await settle(pilot)
