"""The mouse does what it looks like, and a real terminal is left and come back to."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from core import RunOrder, open_workspace
from tests.support.command import SOURCE
from tests.support.plays import calm, list_app, play, run_app
from tests.support.shots import screen_lines
from viewer.app import ViewerApp
from viewer.screens.run import RunScreen
from viewer.screens.workspace import WorkspaceScreen
from viewer.widgets.find_bar import FindLine
from viewer.widgets.rules import RuleHeading, TabHeading

# The mouse


def test_the_mouse_on_a_run(sample: Path) -> None:
    """Rows, tabs, headings, footer and the line of finding are clicked like their keys are pressed."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        screen = cast("RunScreen", app.screen)
        await pilot.click("#timeline", offset=(20, 2))
        await calm(pilot)
        assert screen.here == 2
        await pilot.click("#operations", offset=(10, 1))
        await calm(pilot)
        assert screen.here == 10
        await pilot.click("#tabs", offset=(screen.tabs.render().plain.index("Replay"), 0))
        await calm(pilot)
        assert screen.tabs.open == "Replay"
        await pilot.click("#operations-heading", offset=(4, 0))
        await calm(pilot)
        assert screen.operations.has_focus
        footer = screen_lines(app)[-1]
        await pilot.click("FooterBar", offset=(footer.index("search"), 0))
        await calm(pilot)
        assert screen.find_bar.editing
        await pilot.press(*"npm", "enter")
        await calm(pilot)
        line = screen.query_one(FindLine)
        await pilot.click(FindLine, offset=(line.render().plain.index("clears"), 0))
        await calm(pilot)
        assert screen.pattern is None
        await pilot.click("#timeline", offset=(20, 4), times=2)
        await calm(pilot)
        assert screen.tabs.open == "Event"

    play(run_app(open_workspace(sample)), body)


def test_the_mouse_on_a_workspace(harbor: Path) -> None:
    """A count filters by its verdict, the heads sort, a double click opens, and where we are leads back."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        screen = cast("WorkspaceScreen", app.screen)
        await pilot.click("CountsLine", offset=(screen_lines(app)[1].index("parked"), 0))
        await calm(pilot)
        assert len(screen.lines) == 1
        await pilot.press("escape")
        await calm(pilot)
        await pilot.click("RunHeads", offset=(5, 0))
        await calm(pilot)
        assert screen.order is RunOrder.NEWEST
        await pilot.click("RunList", offset=(10, 0), times=2)
        await calm(pilot)
        assert isinstance(app.screen, RunScreen)
        await pilot.click("HeaderBar", offset=(3, 0))
        await calm(pilot)
        assert app.screen is screen
        await pilot.click("HeaderBar", offset=(3, 0))
        await calm(pilot)
        assert app.is_running

    play(list_app(open_workspace(harbor)), body)


def test_headings_are_there_to_be_clicked(sample: Path) -> None:
    """Each pane has one."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        assert len(app.screen.query(RuleHeading)) + len(app.screen.query(TabHeading)) == 4

    play(run_app(open_workspace(sample)), body)


# A real terminal


@pytest.mark.skipif(sys.platform == "win32", reason="there is no shell to go to")
@pytest.mark.parametrize("seconds", [0.0, 1.5])
def test_ctrl_z_suspends(sample: Path, seconds: float) -> None:
    """The program stops, the terminal is as it was before, and SIGCONT brings the whole screen back, at rest or not."""
    from tests.support.pty import Terminal

    command = [sys.executable, "-m", "viewer", str(sample), "--no-mouse"]
    with Terminal(command, size=(120, 36), cwd=str(SOURCE)) as terminal:
        terminal.read_until(b"NO RESPONSE")
        terminal.read_for(seconds)
        terminal.send(b"\x1a")
        terminal.wait_until_stopped()
        terminal.read_until(b"\x1b[?1049l")
        left = len(terminal.output)
        os.kill(terminal.process.pid, signal.SIGCONT)
        for words in (b"read-only", b"Timeline", b"NO RESPONSE", b"help"):
            terminal.read_until(words, after=left)
        terminal.send(b"q")
        assert terminal.wait().code == 0
