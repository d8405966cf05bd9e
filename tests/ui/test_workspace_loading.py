"""The screen of all runs while they are read: it never waits, and keeps its place."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from core import open_workspace
from tests.support.aio import run
from tests.support.harbor import NOW_MS, harbor_workspace
from tests.support.run_lists import screen_of, settle, show, text_of, until
from tests.support.slow import gated_workspace
from tests.support.workspaces import fingerprint
from viewer.screens.help import HelpScreen


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with the harbor workspace in `default`, which tests must not change."""
    folder = tmp_path_factory.mktemp("harbor")
    harbor_workspace(folder / "default")
    return folder


@pytest.fixture
def inside(harbor: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in that folder, so that no path of this machine is on the screen."""
    monkeypatch.chdir(harbor)
    return harbor


# Loading


def test_there_before_anything_is_read(inside: Path) -> None:
    """The first frame comes before the first run is read, and keys work."""
    gates = {path.name: threading.Event() for path in Path("default/sessions").glob("*/runs/*")}

    async def body() -> None:
        app = show(gated_workspace(Path("default"), gates))
        async with app.run_test(size=(120, 30)) as pilot:
            await pilot.pause()
            assert "0 of 23 runs read" in text_of(app)
            await pilot.press("down", "e", "enter", "question_mark")
            await pilot.pause()
            assert isinstance(app.screen, HelpScreen)
            await pilot.press("escape")
            for gate in gates.values():
                gate.set()
            await settle(pilot)
            assert "23 of 23 runs read" in text_of(app)

    run(body())


def test_the_cursor_keeps_to_its_run(inside: Path) -> None:
    """Runs that come in above a chosen run do not take the cursor away from it; one that nobody moved stays on top."""
    late = {name: threading.Event() for name in ("run-0b61", "run-41d9")}

    async def body() -> None:
        app = show(gated_workspace(Path("default"), late))
        async with app.run_test(size=(120, 30)) as pilot:
            screen = screen_of(app)
            await until(pilot, "45%")
            assert screen.rows.cursor == 0
            await pilot.press("down", "down", "down")
            await pilot.pause()
            chosen, place = screen.run_heading.title, screen.rows.cursor
            assert chosen in ("run-0b7d", "run-5e11", "run-7f40")

            for gate in late.values():
                gate.set()
            await settle(pilot)
            assert screen.run_heading.title == chosen
            assert screen.rows.cursor > place

    run(body())


def test_the_cursor_stays_on_top_until_it_is_moved(inside: Path) -> None:
    """Who does nothing ends on the most urgent run, though it was read last."""
    late = {"run-7f3e": threading.Event()}

    async def body() -> None:
        app = show(gated_workspace(Path("default"), late))
        async with app.run_test(size=(120, 30)) as pilot:
            await until(pilot, "run-7f3e 45%")
            late["run-7f3e"].set()
            await settle(pilot)
            assert screen_of(app).rows.cursor == 0
            assert screen_of(app).run_heading.title == "run-7f3e"

    run(body())


def test_leaving_stops_the_reading(inside: Path) -> None:
    """Who leaves while a ledger is read waits for nothing, and no thread is left behind."""
    gate = threading.Event()
    before = set(threading.enumerate())

    async def body() -> None:
        app = show(gated_workspace(Path("default"), {"run-7f3e": gate}))
        async with app.run_test(size=(120, 30)) as pilot:
            await until(pilot, "45%")
            await pilot.press("q")
        assert app.return_code == 0

    run(body())
    assert set(threading.enumerate()) <= before


def test_a_fault_on_one_run_hides_no_other(inside: Path) -> None:
    """If our own code fails on a run, that run says so, without control characters, and all others are there."""

    async def body() -> None:
        fault = ZeroDivisionError("\x1b]0;PWNED\x07 [b]x[/nope]")
        app = show(gated_workspace(Path("default"), {}, {"run-0b61": fault}))
        async with app.run_test(size=(200, 36)) as pilot:
            await settle(pilot)
            assert "23 of 23 runs read" in text_of(app)
            assert "ZeroDivisionError: ␛]0;PWNED␇ [b]x[/nope]" in text_of(app)

    run(body())


def test_a_live_run_is_looked_at_again(inside: Path) -> None:
    """A run that may be running is read anew as time passes; when its writes are old, it is in doubt."""
    now = NOW_MS

    async def body() -> None:
        nonlocal now
        app = show(open_workspace("default"), lambda: now)
        async with app.run_test(size=(120, 36)) as pilot:
            await settle(pilot)
            screen = screen_of(app)
            assert screen.counts.counts.verdicts["may_be_running"] == 1

            now = NOW_MS + 600_000
            screen._tick()
            await settle(pilot)
            assert screen.counts.counts.verdicts["may_be_running"] == 0
            assert screen.counts.counts.verdicts["may_have_run"] == 4
            assert "newest write 10 min ago" in text_of(app)

    run(body())


def test_looking_changes_no_file(inside: Path) -> None:
    """Every file has the same bytes, time and mode afterwards, and no file is new."""
    before = fingerprint(inside / "default")

    async def body() -> None:
        app = show(open_workspace("default"))
        async with app.run_test(size=(120, 36)) as pilot:
            await settle(pilot)
            await pilot.press("G", "e", "E", "enter", "q", "question_mark", "escape")
            await pilot.pause()

    run(body())
    assert fingerprint(inside / "default") == before
