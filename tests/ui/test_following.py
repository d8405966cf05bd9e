"""Following a run: what is written appears by itself, and what a person looks at stays where it is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core import inspect
from tests.support.aio import run
from tests.support.live_runs import HALF, LiveRun, look
from tests.support.run_samples import answer, open_sample, said, tool
from tests.support.run_screens import press, screen_of, settle, show_run
from tests.support.runs import RUN_PATH, terminal, text
from tests.support.shots import screen_lines
from tests.support.workspaces import fingerprint
from viewer.screens.help import HelpScreen
from viewer.screens.run import RunScreen

Steps = Callable[[RunScreen, Pilot[Any], LiveRun], Coroutine[Any, Any, None]]
DEPLOYED = answer("e14", 30, "toolu_01Q8", "Bash", "exit 0")


def following(
    root: Path, steps: Steps, *, sample: str = "live", size: tuple[int, int] = (120, 36), keys: tuple[str, ...] = ()
) -> LiveRun:
    """Open a live run, press some keys, follow it and take some steps."""
    live = LiveRun(root, sample)
    app = show_run(open_sample(root), now_ms=live.clock)

    async def body() -> None:
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            await press(pilot, *keys, "F")
            await look(pilot)
            await steps(screen_of(app), pilot, live)

    run(body())
    return live


def shown(screen: RunScreen) -> str:
    """Give the screen as text."""
    return "\n".join(screen_lines(screen.app))


def events(screen: RunScreen) -> int:
    """Say how many events the screen knows."""
    assert screen.opened is not None
    return len(screen.opened.ledger)


def told(screen: RunScreen) -> list[str]:
    """Give what was told by the way."""
    return [notice.message for notice in screen.app._notifications]


def test_rows_appear_and_the_decision_is_the_one_if_it_died_now(tmp_path: Path) -> None:
    """A response settles the call: rows, verdict, operations, headings and header bar say so, in a calm colour."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        assert "following" in screen_lines(screen.app)[0]
        assert "if it died now: ✗ REPLAY BLOCKED" in shown(screen)
        live.write(DEPLOYED)
        await look(pilot)
        assert events(screen) == 14
        assert "if it died now: ✓ HISTORY MAY BE REPLAYED" in shown(screen)
        assert "14 events" in shown(screen)
        assert "unresolved" not in "\n".join(screen_lines(screen.app)[4:12])
        live.write(terminal("e15"))
        live.head(status="completed")
        await look(pilot)
        assert "MAY BE RUNNING" not in shown(screen)
        assert "✓ HISTORY MAY BE REPLAYED" in shown(screen)

    following(tmp_path, steps)


def test_a_row_without_an_end_is_being_written_until_it_is_or_the_writer_is_gone(tmp_path: Path) -> None:
    """A tail is no damage while the run is live; a minute after the last write it is torn."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        live.write(tail=HALF)
        await look(pilot)
        assert "~ BEING WRITTEN" in shown(screen)
        assert "TORN" not in shown(screen)
        assert events(screen) == 13
        live.now += 61_000
        screen._tick()
        await settle(pilot)
        assert "! TORN ROW" in shown(screen)
        assert "BEING WRITTEN" not in shown(screen)
        assert "✗ REPLAY BLOCKED" in screen_lines(screen.app)[1]
        live.write(tail=b'me":"Bash","result":"ok"}}\n')
        await look(pilot)
        assert "UNREADABLE" in shown(screen)

    following(tmp_path, steps)


def test_the_view_follows_the_end_if_it_was_there(tmp_path: Path) -> None:
    """With the cursor on the last event it goes on with the run, and the end stays in sight."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        await pilot.press("S")
        await pilot.press(*"13", "enter")
        await settle(pilot)
        for number in range(14, 60):
            live.write(said(f"e{number}", number, f"line {number}"))
        await look(pilot)
        assert screen.here == 58
        assert screen.rows is not None
        assert screen.timeline.seen.stop == len(screen.rows)
        await pilot.press("G")

    following(tmp_path, steps, size=(80, 24))


