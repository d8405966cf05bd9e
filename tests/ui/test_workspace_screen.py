"""The screen of all runs: what it shows, which keys it knows, and that it never waits."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core import open_workspace
from tests.support.aio import run
from tests.support.harbor import harbor_workspace
from tests.support.live_runs import look
from tests.support.run_lists import SIZES, Opened, screen_of, settle, show, text_of, until
from tests.support.runs import call, header, response, text
from tests.support.shots import screen_lines
from tests.support.slow import gated_workspace
from tests.support.workspaces import make_run
from viewer.screens.remarks import RemarksScreen
from viewer.themes import LIGHT, TERMINAL


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


# What it shows


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_verdict(inside: Path, snap_compare: Any, size: tuple[int, int]) -> None:
    """Runs of every verdict stand most urgent first, and the most urgent one is told of below."""
    assert snap_compare(show(open_workspace("default")), terminal_size=size, run_before=settle)


def test_every_verdict_in_light_colours(inside: Path, snap_compare: Any) -> None:
    """The light theme says the same."""
    app = show(open_workspace("default"), theme=LIGHT)

    assert snap_compare(app, terminal_size=(120, 30), run_before=settle)


@pytest.mark.parametrize("theme", [None, TERMINAL])
def test_every_verdict_in_ascii(inside: Path, snap_compare: Any, theme: str | None) -> None:
    """ASCII and the terminal's own colours tell the verdicts apart too."""
    app = show(open_workspace("default"), ascii_only=True, theme=theme)

    assert snap_compare(app, terminal_size=(80, 24), run_before=settle)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_no_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: Any, size: tuple[int, int]) -> None:
    """An empty workspace is a sentence, not an error."""
    (tmp_path / "empty" / "sessions").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)

    assert snap_compare(show(open_workspace("empty")), terminal_size=size, run_before=settle)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_still_loading(inside: Path, snap_compare: Any, size: tuple[int, int]) -> None:
    """While a large ledger is read, the runs before it can be seen, and how far the reading is."""
    gate = threading.Event()
    app = show(gated_workspace(Path("default"), {"run-41d9": gate}))

    async def until_stuck(pilot: Pilot[Any]) -> None:
        await until(pilot, "run-41d9 45%")

    assert snap_compare(app, terminal_size=size, run_before=until_stuck)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_stale(
    harbor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: Any, size: tuple[int, int]
) -> None:
    """Files that Maka no longer reads say so first of all, and no run of theirs looks sound."""
    shutil.copytree(harbor / "default", tmp_path / "default")
    (tmp_path / "default" / "runtime.sqlite").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))

    app = show(open_workspace("default/sessions/sess-port"))

    assert snap_compare(app, terminal_size=size, run_before=settle)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_columns_give_way(inside: Path, width: int) -> None:
    """At any width each verdict is whole, the call can be recognised, and no line is too long."""

    async def body() -> None:
        app = show(open_workspace("default"))
        async with app.run_test(size=(width, 40)) as pilot:
            await settle(pilot)
            lines = screen_lines(app)
            for word in ("MAY HAVE RUN", "UNREADABLE", "CONTRADICTORY", "PARKED", "NOT DISPATCHED", "MAY BE RUNNING"):
                assert any(word in line for line in lines)
            assert any("Bash  npm run dep" in line for line in lines)
            assert ("session" in text_of(app).split("what is in doubt")[1]) == (width >= 100)
            assert all(len(line) <= width for line in lines)

    run(body())


# Keys


def test_enter_opens_the_run_and_q_comes_back(inside: Path) -> None:
    """Enter opens the run under the cursor with its session's title; q comes back to the same place, then leaves."""

    async def body() -> None:
        app = show(open_workspace("default"))
        async with app.run_test(size=(120, 30)) as pilot:
            await settle(pilot)
            await pilot.press("down", "enter")
            assert isinstance(app.screen, Opened)
            assert (app.screen.run_id, app.screen.words) == ("run-22c0", "Clean the history")

            await pilot.press("q")
            assert app.screen is screen_of(app)
            assert screen_of(app).rows.cursor == 1

            await pilot.press("q")
        assert app.return_code == 0

    run(body())


def test_e_walks_the_doubts(inside: Path) -> None:
    """`e` goes to the next run that is not replayable, `E` back, both round and round; the rest follows the cursor."""

    async def body() -> None:
        app = show(open_workspace("default"))
        async with app.run_test(size=(120, 30)) as pilot:
            await settle(pilot)
            screen = screen_of(app)
            seen = []
            for _ in range(9):
                await pilot.press("e")
                seen.append(screen.run_heading.title)
            await pilot.press("E")
            await pilot.pause()

            blocked = ["run-22c0", "run-41d9", "run-91aa", "run-0b61", "run-0b7d", "run-5e11", "run-7f40", "run-7f3e"]
            assert seen == [*blocked, "run-22c0"]
            assert screen.run_heading.title == "run-7f3e"
            assert screen.run_heading.right == "called 2026-11-29 12:00:21.704 UTC, 2 h ago"

    run(body())


