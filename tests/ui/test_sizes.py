"""Every size: from great to nothing and back no screen fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from core import open_workspace
from tests.support.plays import SIZES, calm, list_app, play, run_app
from tests.support.shots import screen_lines
from viewer.app import ViewerApp
from viewer.screens.pager import PagerScreen
from viewer.screens.run import RunScreen
from viewer.screens.workspace import WorkspaceScreen

# Every size


@pytest.mark.parametrize(
    "keys",
    [
        (),
        ("3",),
        ("tab", "tab", "z"),
        ("slash", *"npm"),
        ("f", *"kind:nothing"),
        ("f", *"kind:call", "enter", "slash", *"npm", "enter"),
        ("x", *"20"),
        ("ctrl+g", *"zzz", "enter"),
        ("y",),
        ("question_mark",),
        ("5", "tab", "tab", "enter"),
        ("ctrl+p",),
    ],
    ids=[
        "run",
        "replay",
        "zoom",
        "search",
        "refused",
        "filtered",
        "expect",
        "go-to",
        "copy",
        "help",
        "pager",
        "palette",
    ],
)
def test_no_size_breaks_a_run(sample: Path, keys: tuple[str, ...]) -> None:
    """From 200 by 60 down to nothing and back no screen fails, no line is too long, and the place is kept."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        screen = cast("RunScreen", app.screen_stack[0])
        for key in keys:
            await pilot.press(key)
            await calm(pilot)
        here, above = screen.here, len(app.screen_stack)
        for width, height in SIZES:
            await pilot.resize_terminal(width, height)
            await calm(pilot)
            lines = screen_lines(app)
            assert len(lines) == height
            assert all(len(line) <= width for line in lines)
        assert (screen.here, len(app.screen_stack)) == (here, above)
        assert "REPLAY BLOCKED" in "\n".join(screen_lines(app)) or isinstance(app.screen, PagerScreen)

    play(run_app(open_workspace(sample)), body, (200, 60))


@pytest.mark.parametrize("keys", [(), ("s", "s"), ("f", *"verdict:parked", "enter")], ids=["urgent", "sessions", "one"])
def test_no_size_breaks_a_workspace(harbor: Path, keys: tuple[str, ...]) -> None:
    """The same holds for the list of runs."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        screen = cast("WorkspaceScreen", app.screen)
        for key in keys:
            await pilot.press(key)
            await calm(pilot)
        before = screen.current
        for width, height in SIZES:
            await pilot.resize_terminal(width, height)
            await calm(pilot)
            assert all(len(line) <= width for line in screen_lines(app))
        assert screen.current is before

    play(list_app(open_workspace(harbor)), body, (200, 60))