def test_the_cursor_stays_on_its_row_wherever_that_is(tmp_path: Path) -> None:
    """Above the end nothing moves: not the cursor, not the scroll, not the pane below."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        await press(pilot, "g", "j", "2")
        row, top, page = screen.here, screen.timeline.scroll_offset.y, screen.tabs.open
        for number in range(14, 40):
            live.write(said(f"e{number}", number, f"line {number}"))
            await look(pilot)
        assert (screen.here, screen.timeline.scroll_offset.y, screen.tabs.open) == (row, top, page)
        assert events(screen) == 39

    following(tmp_path, steps, size=(80, 24))


def test_a_doubtful_call_above_the_end_stays_chosen_and_the_end_stays_in_sight(tmp_path: Path) -> None:
    """As the run opened: the cursor on the call, the end of the prefix below it, as long as both go on one page."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        assert screen.here == 10
        for number in range(14, 18):
            live.write(said(f"e{number}", number, f"line {number}"))
        await look(pilot)
        assert screen.here == 10
        assert screen.rows is not None
        assert screen.timeline.seen.stop == len(screen.rows)

    following(tmp_path, steps)


def test_a_what_if_stays(tmp_path: Path) -> None:
    """The prefix that was asked about is the same one while the ledger grows; the real verdict above it goes on."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        await press(pilot, *["left_square_bracket"] * 4)
        assert screen.asked == 9
        live.write(DEPLOYED)
        await look(pilot)
        assert screen.asked == 9
        assert "after event 9 of 14" in shown(screen)
        assert "if it died now: ✓ HISTORY" in shown(screen)
        await press(pilot, "0")
        assert screen.decided is not None
        assert screen.decided.end == 14

    following(tmp_path, steps)


def test_search_and_filter_go_on_with_the_rows_that_come(tmp_path: Path) -> None:
    """New rows are searched and filtered by themselves, whatever the filter asks for."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        await press(pilot, "slash", *"deploy", "enter")
        assert screen.hits is not None
        before = list(screen.hits.rows)
        live.write(said("e14", 30, "I deploy again"), said("e15", 31, "and rest"))
        await look(pilot)
        await settle(pilot)
        assert screen.hits.rows == [*before, 13]
        await press(pilot, "f", *"kind:text", "enter")
        kept = list(screen.kept or ())
        live.write(said("e16", 32, "more"), tool("e17", 33, "toolu_9", "Read", {"file_path": "a"}))
        await look(pilot)
        await settle(pilot)
        assert list(screen.kept or ()) == [*kept, 15]
        await press(pilot, "escape", "f", *"status:indeterminate", "enter")
        assert set(screen.kept or ()) >= {10, 16}
        live.write(answer("e18", 34, "toolu_9", "Read", "ok"))
        await look(pilot)
        await settle(pilot)
        assert 16 not in (screen.kept or ())
        assert 10 in (screen.kept or ())

    following(tmp_path, steps)


def test_what_happens_to_the_ledger_is_said_and_it_is_read_anew(tmp_path: Path) -> None:
    """A cut is told; rows, cursor, what-if, hits and kept rows are those of the ledger as it is now."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        assert screen.opened is not None
        size = screen.opened.ledger.rows.offsets[5]
        await press(pilot, "left_square_bracket", "slash", *"deploy", "enter")
        live.cut(size)
        await look(pilot)
        await settle(pilot)
        assert events(screen) == 5
        assert screen.asked is None
        assert screen.here <= 5
        assert any("cut by" in message for message in told(screen))
        assert any("no longer there" in message for message in told(screen))
        assert screen.hits is not None
        assert all(row < 5 for row in screen.hits.rows)

    following(tmp_path, steps)


def test_pausing_holds_everything_and_going_on_shows_what_was_missed(tmp_path: Path) -> None:
    """Paused, the header says so and nothing is looked at; the same key goes on."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        await pilot.press("equals_sign")
        assert "paused" in screen_lines(screen.app)[0]
        assert screen._next is None
        live.write(DEPLOYED)
        await pilot.pause(0.4)
        assert events(screen) == 13
        await pilot.press("equals_sign")
        await look(pilot)
        assert events(screen) == 14
        assert "following" in screen_lines(screen.app)[0]

    following(tmp_path, steps)