def test_moving_shows_the_run_below_and_the_place_above(inside: Path) -> None:
    """The lines below tell of the run under the cursor; the heading counts the rows in sight."""

    async def body() -> None:
        app = show(open_workspace("default"))
        async with app.run_test(size=(120, 20)) as pilot:
            await settle(pilot)
            screen = screen_of(app)
            assert screen.heading.right == "times in UTC   1–11 of 23"

            await pilot.press("G")
            await pilot.pause()
            assert screen.heading.right == "times in UTC   13–23 of 23"
            assert "HISTORY MAY BE REPLAYED" in text_of(app)
            assert "Runs no tool, undoes nothing, checks no target." in text_of(app)

            await pilot.press("g", "j", "j")
            await pilot.pause()
            assert "Continued by run-41e0." in text_of(app)

    run(body())


@pytest.mark.parametrize("size", [*SIZES, (80, 22)], ids=str)
def test_what_to_do_is_never_cut(inside: Path, size: tuple[int, int]) -> None:
    """Below the list what must not be done stands whole, whatever gives way for it."""
    del inside

    async def body() -> None:
        app = show(open_workspace("default"))
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            screen = screen_of(app)
            for _ in range(len(screen.runs)):
                said = " ".join(text_of(app).split())
                assert screen.current is not None
                assert screen.current.act in said, screen.current.run_id
                await pilot.press("down")
                await settle(pilot)

    run(body())


def test_help_palette_and_footer_offer_what_works(inside: Path) -> None:
    """The footer shows bound keys only; there is one pane, so none is offered; help knows the keys of this screen."""

    async def body() -> None:
        app = show(open_workspace("default"))
        async with app.run_test(size=(120, 30)) as pilot:
            await settle(pilot)
            footer = screen_lines(app)[-1]
            assert footer.startswith(" enter open  e next doubt  / search")
            assert footer.endswith("? help  q quit")
            assert "pane" not in footer

            await pilot.press("question_mark")
            await pilot.pause()
            assert "Open the run under the cursor" in text_of(app)
            assert "Move the focus to the next pane" not in text_of(app)

            await pilot.press("escape", "ctrl+p", *"next doubt")
            await until(pilot, "Next doubt  e")

    run(body())


def test_remarks_on_the_workspace(inside: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Foreign entries, links and folders that nobody can list are said above the list, and all of them by `i`."""
    shutil.copytree("default", tmp_path / "default")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "default" / "sessions" / "notes.txt").touch()
    (tmp_path / "default" / "sessions" / "elsewhere").symlink_to("/tmp")

    async def body() -> None:
        app = show(open_workspace("default"))
        async with app.run_test(size=(120, 30)) as pilot:
            await settle(pilot)
            line = screen_lines(app)[2]
            assert "neither session nor run" in line
            assert "a link was not followed" in line
            assert "i remarks" in screen_lines(app)[-1]

            await pilot.press("i")
            await pilot.pause()
            assert isinstance(app.screen, RemarksScreen)
            assert "default/sessions/elsewhere" in text_of(app)
            assert "default/sessions/notes.txt" in text_of(app)

            await pilot.press("escape")
            assert app.screen is screen_of(app)

    run(body())


def test_without_remarks_there_is_no_key_for_them(inside: Path) -> None:
    """What has nothing to show has no key."""

    async def body() -> None:
        app = show(open_workspace("default"))
        async with app.run_test(size=(120, 30)) as pilot:
            await settle(pilot)
            await pilot.press("i")
            assert app.screen is screen_of(app)
            assert "remarks" not in screen_lines(app)[-1]

    run(body())


def test_runs_come_change_and_go_while_the_workspace_is_followed(tmp_path: Path) -> None:
    """A new run appears, one that is settled says so, one that is removed goes, and the cursor stays on its run."""
    folder = make_run(tmp_path / "default", [text("e1"), call("e2")], written_ms=1e12)

    async def body() -> None:
        app = show(open_workspace(tmp_path / "default"))
        async with app.run_test(size=(120, 30)) as pilot:
            await settle(pilot)
            await pilot.press("F")
            await look(pilot)
            screen = screen_of(app)
            assert screen.following
            assert "MAY HAVE RUN" in text_of(app)

            other = make_run(
                tmp_path / "default", [text("f1", runId="run-2")], head=header(runId="run-2"), written_ms=1e12
            )
            await look(pilot)
            assert {summary.run_id for summary in screen.runs} == {"run-1", "run-2"}
            assert "✓ replayable" in text_of(app)
            assert screen.runs[screen.rows.cursor].run_id == "run-1"

            with (folder / "runtime-events.jsonl").open("ab") as ledger:
                ledger.write(json.dumps(response("e3")).encode() + b"\n")
            await look(pilot)
            assert [summary.unresolved for summary in screen.runs] == [0, 0]

            shutil.rmtree(other)
            await look(pilot)
            assert [summary.run_id for summary in screen.runs] == ["run-1"]

            shutil.rmtree(folder)
            await look(pilot)
            assert screen.has_class("-no-runs")
            assert "No runs: nothing to resume." in text_of(app)

    run(body())
