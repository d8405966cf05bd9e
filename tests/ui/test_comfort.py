"""Comfort: coming back to where one was, the palette, links, copies, and that nothing typed waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from core import Ledger, RunOrder, TimeMode, open_workspace
from core.inspection import search as search_module
from tests.support.plays import calm, list_app, play, run_app
from tests.support.run_samples import NOW, PLACE, header_of
from tests.support.run_screens import press
from tests.support.runs import text
from tests.support.workspaces import fingerprint, make_run
from viewer.app import ViewerApp
from viewer.memory import FILE, Memory
from viewer.screens import run_find
from viewer.screens.copy import CopyScreen
from viewer.screens.run import RunScreen
from viewer.screens.workspace import WorkspaceScreen

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