def test_it_looks_by_itself(tmp_path: Path) -> None:
    """Nobody presses a key: a timer begins the next look, and waits longer while nothing happens."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        live.write(DEPLOYED)
        while events(screen) != 14:
            await pilot.pause(0.05)
        first = screen._pace.wait
        while screen._pace.wait == first:
            await pilot.pause(0.05)
        assert screen._pace.wait > first

    following(tmp_path, steps)


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """Ended, under another screen, or gone with its screen: no timer waits, no thread runs, no file is open."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        await pilot.press("question_mark")
        assert isinstance(screen.app.screen, HelpScreen)
        assert screen._next is None
        await pilot.press("escape")
        await look(pilot)
        assert screen._next is not None
        await pilot.press("F")
        assert screen._next is None
        assert screen.follows == ""
        await pilot.press("F")
        await look(pilot)

    place = Path("/proc/self/fd")
    before = len(list(place.iterdir())) if place.is_dir() else 0
    following(tmp_path, steps)
    assert not [thread for thread in threading.enumerate() if "follow" in thread.name]
    if place.is_dir():
        assert len(list(place.iterdir())) <= before


def test_following_touches_nothing(tmp_path: Path) -> None:
    """Not a byte, not a time, not a file of the run is changed by looking at it again and again."""
    before: dict[str, Any] = {}

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        live.write(DEPLOYED, tail=HALF)
        before.update(fingerprint(tmp_path))
        for _ in range(3):
            await look(pilot)

    following(tmp_path, steps)
    assert fingerprint(tmp_path) == before


def test_a_run_that_is_removed_is_said_and_the_keys_still_work(tmp_path: Path) -> None:
    """Without its files the run is an empty one without a header; nobody is thrown out."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        live.ledger.unlink()
        (tmp_path / RUN_PATH / "run.json").unlink()
        await look(pilot)
        assert events(screen) == 0
        assert any("removed" in message for message in told(screen))
        await press(pilot, "e", "j", "2", "1")
        assert screen.is_current

    following(tmp_path, steps)


def test_only_lines_that_changed_are_drawn(tmp_path: Path) -> None:
    """A row that comes below the page draws no line of the timeline; one on the page draws it and those behind it."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        drawn: list[int] = []
        render_line = screen.timeline.render_line

        def counted(y: int) -> Any:
            drawn.append(y)
            return render_line(y)

        screen.timeline.render_line = counted  # type: ignore[method-assign]
        live.write(said("e14", 30, "more"))
        await look(pilot)
        assert 0 < len(set(drawn)) <= 5
        await press(pilot, "g")
        for number in range(15, 60):
            live.write(said(f"e{number}", number, "more"))
        await look(pilot)
        drawn.clear()
        live.write(said("e60", 60, "below the page"))
        await look(pilot)
        assert not drawn

    following(tmp_path, steps)


@pytest.mark.parametrize("sample", ["replayable", "unreadable", "header_missing", "empty", "stale", "hostile", "long"])
def test_every_kind_of_run_can_be_followed(tmp_path: Path, sample: str) -> None:
    """Whatever is wrong with a run, it is followed, and the decision is the one of a fresh reading."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        live.write(text("last"))
        await look(pilot)
        assert screen.opened is not None
        fresh = inspect(open_sample(tmp_path).ledger(), now_ms=live.now)
        assert screen.opened.whole.inspection.verdict == fresh.verdict
        assert screen.opened.whole.inspection.plan.as_document() == fresh.plan.as_document()

    following(tmp_path, steps, sample=sample)
