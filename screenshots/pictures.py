"""The pictures of the README: which there are, and how each is drawn. `make.py` writes them."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen
from textual.worker import WorkerCancelled

from core import Workspace, open_workspace
from tests.support.harbor import HOME, NOW_MS, harbor_workspace
from viewer.app import ViewerApp
from viewer.screens.run import RunScreen
from viewer.screens.workspace import WorkspaceScreen
from viewer.themes import DARK, LIGHT

CALM_RUNS = 205
"""So many that the list is as long as a real one."""

FONTS = "ui-monospace, 'SF Mono', 'Cascadia Mono', 'Fira Code', Menlo, Consolas, 'DejaVu Sans Mono', monospace"

Make = Callable[[Workspace], Screen[Any]]


def run_screen(workspace: Workspace) -> Screen[Any]:
    """Make the screen of the run whose deployment may have happened."""
    return RunScreen(workspace.run("run-7f3e"), title="Fix the port clash", place="default")


def list_screen(workspace: Workspace) -> Screen[Any]:
    """Make the screen of all runs."""
    return WorkspaceScreen(workspace, lambda run, title: RunScreen(run, title=title, place="default"))


PICTURES: dict[str, tuple[Make, tuple[int, int], str]] = {
    "run-120x36-dark.svg": (run_screen, (120, 36), DARK),
    "run-120x36-light.svg": (run_screen, (120, 36), LIGHT),
    "run-80x24.svg": (run_screen, (80, 24), DARK),
    "workspace-120x30.svg": (list_screen, (120, 30), DARK),
}
"""File -> screen, size in columns and lines, theme."""


def draw(folder: Path) -> None:
    """Write every picture into a folder."""
    with tempfile.TemporaryDirectory() as place, _home(HOME):
        workspace = open_workspace(harbor_workspace(Path(place, "default"), CALM_RUNS))
        # The place of the temporary folder is nobody's business, and another one each time.
        workspace.root = Path(HOME, ".config", "Maka", "workspaces", "default")
        with workspace:
            for name, (make, size, theme) in PICTURES.items():
                picture = asyncio.run(_picture(partial(make, workspace), size, theme))
                (folder / name).write_text(picture, encoding="utf-8", newline="\n")


async def _picture(first: Callable[[], Screen[Any]], size: tuple[int, int], theme: str) -> str:
    app = ViewerApp(first, now_ms=lambda: NOW_MS, theme=theme)
    async with app.run_test(size=size) as pilot:
        before, drawn = "", await _shot(app, pilot)
        while drawn != before:
            before, drawn = drawn, await _shot(app, pilot)
        return without_fonts(drawn)


async def _shot(app: ViewerApp, pilot: Pilot[Any]) -> str:
    """Draw the screen once everything is read that it shows by itself."""
    await _rest(app, pilot)
    for _ in range(1000):
        if not isinstance(app.screen, RunScreen) or app.screen.said is not None:
            break
        await pilot.pause(0.01)
    else:
        raise TimeoutError("the screen never said why")
    await _rest(app, pilot)
    await pilot.pause()
    return app.export_screenshot(title="maka-ledger", simplify=True)


async def _rest(app: ViewerApp, pilot: Pilot[Any]) -> None:
    """Wait until nothing is read any longer. What another choice put an end to is no fault."""
    while any(not worker.is_finished for worker in app.workers):
        with suppress(WorkerCancelled):
            await app.workers.wait_for_complete()
        await pilot.pause()
    await pilot.pause()


def without_fonts(svg: str) -> str:
    """Take the fonts out that would be loaded from the network."""
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return svg.replace("Fira Code, monospace", FONTS)


@contextmanager
def _home(path: str) -> Iterator[None]:
    names = ("HOME", "USERPROFILE")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, path))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
