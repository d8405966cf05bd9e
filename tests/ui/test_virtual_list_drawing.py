"""The list: what is drawn of it, and how often."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from textual.geometry import Region
from textual.scrollbar import ScrollBar

from tests.support.aio import run
from tests.support.apps import Named, Numbered, viewer_app
from tests.support.lists import PAGE, SIZE, pressed
from tests.support.shots import screen_lines
from viewer.themes import LIGHT
from viewer.widgets.thin_bar import ThinBar
from viewer.widgets.virtual_list import VirtualList


def test_the_scrollbar_is_the_one_of_textual() -> None:
    """Our way to draw the scrollbar gives what Textual's gives, wherever the list is and under any colours."""

    async def body() -> None:
        rows = VirtualList(Numbered(1_000))
        async with viewer_app(rows).run_test(size=SIZE) as pilot:
            bar, crop = rows.vertical_scrollbar, Region(0, 0, 1, PAGE)
            for key in ("home", "pagedown", "ctrl+d", "end", "pageup"):
                pilot.app.theme = LIGHT if key == "end" else pilot.app.theme
                await pressed(pilot, key)
                assert isinstance(bar, ThinBar)
                theirs = ScrollBar.render_lines(bar, crop)
                ours = bar.render_lines(crop)
                assert [list(strip) for strip in ours] == [list(strip.crop(0, 1)) for strip in theirs]

    run(body())


def test_wide_rows_scroll_sideways() -> None:
    """Rows wider than the list can be scrolled, as far as they go; the cursor's bar stays."""

    async def body() -> None:
        rows = VirtualList(Numbered(5, "x" * 60 + "end"), row_width=80)
        async with viewer_app(rows).run_test(size=(40, 12)) as pilot:
            await pressed(pilot, *["l"] * 10)
            line = screen_lines(pilot.app)[0]
            assert line.startswith("▌")
            assert "end" in line

            await pressed(pilot, *["h"] * 10)
            assert screen_lines(pilot.app)[0].startswith("▌row 0 xxx")

    run(body())


def test_changed_rows_are_drawn_again() -> None:
    """A row is drawn once and kept, until the list is told that it changed or the colours change."""

    async def body() -> None:
        source = Numbered(10)
        rows = VirtualList(source)
        app = viewer_app(rows)
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            source.drawn.clear()
            source.text = "changed"
            rows.refresh_row(3)
            await pilot.pause()
            assert source.drawn == [3]
            assert "changed" in screen_lines(app)[3]

            source.drawn.clear()
            app.action_toggle_theme()
            await pilot.pause()
            await asyncio.sleep(0)
            assert set(source.drawn) == set(range(10))

    run(body())


class Steady(Numbered):
    """Rows of which only one looks otherwise than in the source before."""

    other = 3

    def same_as(self, before: object) -> Callable[[int], bool] | None:
        """Tell which those are."""
        return (lambda index: index != self.other) if isinstance(before, Numbered) else None


def test_rows_that_surely_look_as_before_are_not_drawn() -> None:
    """A source that knows what is the same is asked for nothing else, and what it draws otherwise is shown."""

    async def body() -> None:
        rows = VirtualList(Numbered(1000))
        async with viewer_app(rows).run_test(size=SIZE) as pilot:
            await pilot.pause()
            source = Steady(1000, "other")
            rows.source = source
            await pilot.pause()

            assert source.drawn == [source.other]
            lines = screen_lines(pilot.app)[:PAGE]
            assert [index for index, line in enumerate(lines) if "other" in line] == [source.other]

    run(body())


@pytest.mark.parametrize("kept", [0, 1, 6])
def test_rows_that_went_leave_nothing_behind(kept: int) -> None:
    """Where another source has fewer rows, the lines of the others are blank: an old row there would be a lie."""

    async def body() -> None:
        rows = VirtualList(Named([str(number) for number in range(7)]))
        app = viewer_app(rows)
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            before = screen_lines(app)
            assert all(before[:7])
            rows.source = Named([str(number) for number in range(kept)])
            await pilot.pause()
            assert screen_lines(app)[:7] == before[:kept] + [""] * (7 - kept)

    run(body())


def test_cursor_looks_calmer_without_focus() -> None:
    """The pane that has the focus shows its cursor brighter than the others show theirs."""

    async def body() -> None:
        first, second = VirtualList(Numbered(3)), VirtualList(Numbered(3))
        async with viewer_app(first, second).run_test(size=SIZE) as pilot:
            await pilot.pause()
            lit, idle = first.render_line(0), second.render_line(0)
            assert [segment.style for segment in lit] != [segment.style for segment in idle]

            await pressed(pilot, "tab")
            assert first.render_line(0) == idle
            assert second.render_line(0) == lit

    run(body())
