"""Comfort: every size, the mouse, coming back to where one was, the palette, links, and that nothing typed waits."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from core import Ledger, RunOrder, TimeMode, Workspace, open_workspace
from core.inspection import search as search_module
from tests.support.aio import run
from tests.support.command import SOURCE
from tests.support.harbor import NOW_MS, harbor_workspace
from tests.support.run_samples import NOW, PLACE, SAMPLES, TITLE, header_of
from tests.support.run_screens import press, settle
from tests.support.runs import text
from tests.support.shots import screen_lines
from tests.support.stillness import rest
from tests.support.workspaces import fingerprint, make_run
from viewer.app import ViewerApp
from viewer.memory import FILE, Memory
from viewer.screens import run_find
from viewer.screens.copy import CopyScreen
from viewer.screens.pager import PagerScreen
from viewer.screens.run import RunScreen
from viewer.screens.workspace import WorkspaceScreen
from viewer.widgets.find_bar import FindLine
from viewer.widgets.rules import RuleHeading, TabHeading

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


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """Give the sample that may have run."""
    SAMPLES["may_have_run"](tmp_path / "default")
    return tmp_path / "default"


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the harbor workspace, which tests must not change."""
    root = tmp_path_factory.mktemp("harbor") / "default"
    harbor_workspace(root)
    return root


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


# Coming back


def test_a_run_opens_where_one_was(sample: Path, tmp_path: Path) -> None:
    """By the id of the event, the page too, also in a moved workspace; nothing is written into the workspace."""
    file = tmp_path / "state" / FILE
    before = fingerprint(sample)

    async def leave(app: ViewerApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "j", "j", "2", "t")

    play(run_app(open_workspace(sample), memory=Memory(file)), leave)
    assert fingerprint(sample) == before
    moved = sample.rename(tmp_path / "moved")

    async def back(app: ViewerApp, pilot: Pilot[Any]) -> None:
        screen = cast("RunScreen", app.screen)
        assert (screen.here, screen.tabs.open, app.times) == (2, "Event", TimeMode.LOCAL)
        assert [notice.message for notice in app._notifications] == [
            "Back at event 3, where you were; e goes to the doubt."
        ]

    play(run_app(open_workspace(moved), memory=Memory(file)), back)


def test_a_ledger_that_grew_opens_at_its_doubt(sample: Path, tmp_path: Path) -> None:
    """What was remembered of another ledger does not hold."""
    file = tmp_path / "state" / FILE

    async def leave(app: ViewerApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g")

    play(run_app(open_workspace(sample), memory=Memory(file)), leave)
    ledger = next(sample.rglob("runtime-events.jsonl"))
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join(lines[:12]))

    async def back(app: ViewerApp, pilot: Pilot[Any]) -> None:
        assert cast("RunScreen", app.screen).here == 10

    play(run_app(open_workspace(sample), memory=Memory(file)), back)


def test_a_list_opens_where_one_was(harbor: Path, tmp_path: Path) -> None:
    """Order and run come back; a list that nobody moved in opens at the most urgent run."""
    file = tmp_path / FILE

    async def look(app: ViewerApp, pilot: Pilot[Any]) -> None:
        assert cast("WorkspaceScreen", app.screen).here == 0

    async def leave(app: ViewerApp, pilot: Pilot[Any]) -> None:
        for key in ("s", "s", "e", "e"):
            await pilot.press(key)
            await calm(pilot)
        assert cast("WorkspaceScreen", app.screen).current is not None
        left.append(cast("WorkspaceScreen", app.screen).current.run_id)  # type: ignore[union-attr]  # it is not None

    async def back(app: ViewerApp, pilot: Pilot[Any]) -> None:
        screen = cast("WorkspaceScreen", app.screen)
        assert screen.order is RunOrder.SESSIONS
        assert screen.current is not None
        assert screen.current.run_id == left[0]

    left: list[str] = []
    play(list_app(open_workspace(harbor), memory=Memory(file)), look)
    assert not file.exists()
    play(list_app(open_workspace(harbor), memory=Memory(file)), leave)
    play(list_app(open_workspace(harbor), memory=Memory(file)), back)


# Nothing typed waits


