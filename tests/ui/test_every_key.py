"""Every key of the table is pressed where it belongs, and the state that it leads to is looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from core import RunOrder, TimeMode, open_workspace
from tests.support.aio import run
from tests.support.apps import Numbered, WidgetScreen, viewer_app
from tests.support.harbor import NOW_MS, harbor_workspace
from tests.support.key_walks import ELSEWHERE, FOLLOW_KEYS, PRESSED, Check, following, on_run, walk
from tests.support.run_samples import PLACE
from tests.support.run_screens import press
from tests.support.shots import screen_lines
from tests.support.stillness import rest
from viewer.app import ViewerApp
from viewer.command import Context
from viewer.commands import COMMANDS
from viewer.screens.ask import ExpectScreen, GoToScreen
from viewer.screens.changes import ChangesScreen
from viewer.screens.copy import CopyScreen
from viewer.screens.help import HelpScreen
from viewer.screens.pager import PagerScreen
from viewer.screens.remarks import RemarksScreen
from viewer.screens.run import RunScreen
from viewer.screens.save import SaveScreen
from viewer.screens.workspace import WorkspaceScreen
from viewer.themes import LIGHT
from viewer.widgets.virtual_list import VirtualList


def test_keys_of_a_list() -> None:
    """Each movement brings the cursor where it says, and enter opens the row."""
    rows = VirtualList(Numbered(200, "x" * 300), row_width=300)
    app = viewer_app(rows)

    async def body() -> None:
        async with app.run_test(size=(60, 22)) as pilot:
            await pilot.pause()
            screen = cast("WidgetScreen", app.screen)
            page = rows.size.height - 1

            def at(index: int) -> Check:
                return lambda: rows.cursor == index

            await walk(
                pilot,
                [Context.LIST],
                [
                    ("down", at(1)),
                    ("j", at(2)),
                    ("up", at(1)),
                    ("k", at(0)),
                    ("pagedown", at(page)),
                    ("space", at(2 * page)),
                    ("pageup", at(page)),
                    ("b", at(0)),
                    ("ctrl+d", at(rows.size.height // 2)),
                    ("ctrl+u", at(0)),
                    ("end", at(199)),
                    ("home", at(0)),
                    ("G", at(199)),
                    ("g", at(0)),
                    ("right", lambda: rows.scroll_offset.x == 8),
                    ("l", lambda: rows.scroll_offset.x == 16),
                    ("left", lambda: rows.scroll_offset.x == 8),
                    ("h", lambda: rows.scroll_offset.x == 0),
                    ("enter", lambda: ("selected", 0) in screen.heard),
                ],
            )

    run(body())


def test_keys_that_walk_through_a_run(tmp_path: Path) -> None:
    """Doubts, halves of a call, pages, panes, zoom, wrap and times."""

    async def body(screen: RunScreen, pilot: Pilot[Any]) -> None:
        def row(number: int) -> Check:
            return lambda: screen.here == number - 1

        def page(name: str) -> Check:
            return lambda: screen.tabs.open == name

        def times(mode: TimeMode) -> Check:
            return lambda: screen.app.times is mode

        await walk(
            pilot,
            [Context.RUN],
            [
                ("e", row(11)),
                ("E", row(11)),
                ("o", row(11)),
                ("k", row(10)),
                ("k", row(9)),
                ("O", row(8)),
                ("o", row(9)),
                ("2", page("Event")),
                ("3", page("Replay")),
                ("4", page("Run")),
                ("5", page("Raw")),
                ("1", page("Why")),
                ("w", lambda: not screen.detail.wrap),
                ("w", lambda: screen.detail.wrap),
                ("z", lambda: screen.has_class("-zoomed") and not screen.operations.region.width),
                ("escape", lambda: not screen.has_class("-zoomed")),
                ("t", times(TimeMode.LOCAL)),
                ("t", times(TimeMode.START)),
                ("t", times(TimeMode.AGO)),
                ("t", times(TimeMode.UTC)),
            ],
        )
        await walk(
            pilot,
            [Context.SCREEN],
            [
                ("tab", lambda: screen.operations.has_focus),
                ("shift+tab", lambda: screen.timeline.has_focus),
            ],
        )

    on_run(tmp_path, "may_have_run", body)


def test_keys_that_ask_about_a_run(tmp_path: Path) -> None:
    """What-if in both directions and by flips, the expected length, a place to go to, and what can be taken out."""

    async def body(screen: RunScreen, pilot: Pilot[Any]) -> None:
        def asked(end: int | None) -> Check:
            return lambda: screen.asked == end

        def over(kind: type[Any]) -> Check:
            return lambda: isinstance(screen.app.screen, kind)

        await walk(
            pilot,
            [Context.RUN],
            [
                ("left_square_bracket", asked(12)),
                ("right_square_bracket", asked(None)),
                ("left_curly_bracket", asked(10)),
                ("right_curly_bracket", asked(11)),
                ("0", asked(None)),
                ("x", over(ExpectScreen)),
            ],
        )
        await walk(pilot, [Context.FIELD], [("escape", over(RunScreen))])
        await walk(pilot, [Context.RUN], [("S", over(GoToScreen))])
        await pilot.press("3")
        await walk(pilot, [Context.FIELD], [("enter", lambda: over(RunScreen)() and screen.here == 2)])
        await walk(pilot, [Context.RUN], [("ctrl+g", over(GoToScreen))])
        await pilot.press("escape")
        await pilot.pause()
        await walk(pilot, [Context.RUN], [("y", over(CopyScreen))])
        await walk(pilot, [Context.DIALOG], [("escape", over(RunScreen))])
        await pilot.press("y")
        await pilot.pause()
        await walk(pilot, [Context.DIALOG], [("q", over(RunScreen))])
        await walk(pilot, [Context.RUN], [("ctrl+s", over(SaveScreen))])
        await pilot.press("escape")
        await pilot.pause()
        await walk(
            pilot,
            [Context.RUN],
            [
                ("c", lambda: screen.mark == 13),
                ("left_square_bracket", asked(12)),
                ("c", over(ChangesScreen)),
            ],
        )
        await pilot.press("escape")
        await pilot.pause()
        await walk(pilot, [Context.RUN], [("escape", lambda: screen.mark is None)])

    on_run(tmp_path, "may_have_run", body)


def test_keys_that_follow_a_run(tmp_path: Path) -> None:
    """One begins and ends it, the other holds it and lets it go on."""

    async def body(screen: RunScreen, pilot: Pilot[Any]) -> None:
        await walk(pilot, [Context.RUN], [(key, following(screen, word)) for key, word in FOLLOW_KEYS])

    on_run(tmp_path, "may_have_run", body)


def test_keys_that_find_in_a_run(tmp_path: Path) -> None:
    """Search with its hits, filter, and the one key that ends both."""

    async def body(screen: RunScreen, pilot: Pilot[Any]) -> None:
        def row(number: int) -> Check:
            return lambda: screen.here == number - 1

        await walk(pilot, [Context.RUN], [("slash", lambda: screen.find_bar.editing)])
        await press(pilot, *"npm", "enter")
        assert screen.here == 10
        await walk(pilot, [Context.RUN], [("n", row(8)), ("f3", row(11)), ("N", row(8))])
        await walk(pilot, [Context.RUN], [("f", lambda: screen.find_bar.editing)])
        await press(pilot, *"kind:call", "enter")
        assert screen.kept == [2, 3, 4, 5, 7, 8, 10]
        await walk(
            pilot,
            [Context.RUN],
            [("escape", lambda: screen.pattern is None and screen.chosen_filter is None and screen.kept is None)],
        )

    on_run(tmp_path, "may_have_run", body)


def test_keys_of_the_pager(tmp_path: Path) -> None:
    """A long value is searched, wrapped, copied and left."""

    async def body(screen: RunScreen, pilot: Pilot[Any]) -> None:
        screen.open_raw()
        await pilot.pause()
        await rest(pilot)
        await pilot.pause()
        pager = cast("PagerScreen", screen.app.screen)
        assert isinstance(pager, PagerScreen)
        wrapped = len(pager.view.source)
        await walk(
            pilot,
            [Context.PAGER],
            [
                ("w", lambda: len(pager.view.source) == 1 < wrapped),
                ("w", lambda: len(pager.view.source) == wrapped),
                ("slash", lambda: pager.find_bar.editing),
            ],
        )
        await pilot.press(*"inv", "enter")
        await rest(pilot)
        await pilot.pause()
        text = pager.view.pages.text
        first = text.index("inv")
        await walk(
            pilot,
            [Context.PAGER],
            [
                ("n", lambda: pager.here == text.index("inv", first + 1)),
                ("N", lambda: pager.here == first),
                ("f3", lambda: pager.here == text.index("inv", first + 1)),
                ("escape", lambda: pager.pattern is None),
                ("y", lambda: pager.app.clipboard == text),
                ("q", lambda: pager.app.screen is screen),
            ],
        )

    on_run(tmp_path, "may_have_run", body)


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the harbor workspace, which tests must not change."""
    root = tmp_path_factory.mktemp("harbor") / "default"
    harbor_workspace(root)
    (root / "sessions" / "stray").write_text("no session")
    return root


