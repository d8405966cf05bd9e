"""Marking a prefix and looking at what changed since."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from tests.support.aio import run
from tests.support.live_runs import LiveRun, look
from tests.support.run_samples import answer, open_sample, said
from tests.support.run_screens import press, screen_of, settle, show_run
from tests.support.shots import screen_lines
from viewer.screens.changes import ChangesScreen
from viewer.screens.run import RunScreen

Steps = Callable[[RunScreen, Pilot[Any], LiveRun], Coroutine[Any, Any, None]]


def on_run(root: Path, steps: Steps, sample: str = "may_have_run") -> None:
    """Open a sample and take some steps."""
    live = LiveRun(root, sample)
    app = show_run(open_sample(root), now_ms=live.clock)

    async def body() -> None:
        async with app.run_test(size=(120, 36)) as pilot:
            await settle(pilot)
            await steps(screen_of(app), pilot, live)

    run(body())


def shown(screen: RunScreen) -> str:
    """Give the screen as text, whatever lies over it."""
    return "\n".join(screen_lines(screen.app))


def told(screen: RunScreen) -> str:
    """Give what was told last."""
    return [notice.message for notice in screen.app._notifications][-1]


async def compared(pilot: Pilot[Any]) -> None:
    """Wait until the dialog shows what changed."""
    await pilot.pause()
    while any(not worker.is_finished for worker in pilot.app.workers):
        await pilot.pause(0.01)
    await pilot.pause()
    await pilot.pause()


def test_a_mark_and_what_changed_since(tmp_path: Path) -> None:
    """A shorter prefix is marked; from there to the end a call came that may have run, and the decision is another."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        await press(pilot, *["left_square_bracket"] * 3, "c")
        assert screen.mark == 10
        assert "mark at 10" in screen_lines(screen.app)[0]
        await press(pilot, "0")
        await pilot.press("c")
        await compared(pilot)
        assert isinstance(screen.app.screen, ChangesScreen)
        text = shown(screen)
        assert "marked       10 events  would be ✓ HISTORY MAY BE REPLAYED" in text
        assert "now          13 events  ✗ REPLAY BLOCKED" in text
        assert "#11  Bash  not there → MAY HAVE RUN  npm run deploy -- --prod" in text
        assert "Events added  3" in text
        await pilot.press("enter")
        await settle(pilot)
        assert screen.app.screen is screen
        assert screen.here == 10

    on_run(tmp_path, steps)


def test_backwards_events_are_left_out(tmp_path: Path) -> None:
    """From the whole ledger back to a shorter prefix: the same dialog says what it would not have."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        await press(pilot, "c", *["left_square_bracket"] * 3)
        await pilot.press("c")
        await compared(pilot)
        assert "Events left out  3" in shown(screen)
        assert "MAY HAVE RUN → not there" in shown(screen)

    on_run(tmp_path, steps)


def test_nothing_changed_is_a_sentence(tmp_path: Path) -> None:
    """The same key twice in the same place opens no dialog."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        await press(pilot, "c", "c")
        assert screen.is_current
        assert "Nothing changed" in told(screen)

    on_run(tmp_path, steps)


def test_escape_forgets_the_mark_after_search_and_filter(tmp_path: Path) -> None:
    """First what is searched and filtered ends, then the mark; then there is nothing to end."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        await press(pilot, "c", "slash", *"npm", "enter", "escape")
        assert screen.mark == 13
        assert screen.pattern is None
        await press(pilot, "escape")
        assert screen.mark is None
        assert "mark" not in screen_lines(screen.app)[0]
        assert not screen.clearable

    on_run(tmp_path, steps)


def test_a_mark_stays_while_the_run_goes_on(tmp_path: Path) -> None:
    """What was written since the mark is what changed; a cut that takes its events away takes the mark, and says so."""

    async def steps(screen: RunScreen, pilot: Pilot[Any], live: LiveRun) -> None:
        await press(pilot, "c", "F")
        await look(pilot)
        live.write(answer("e14", 30, "toolu_01Q8", "Bash", "exit 0"), said("e15", 31, "Deployed."))
        await look(pilot)
        await pilot.press("c")
        await compared(pilot)
        assert "MAY HAVE RUN → succeeded" in shown(screen)
        assert "if it died now: ✓ HISTORY MAY BE REPLAYED" in shown(screen)
        assert "Events added  2" in shown(screen)
        await pilot.press("escape")
        await settle(pilot)
        assert screen.opened is not None
        live.cut(screen.opened.ledger.rows.offsets[6])
        await look(pilot)
        assert screen.mark is None
        assert any("mark is forgotten" in notice.message for notice in screen.app._notifications)

    on_run(tmp_path, steps, "live")