def test_hits_come_while_the_search_goes_on(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first hit is gone to while the scan is still on its way, keys work meanwhile, and another pattern ends it."""
    gate, stopped = threading.Event(), threading.Event()

    def slow(ledger: Ledger, pattern: Any, stop: Callable[[], bool], start: int = 0) -> Iterator[int]:
        yield 2
        while not gate.wait(0.005):
            if stop():
                stopped.set()
                return
        yield from search_module.search(ledger, pattern, stop, start)

    monkeypatch.setattr(run_find, "search", slow)

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        screen = cast("RunScreen", app.screen)
        await pilot.press("slash", "c")
        while screen.here != 2:
            await pilot.pause(0.01)
        assert screen.found.hits == "1 of 1+"
        await pilot.press("enter", "G")
        await pilot.pause()
        assert screen.here != 2
        await pilot.press("escape")
        while not stopped.is_set():
            await pilot.pause(0.01)
        gate.set()
        assert screen.pattern is None

    play(run_app(open_workspace(sample)), body)


def test_rows_come_while_the_filter_goes_on(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept so far is shown and said to be so far; the cursor comes back when the filter goes."""
    gate = threading.Event()

    def slow(ledger: Ledger, chosen: Any, stop: Callable[[], bool]) -> Iterator[list[int]]:
        yield [2, 3]
        while not gate.wait(0.005):
            if stop():
                return
            yield []
        yield [10]

    monkeypatch.setattr(run_find, "matching_row_batches", slow)

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        screen = cast("RunScreen", app.screen)
        await pilot.press("f", *"kind:call")
        while screen.kept != [2, 3]:
            await pilot.pause(0.01)
        assert screen.found.kept == "2+ of 14 rows kept: kind is call"
        assert screen.here == 3
        gate.set()
        while screen.kept != [2, 3, 10]:
            await pilot.pause(0.01)
        await calm(pilot)
        assert screen.here == 10
        await pilot.press("enter", "escape")
        await calm(pilot)
        assert (screen.kept, screen.here) == (None, 10)

    play(run_app(open_workspace(sample)), body)


def test_the_search_begins_with_the_last_pattern(sample: Path) -> None:
    """It stands in the field, selected: enter searches it again, typing replaces it; esc comes back to the place."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        screen = cast("RunScreen", app.screen)
        await press(pilot, "slash", *"config", "enter", "escape", "G", "slash")
        assert screen.find_bar.field.value == "config"
        await press(pilot, *"port")
        assert (screen.find_bar.field.value, screen.here) == ("port", 0)
        await press(pilot, "escape")
        assert screen.here == 14
        assert app.last_pattern == "config"

    play(run_app(open_workspace(sample)), body)


def test_a_wanted_row_takes_the_filter_away(sample: Path) -> None:
    """A doubt is never hidden from who asks for it: the filter goes, and that is said."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        screen = cast("RunScreen", app.screen)
        await press(pilot, "f", *"kind:user", "enter", "e")
        assert (screen.kept, screen.here) == (None, 10)
        assert [notice.message for notice in app._notifications] == ["The filter hid row 11: it is cleared."]

    play(run_app(open_workspace(sample)), body)


# Palette, links, copies


def test_the_palette_knows_calls_and_events(sample: Path) -> None:
    """A call is found by a part of its arguments, an event by its number; either is gone to."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        screen = cast("RunScreen", app.screen)
        for typed, row in (("npm test", 7), ("#3", 2)):
            await pilot.press("ctrl+p")
            await pilot.pause(0.1)
            await pilot.press(*[{" ": "space", "#": "number_sign"}.get(letter, letter) for letter in typed])
            await pilot.pause(0.5)
            await pilot.press("enter")
            await pilot.pause(0.2)
            await calm(pilot)
            assert screen.here == row

    play(run_app(open_workspace(sample)), body)


def test_another_run_is_opened_from_the_page_of_the_run(tmp_path: Path) -> None:
    """A continuation is named, enter opens it over this run, and q comes back."""
    source = {"sourceInvocationId": "i", "sourceRunId": "run-1", "sourceTurnId": "t", "sourceRuntimeEventHighWater": 1}
    make_run(tmp_path, [text("e1")], head=header_of())
    make_run(tmp_path, [], head=header_of(runId="run-2", continuationSource=source))
    workspace = open_workspace(tmp_path)
    app = ViewerApp(
        lambda: RunScreen(workspace.run("run-1"), title=None, place=PLACE, workspace=workspace), now_ms=lambda: NOW
    )

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        screen = cast("RunScreen", app.screen)
        await press(pilot, "4", "tab", "tab")
        await calm(pilot)
        place = next(i for i in range(len(screen.detail.source)) if screen.detail.opens(i) is not None)
        screen.detail.go_to(place)
        await pilot.press("enter")
        await calm(pilot)
        assert cast("RunScreen", app.screen).subject.run_id == "run-2"
        await pilot.press("q")
        await calm(pilot)
        assert app.screen is screen

    play(app, body)


@pytest.mark.parametrize("choice", range(5), ids=["why", "link", "id", "row", "arguments"])
def test_what_is_copied(sample: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, choice: int) -> None:
    """Each is offered to the clipboard and written to a private file as the ledger has it; the toast says both."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    row = next(sample.rglob("runtime-events.jsonl")).read_bytes().splitlines()[10]
    wanted = ["REPLAY BLOCKED", f"{sample}#run-1#e11", "e11", row.decode(), '{"command":"npm run deploy -- --prod"}']

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        await pilot.press("y")
        await pilot.pause()
        assert isinstance(app.screen, CopyScreen)
        await pilot.press(*["down"] * choice, "enter")
        await calm(pilot)
        files = list((tmp_path / "state" / "maka-ledger" / "copies").iterdir())
        assert len(files) == 1
        assert files[0].read_text() == app.clipboard
        assert wanted[choice] in app.clipboard
        assert choice in (0,) or app.clipboard == wanted[choice]
        said = [notice.message for notice in app._notifications]
        assert len(said) == 1
        assert "offered to the terminal's clipboard (OSC 52), and written to " in said[0]

    play(run_app(open_workspace(sample)), body)


# A real terminal


@pytest.mark.skipif(sys.platform == "win32", reason="there is no shell to go to")
def test_ctrl_z_suspends(sample: Path) -> None:
    """The program stops, the terminal is as it was before, and SIGCONT brings the screen back."""
    from tests.support.pty import Terminal

    command = [sys.executable, "-m", "viewer", str(sample), "--no-mouse"]
    with Terminal(command, size=(120, 36), cwd=str(SOURCE)) as terminal:
        terminal.read_until(b"NO RESPONSE")
        terminal.send(b"\x1a")
        _, status = os.waitpid(terminal.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        terminal.read_until(b"\x1b[?1049l")
        left = len(terminal.output)
        os.kill(terminal.process.pid, signal.SIGCONT)
        terminal.read_until(b"NO RESPONSE", after=left)
        terminal.send(b"q")
        assert terminal.wait().code == 0
