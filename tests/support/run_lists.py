"""The list of runs of a workspace, and how a test waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.widgets import Static

from core import Run, Workspace
from tests.support.harbor import NOW_MS
from tests.support.shots import screen_lines
from tests.support.stillness import rest
from viewer.app import ViewerApp
from viewer.screens.base import BaseScreen
from viewer.screens.workspace import WorkspaceScreen

SIZES = [(80, 24), (120, 36)]


class Opened(BaseScreen[None]):
    """Stands for the screen of a run."""

    def __init__(self, run: Run, title: str | None) -> None:
        super().__init__()
        self.run_id = run.run_id
        self.words = title

    def compose(self) -> ComposeResult:
        """Name the run."""
        yield Static(self.run_id, markup=False)


def show(workspace: Workspace, now_ms: Callable[[], float] = lambda: NOW_MS, **options: Any) -> ViewerApp:
    """Make the app on a workspace."""
    return ViewerApp(lambda: WorkspaceScreen(workspace, Opened), now_ms=now_ms, **options)


def screen_of(app: ViewerApp) -> WorkspaceScreen:
    """Give the screen of all runs, whatever lies over it."""
    return cast("WorkspaceScreen", app.screen_stack[0])


async def settle(pilot: Pilot[Any]) -> None:
    """Wait until everything is read and drawn."""
    await rest(pilot)
    await pilot.pause()


async def until(pilot: Pilot[Any], said: str) -> None:
    """Wait until the screen says something."""
    for _ in range(1000):
        if said in text_of(cast("ViewerApp", pilot.app)):
            return
        assert pilot.app.is_running
        await pilot.pause(0.01)
    raise AssertionError(f"never said: {said}")


def text_of(app: ViewerApp) -> str:
    """Give the whole screen as text."""
    return "\n".join(screen_lines(app))
