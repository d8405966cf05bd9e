"""A workspace whose every string tries to hurt: it opens on every screen, and nothing of it reaches a terminal raw."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from core import open_workspace
from tests.support.aio import run
from tests.support.command import COMMAND, SOURCE
from tests.support.harbor import NOW_MS
from tests.support.hostile import HIDDEN, RAW, hostile_workspace
from tests.support.shots import screen_lines
from tests.support.stillness import rest
from viewer.app import ViewerApp
from viewer.opening import Opened, first_screen

CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the workspace."""
    return hostile_workspace(tmp_path_factory.mktemp("hostile"))


def clean(app: ViewerApp) -> bool:
    """Tell whether the screen shows no character that a terminal would obey."""
    return not CONTROLS.search("\n".join(screen_lines(app)).replace("\n", ""))


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (44, 14)], ids=str)
def test_every_screen_opens(hostile: Path, size: tuple[int, int]) -> None:
    """List, remarks, help and palette stay up and show pictures; markup is text."""

    async def body() -> None:
        workspace = open_workspace(hostile)
        app = ViewerApp(lambda: first_screen(Opened(workspace)), now_ms=lambda: NOW_MS)
        async with app.run_test(size=size) as pilot:
            await rest(pilot)
            await pilot.pause()
            assert "[/nope]" in "\n".join(screen_lines(app)) or size[0] < 120
            for key in ("e", "e", "down", "up", "G", "g", "i", "down", "escape", "question_mark", "escape", "ctrl+p"):
                await pilot.press(key)
                await pilot.pause()
                assert clean(app), key
            await pilot.press("escape")
            await pilot.pause(0.1)
            await pilot.press("q")
        assert app.return_code == 0

    run(body())


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (44, 14)], ids=str)
@pytest.mark.parametrize("run_id", ["run-doubt", "run-damaged", "run-clash"])
def test_every_run_opens(hostile: Path, run_id: str, size: tuple[int, int]) -> None:
    """Each row of each run can be looked at in each pane, and nothing runs, crashes or is obeyed."""

    async def body() -> None:
        workspace = open_workspace(hostile)
        opened = Opened(workspace, workspace.run(run_id), next(s.title for s in workspace.sessions))
        app = ViewerApp(lambda: first_screen(opened), now_ms=lambda: NOW_MS)
        async with app.run_test(size=size) as pilot:
            await rest(pilot)
            await pilot.pause()
            await pilot.press("g")
            for key in ("2", *["down"] * 14, "1", "e", "o", "tab", "down", "tab", "down", "question_mark", "escape"):
                await pilot.press(key)
                await rest(pilot)
                await pilot.pause()
                assert clean(app), key
            assert app.is_running
            await pilot.press("ctrl+q")
        assert app.return_code == 0

    run(body())


if sys.platform != "win32":
    from tests.support.pty import Terminal

    def test_nothing_reaches_a_real_terminal(hostile: Path) -> None:
        """On a real terminal no byte of a hostile sequence arrives while one walks through list and runs."""
        with Terminal([*COMMAND, str(hostile)], size=(160, 40), cwd=str(SOURCE)) as tty:
            tty.read_until(b"3 of 3 runs read")
            tty.read_until(b"run-doubt")
            tty.send(b"ei")
            tty.read_until(b"esc closes")
            for keys in (b"q", b"G", b"g", b"\r"):
                tty.send(keys)
            tty.read_until(b"end of the committed prefix")
            for keys in (b"g", b"2", *[b"j"] * 12, b"1", b"\t", b"j", b"?"):
                tty.send(keys)
            tty.read_until(b"Help")
            tty.send(b"\x11")
            ended = tty.wait()
        assert ended.code == 0
        # Textual itself ends a wish for the mouse pointer's shape with BEL.
        output = re.sub(rb"\x1b\]22;[a-z-]*\x07", b"", ended.output)
        assert not [raw for raw in RAW if raw in output.replace(b"\x1b[2J", b"", 1)]
        for character in HIDDEN:
            assert character.encode() not in output
        assert "␛]0;PWNED".encode() in output
        assert ended.output.count(b"\x1b[?1049l") == 1
