"""The list: its cursor, its cost, its place."""

from __future__ import annotations

import gc
import weakref

import pytest
from textual.pilot import Pilot

from tests.support.aio import run
from tests.support.apps import Named, Numbered, WidgetScreen, viewer_app
from tests.support.lists import PAGE, SIZE, pressed
from tests.support.shots import screen_lines
from viewer.widgets.virtual_list import VirtualList


@pytest.mark.parametrize(
    ("keys", "cursor"),
    [
        (["down"], 1),
        (["j", "j", "k"], 1),
        (["up"], 0),
        (["pagedown"], PAGE - 1),
        (["space", "b"], 0),
        (["ctrl+d", "ctrl+d", "ctrl+u"], PAGE // 2),
        (["end"], 999_999),
        (["G", "j"], 999_999),
        (["G", "pageup"], 999_999 - PAGE + 1),
        (["G", "g"], 0),
        (["end", "home"], 0),
    ],
)
def test_keys_move_the_cursor(keys: list[str], cursor: int) -> None:
    """Every movement key does what it says, stops at the ends, and leaves the cursor in sight."""

    async def body() -> None:
        rows = VirtualList(Numbered(1_000_000))
        async with viewer_app(rows).run_test(size=SIZE) as pilot:
            await pressed(pilot, *keys)

            assert rows.cursor == cursor
            assert cursor in rows.seen
            assert f"▌row {cursor}" in screen_lines(pilot.app)[cursor - rows.scroll_offset.y]

    run(body())


def test_a_page_moves_the_view_with_the_cursor() -> None:
    """Paging keeps the cursor on its line of the screen, so that the eye need not search it."""

    async def body() -> None:
        rows = VirtualList(Numbered(1000))
        async with viewer_app(rows).run_test(size=SIZE) as pilot:
            await pressed(pilot, "j", "j", "j", "pagedown")

            assert rows.cursor - rows.scroll_offset.y == 3

    run(body())


def test_cost_does_not_grow_with_the_rows() -> None:
    """A million rows draw what is seen once; a step inside the page draws nothing anew, a jump one page."""

    async def body() -> None:
        source = Numbered(1_000_000)
        rows = VirtualList(source)
        async with viewer_app(rows).run_test(size=SIZE) as pilot:
            await pilot.pause()
            assert set(source.drawn) == set(range(PAGE))

            source.drawn.clear()
            await pressed(pilot, "j", "j")
            assert source.drawn == []

            await pressed(pilot, "G")
            assert sorted(source.drawn) == list(range(1_000_000 - PAGE, 1_000_000))

    run(body())


def test_a_step_repaints_two_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moving the cursor inside the page asks for the old line and the new one, and for no other."""

    async def body() -> None:
        rows = VirtualList(Numbered(1000))
        async with viewer_app(rows).run_test(size=SIZE) as pilot:
            await pilot.pause()
            lines: list[int] = []
            original = VirtualList.render_line

            def counted(self: VirtualList, y: int) -> object:
                lines.append(y)
                return original(self, y)

            monkeypatch.setattr(VirtualList, "render_line", counted)
            await pressed(pilot, "j")

            assert sorted(set(lines)) == [0, 1]

    run(body())


def test_messages() -> None:
    """The list says where the cursor is and which row was opened, by key and by double click."""

    async def body() -> None:
        rows = VirtualList(Numbered(100))
        app = viewer_app(rows)
        async with app.run_test(size=SIZE) as pilot:
            await pressed(pilot, "j", "enter")
            screen = app.screen
            assert isinstance(screen, WidgetScreen)
            assert screen.heard == [("highlighted", 0), ("highlighted", 1), ("selected", 1)]

            await pilot.click(rows, offset=(5, 7))
            await pilot.pause()
            assert screen.heard[-1] == ("highlighted", 7)

            await pilot.click(rows, offset=(5, 9), times=2)
            await pilot.pause()
            assert screen.heard[-1] == ("selected", 9)

    run(body())


def test_wheel_and_click_below_the_last_row() -> None:
    """The wheel moves the view and not the cursor; a click where no row is does nothing."""

    async def body() -> None:
        rows = VirtualList(Numbered(1000))
        few = VirtualList(Numbered(2))
        async with viewer_app(rows, few).run_test(size=SIZE) as pilot:
            await pilot.pause()
            rows.scroll_down(animate=False)
            await pilot.pause()
            assert (rows.scroll_offset.y, rows.cursor) == (1, 0)

            await pilot.click(few, offset=(3, 6))
            assert few.cursor == 0

    run(body())


def test_no_rows() -> None:
    """An empty list has no cursor, opens nothing, and breaks under no key."""

    async def body() -> None:
        rows = VirtualList(Numbered(0))
        app = viewer_app(rows)
        async with app.run_test(size=SIZE) as pilot:
            await pressed(pilot, "j", "k", "G", "g", "pagedown", "pageup", "enter", "l", "h")

            assert rows.cursor == -1
            assert isinstance(app.screen, WidgetScreen)
            assert app.screen.heard == []

    run(body())


def test_growth() -> None:
    """Rows that come at the end show at once; cursor and scroll stay, and only lines that may be others are drawn."""

    async def body() -> None:
        rows = VirtualList(Numbered(0))
        async with viewer_app(rows).run_test(size=SIZE) as pilot:
            await pilot.pause()
            rows.grew(Numbered(5))
            await pilot.pause()
            assert rows.cursor == 0
            assert "row 4" in screen_lines(pilot.app)[4]

            await pressed(pilot, "G")
            rows.grew(Numbered(500))
            await pilot.pause()
            assert rows.cursor == 4
            assert "row 5" in screen_lines(pilot.app)[5]

            await pressed(pilot, "G")
            top = rows.scroll_offset.y
            rows.grew(Numbered(900, "other"), rest=2)
            await pilot.pause()
            assert (rows.cursor, rows.scroll_offset.y) == (499, top)
            shown = [line for line in screen_lines(pilot.app) if "row" in line]
            assert [("other" in line) for line in shown[-3:]] == [False, True, True]

    run(body())


def test_the_place_is_kept_by_name() -> None:
    """Rows put in above, or taken away, move neither the row under the cursor nor its line on the screen."""

    async def body() -> None:
        source = Named(f"name {number}" for number in range(100))
        rows = VirtualList(source)
        async with viewer_app(rows).run_test(size=SIZE) as pilot:
            await pressed(pilot, "pagedown", "pagedown", "k", "k")
            line = rows.cursor - rows.scroll_offset.y
            name = source.names[rows.cursor]

            source.names = [f"new {number}" for number in range(30)] + source.names
            rows.rows_changed()
            await pilot.pause()
            assert source.names[rows.cursor] == name
            assert rows.cursor - rows.scroll_offset.y == line

            rows.source = Named(["other", name])
            await pilot.pause()
            assert rows.cursor == 1

            rows.source = Named(["other"])
            await pilot.pause()
            assert rows.cursor == 0

    run(body())


def test_headings_are_passed_over() -> None:
    """The cursor never rests on a heading, and going to the first row brings its heading into sight."""

    async def body() -> None:
        source = Named(["ONE", "a", "b", "TWO", "c", *(f"x{number}" for number in range(40)), "END"])
        rows = VirtualList(source)
        async with viewer_app(rows).run_test(size=SIZE) as pilot:
            await pilot.pause()
            assert rows.cursor == 1

            await pressed(pilot, "j", "j")
            assert rows.cursor == 4
            await pressed(pilot, "k")
            assert rows.cursor == 2
            await pressed(pilot, "G")
            assert rows.cursor == 44
            await pressed(pilot, "g")
            assert (rows.cursor, rows.scroll_offset.y) == (1, 0)

    run(body())


def test_jump_brings_the_row_to_the_middle() -> None:
    """A row far away is shown with what stands around it; a row in sight does not move the view."""

    async def body() -> None:
        rows = VirtualList(Numbered(1000))
        async with viewer_app(rows).run_test(size=SIZE) as pilot:
            await pilot.pause()
            rows.go_to(500)
            await pilot.pause()
            assert rows.cursor - rows.scroll_offset.y == PAGE // 2

            top = rows.scroll_offset.y
            rows.go_to(503)
            await pilot.pause()
            assert rows.scroll_offset.y == top

    run(body())


def test_jump_before_the_first_layout() -> None:
    """A cursor set before anything is drawn is in sight in the first picture."""

    async def body() -> None:
        rows = VirtualList(Numbered(1000))
        rows.cursor = 700
        async with viewer_app(rows).run_test(size=SIZE) as pilot:
            await pilot.pause()

            assert rows.cursor == 700
            assert 700 in rows.seen

    run(body())


def test_resize_storm() -> None:
    """Through every size, down to nothing and back, the cursor stays in sight and no line is wrong."""

    async def body() -> None:
        rows = VirtualList(Numbered(1000))
        async with viewer_app(rows).run_test(size=(200, 60)) as pilot:
            await pressed(pilot, "G", "pageup")
            cursor = rows.cursor
            for size in [(20, 6), (1, 1), (3, 2), (200, 60), (20, 6), (80, 24), (200, 60)]:
                await pilot.resize_terminal(*size)
                await pilot.pause()
                assert rows.cursor == cursor
                assert not rows.size.height or cursor in rows.seen

            lines = screen_lines(pilot.app)
            shown = [lines[number - rows.scroll_offset.y].strip(" ▌").split("  ")[0] for number in rows.seen]
            assert [line.rstrip("▁ ") for line in shown] == [f"row {number}" for number in rows.seen]

    run(body())


def test_a_list_that_went_is_forgotten() -> None:
    """The rows of a list that was closed do not stay: they may hold a ledger of a million events."""

    async def body() -> None:
        app = viewer_app(VirtualList(Numbered(30)))
        async with app.run_test(size=SIZE) as pilot:
            source = await shown_and_closed(pilot)
            for _ in range(100):
                gc.collect()
                if source() is None:
                    break
                await pressed(pilot, "j")
            assert source() is None

    run(body())


async def shown_and_closed(pilot: Pilot[int]) -> weakref.ref[Numbered]:
    """Show a list on a screen of its own, close that, and return what tells whether its rows are there."""
    rows = Numbered(30)
    await pilot.app.push_screen(WidgetScreen([VirtualList(rows)]))
    await pressed(pilot, "j")
    pilot.app.pop_screen()
    await pilot.pause()
    return weakref.ref(rows)