def test_keys_of_a_workspace(harbor: Path) -> None:
    """Doubts, order, times, filter, search, remarks, copies; enter opens the run and q comes back."""
    workspace = open_workspace(harbor)
    app = ViewerApp(
        lambda: WorkspaceScreen(
            workspace, lambda one, title: RunScreen(one, title=title, place=PLACE, workspace=workspace)
        ),
        now_ms=lambda: NOW_MS,
    )

    async def body() -> None:
        async with app.run_test(size=(120, 36)) as pilot:
            await rest(pilot)
            await pilot.pause()
            screen = cast("WorkspaceScreen", app.screen)

            def run_id(name: str) -> Check:
                return lambda: screen.current is not None and screen.current.run_id == name

            def order(wanted: RunOrder) -> Check:
                return lambda: screen.order is wanted and wanted.words in screen.heading.note

            def times(mode: TimeMode) -> Check:
                return lambda: screen.times.mode is mode

            def over(kind: type[Any]) -> Check:
                return lambda: isinstance(app.screen, kind)

            await walk(
                pilot,
                [Context.WORKSPACE],
                [
                    ("e", run_id("run-22c0")),
                    ("E", run_id("run-7f3e")),
                    ("s", order(RunOrder.NEWEST)),
                    ("s", order(RunOrder.SESSIONS)),
                    ("s", order(RunOrder.URGENT)),
                    ("t", times(TimeMode.LOCAL)),
                    ("t", times(TimeMode.AGO)),
                    ("t", times(TimeMode.UTC)),
                    ("i", over(RemarksScreen)),
                ],
            )
            await pilot.press("escape")
            await pilot.pause()
            await walk(pilot, [Context.WORKSPACE], [("y", over(CopyScreen))])
            await pilot.press("escape")
            await pilot.pause()
            await walk(pilot, [Context.WORKSPACE], [("ctrl+s", over(SaveScreen))])
            await pilot.press("escape")
            await pilot.pause()
            await walk(pilot, [Context.WORKSPACE], [(key, following(screen, word)) for key, word in FOLLOW_KEYS])
            await walk(pilot, [Context.WORKSPACE], [("slash", lambda: screen.find_bar.editing)])
            await pilot.press(*"config.json", "enter")
            await rest(pilot)
            await pilot.pause()
            assert run_id("run-41d9")()
            for key in ("n", "N", "f3"):
                await walk(pilot, [Context.WORKSPACE], [(key, lambda: screen.here in screen.visible_hits)])
            await walk(pilot, [Context.WORKSPACE], [("f", lambda: screen.find_bar.editing)])
            await pilot.press(*"verdict:parked", "enter")
            await rest(pilot)
            await pilot.pause()
            assert len(screen.lines) == 1
            assert run_id("run-0b7d")()
            await walk(
                pilot,
                [Context.WORKSPACE],
                [("escape", lambda: len(screen.lines) == len(screen.all_runs) and screen.pattern is None)],
            )
            await walk(pilot, [Context.RUNS], [("enter", over(RunScreen))])
            await walk(pilot, [Context.SCREEN], [("q", over(WorkspaceScreen))])

    run(body())


