"""Plays some steps on a run or on a list of runs, and waits until a screen is calm."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot

from core import Workspace
from tests.support.aio import run
from tests.support.harbor import NOW_MS
from tests.support.run_samples import NOW, PLACE, TITLE
from tests.support.run_screens import settle
from tests.support.stillness import rest
from viewer.app import ViewerApp
from viewer.screens.run import RunScreen
from viewer.screens.workspace import WorkspaceScreen

SIZES = [
    (200, 60), (160, 50), (120, 36), (100, 30), (99, 24), (80, 24), (79, 24), (60, 20), (40, 12), (40, 10), (39, 9),
    (20, 6), (1, 1), (20, 6), (40, 10), (80, 24), (200, 60),
]  # fmt: skip
"""From great to small and back."""

Body = Callable[[ViewerApp, Pilot[Any]], Awaitable[None]]


def run_app(workspace: Workspace, **options: Any) -> ViewerApp:
    """Make the app on the only run of a workspace."""
    return ViewerApp(
        lambda: RunScreen(workspace.runs()[0], title=TITLE, place=PLACE, workspace=workspace),
        now_ms=lambda: NOW,
        **options,
    )


def list_app(workspace: Workspace, **options: Any) -> ViewerApp:
    """Make the app on the list of runs of a workspace."""
    return ViewerApp(
        lambda: WorkspaceScreen(
            workspace, lambda one, title: RunScreen(one, title=title, place=PLACE, workspace=workspace)
        ),
        now_ms=lambda: NOW_MS,
        **options,
    )


def play(app: ViewerApp, body: Body, size: tuple[int, int] = (120, 36)) -> None:
    """Run an app and take some steps."""

    async def steps() -> None:
        async with app.run_test(size=size) as pilot:
            await calm(pilot)
            await body(app, pilot)

    run(steps())


async def calm(pilot: Pilot[Any]) -> None:
    """Wait until everything is read and drawn."""
    if isinstance(pilot.app.screen_stack[0], RunScreen):
        await settle(pilot)
    await rest(pilot)
