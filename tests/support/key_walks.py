"""Keys that are pressed one after the other, each with what must hold then; which ones were is remembered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from core import open_workspace
from tests.support.aio import run
from tests.support.run_samples import NOW, PLACE, SAMPLES, TITLE
from tests.support.run_screens import screen_of, settle
from tests.support.shots import screen_lines
from tests.support.stillness import rest
from viewer.app import ViewerApp
from viewer.command import Context
from viewer.screens.following import FollowingScreen
from viewer.screens.run import RunScreen

Check = Callable[[], bool]
Step = tuple[str, Check]
"""A key, and what must hold once it was pressed."""

ELSEWHERE = {
    "ctrl+z": "it needs a real terminal: tests/ui/test_terminal.py",
}
"""Keys that are not pressed here, and why."""

FOLLOW_KEYS = (("F", "following"), ("equals_sign", "paused"), ("equals_sign", "following"), ("F", ""))
"""Keys of screens that follow, and what the header says then."""

PRESSED: dict[Context, set[str]] = {}
"""Keys that were pressed, by the context that they were pressed for."""


async def walk(pilot: Pilot[Any], contexts: Iterable[Context], steps: Iterable[Step]) -> None:
    """Press each key, wait, and look."""
    for key, holds in steps:
        for context in contexts:
            PRESSED.setdefault(context, set()).add(key)
        await pilot.press(key)
        await pilot.pause()
        await rest(pilot)
        await pilot.pause()
        assert holds(), f"{key} led elsewhere:\n" + "\n".join(screen_lines(pilot.app))


def run_app(root: Path, name: str) -> ViewerApp:
    """Make the app on one run of a workspace."""
    SAMPLES[name](root)
    workspace = open_workspace(root)
    return ViewerApp(
        lambda: RunScreen(workspace.runs()[0], title=TITLE, place=PLACE, workspace=workspace), now_ms=lambda: NOW
    )


def on_run(root: Path, name: str, body: Callable[[RunScreen, Pilot[Any]], Awaitable[None]]) -> None:
    """Open a sample and walk on its screen."""
    app = run_app(root, name)

    async def steps() -> None:
        async with app.run_test(size=(120, 36)) as pilot:
            await settle(pilot)
            await body(screen_of(app), pilot)

    run(steps())


def following(screen: FollowingScreen, word: str) -> Check:
    """Tell whether the screen follows as that word says, and says so."""
    return lambda: screen.follows == word and word in screen_lines(screen.app)[0]