def test_keys_of_the_application() -> None:
    """Palette, help and its search, and the ways out."""
    app = viewer_app(VirtualList(Numbered(5)))

    async def body() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()

            def over(name: str) -> Check:
                return lambda: type(app.screen).__name__ == name

            await walk(pilot, [Context.APP], [("ctrl+p", over("Palette"))])
            await pilot.press("escape")
            await pilot.pause()
            await walk(pilot, [Context.APP], [("question_mark", over("HelpScreen"))])
            help_screen = cast("HelpScreen", app.screen)
            await walk(pilot, [Context.HELP], [("slash", lambda: help_screen.field.has_focus)])
            await pilot.press(*"torn_tail", "enter")
            await pilot.pause()
            assert "torn_tail" in "\n".join(screen_lines(app))
            assert "Go to the next row" not in "\n".join(screen_lines(app))
            await walk(pilot, [Context.HELP], [("question_mark", over("WidgetScreen"))])
            await walk(pilot, [Context.APP], [("f1", over("HelpScreen"))])
            await walk(pilot, [Context.HELP], [("f1", over("WidgetScreen"))])
            assert app.theme != LIGHT

    run(body())


@pytest.mark.parametrize("key", ["ctrl+q", "ctrl+c"])
def test_keys_that_leave(key: str) -> None:
    """Each leaves at once."""
    PRESSED.setdefault(Context.APP, set()).add(key)
    app = viewer_app(VirtualList(Numbered(5)))

    async def body() -> None:
        async with app.run_test(size=(60, 12)) as pilot:
            await pilot.press(key)
            await pilot.pause()

    run(body())
    assert app.return_code == 0


def test_no_key_was_left_out() -> None:
    """Whatever is in the table was pressed above, for each of its contexts."""
    if len(PRESSED) < len({context for command in COMMANDS for context in command.contexts}):
        pytest.skip("only some of the tests above were run")
    left_out = [
        f"{command.id}: {key} in {context}"
        for command in COMMANDS
        for context in command.contexts
        for key in command.keys
        if key not in PRESSED[context] and key not in ELSEWHERE
    ]

    assert left_out == []
