"""Pages, panes and a changing world below the screen of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from tests.support.aio import run
from tests.support.run_samples import open_sample, said, settled_rows, touch, write_sample
from tests.support.run_screens import press, screen_of, settle, show_run
from tests.support.run_steps import WIDE, notices, on_sample, row, text
from tests.support.shots import screen_lines
from viewer.run_layout import PAGES
from viewer.screens.run import RunScreen

# Pages and panes


def test_pages_of_the_lower_pane(tmp_path: Path) -> None:
    """`1` and `2` open why and the event, and so does a click; enter on an event opens it."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        assert "The ledger proves" in text(screen)
        await press(pilot, "2")
        assert '"command": "npm run deploy -- --prod"' in text(screen)
        assert screen.focused is screen.timeline
        await press(pilot, "1")
        assert "The ledger proves" in text(screen)
        await press(pilot, "enter")
        assert screen.tabs.open == "Event"
        await pilot.click(screen.tabs, offset=(2, 0))
        await settle(pilot)
        assert screen.tabs.open == "Why"

    on_sample(tmp_path, "may_have_run", steps)


def test_tab_goes_round(tmp_path: Path) -> None:
    """Tab visits the three panes and comes back; shift+tab goes the other way."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        panes = [screen.timeline, screen.operations, screen.detail]
        for expected in (1, 2, 0):
            await press(pilot, "tab")
            assert screen.focused is panes[expected]
        for expected in (2, 1, 0):
            await press(pilot, "shift+tab")
            assert screen.focused is panes[expected]

    on_sample(tmp_path, "may_have_run", steps)


def test_a_narrow_screen_shows_one_pane_at_a_time(tmp_path: Path) -> None:
    """Under eighty columns tab turns the pages, the keys go to the one that is seen, and enter goes where it leads."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        seen = []
        for _ in PAGES:
            seen.append((screen.page, screen.focused))
            await press(pilot, "tab")
        assert seen == [
            ("Timeline", screen.timeline),
            ("Operations", screen.operations),
            *((page, screen.detail) for page in ("Why", "Event", "Replay", "Run", "Raw")),
        ]
        assert screen.page == "Timeline"

        await press(pilot, "tab", "j", "enter")
        assert (screen.page, row(screen)) == ("Timeline", 3)
        await press(pilot, "enter")
        assert screen.page == "Event"
        await press(pilot, "1")
        assert screen.page == "Why"
        await press(pilot, "shift+tab")
        assert screen.page == "Operations"

    on_sample(tmp_path, "may_have_run", steps, size=(60, 24))


def test_every_size(tmp_path: Path) -> None:
    """Through every size, down to nothing and back, no line is too long and the cursor is where it was."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        for width, height in [(200, 60), (99, 30), (80, 24), (80, 12), (79, 40), (40, 10), (30, 8), (1, 1), (120, 36)]:
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            await settle(pilot)
            assert row(screen) == 11
            assert all(len(line) <= width for line in screen_lines(screen.app))
            if width >= 40 and height >= 10:
                shown = " ".join(text(screen).split())
                assert "Do not run it again until you have checked the target." in shown

    on_sample(tmp_path, "may_have_run", steps)


# A changing world


def test_a_ledger_that_is_cut_under_us(tmp_path: Path) -> None:
    """Rows that can no longer be read say so where they stand; nothing crashes and nothing else is lost."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        ledger = next(tmp_path.rglob("runtime-events.jsonl"))
        ledger.write_bytes(b"")
        await press(pilot, "g", "2")
        assert "can no longer be read" in text(screen)
        await press(pilot, "1", "o", "e", "left_square_bracket", "tab", "j", "G")
        assert "REPLAY BLOCKED" in text(screen)
        assert screen.asked is None
        assert "so no shorter prefix can be decided" in notices(screen)[-1]

    on_sample(tmp_path, "long", steps)


def test_a_huge_row_is_told_by_its_size(tmp_path: Path) -> None:
    """A row of a megabyte is not decoded to draw a line; the page of the event shows its beginning."""
    write_sample(tmp_path, [*settled_rows(), said("e11", 30, "x" * 5_000_000)])
    app = show_run(open_sample(tmp_path))

    async def body() -> None:
        async with app.run_test(size=WIDE) as pilot:
            await settle(pilot)
            await press(pilot, "2")
            assert "a row of 5.0 MB, not read" in text(screen_of(app))
            assert "5.0 MB: only the beginning is shown" in text(screen_of(app))

    run(body())


def test_a_live_run_may_die(tmp_path: Path) -> None:
    """A run that was written to just now may be running; a minute later, with no further write, it is blocked."""
    clock = [0.0]
    write_sample(tmp_path, settled_rows()[:3])
    touch(tmp_path, 1_796_000_000_000.0)
    app = show_run(open_sample(tmp_path), now_ms=lambda: 1_796_000_000_000.0 + clock[0])

    async def body() -> None:
        async with app.run_test(size=WIDE) as pilot:
            await settle(pilot)
            screen = screen_of(app)
            clock[0] = 30_000
            screen._tick()
            await settle(pilot)
            assert "~ MAY BE RUNNING   last write 30 s ago" in text(screen)
            assert "if it died now: ✗ REPLAY BLOCKED" in text(screen)

            clock[0] = 61_000
            screen._tick()
            await settle(pilot)
            assert "MAY BE RUNNING" not in text(screen)
            assert "✗ REPLAY BLOCKED   1 unresolved call may have run:" in text(screen)

    run(body())
