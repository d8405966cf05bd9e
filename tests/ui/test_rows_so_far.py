"""A run that takes long to read shows its rows meanwhile, and nothing that could be taken for a decision."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core import CoreError, Helper, RowsSoFar, open_workspace
from tests.support.aio import run
from tests.support.command import COMMAND, SOURCE
from tests.support.run_samples import may_have_run, open_sample
from tests.support.run_screens import drawn, screen_of, settle, show_run
from tests.support.shots import screen_lines, stale_lines
from tests.support.slow import gated_workspace, hold, write_slow_run
from viewer import loading
from viewer.app import ViewerApp
from viewer.reading_apart import Helpers
from viewer.run_messages import LedgerGrown
from viewer.styles import BEING_WRITTEN, DISPOSITIONS, MAY_BE_RUNNING, STATUSES, TORN_ROW, VERDICTS, Look

SIZES = {"80x24": (80, 24), "120x40": (120, 40)}
TORN = b'{"id":"half","invocat'
LOOKS: tuple[Look, ...] = (*DISPOSITIONS.values(), *STATUSES.values(), *VERDICTS.values(), MAY_BE_RUNNING, TORN_ROW)
DECIDED = re.compile(
    "|".join(
        [
            *(re.escape(look.word) for look in (*LOOKS, BEING_WRITTEN)),
            *(
                "NO RESPONSE",
                "BLOCKED",
                "REPLAY",
                "unresolved",
                "settled",
                "committed prefix",
                "end of prefix",
                "#[0-9]",
            ),
        ]
    )
)
"""What stands only where something is decided."""

posix = pytest.mark.skipif(sys.platform == "win32", reason="no process can be held there")


def text(pilot: Pilot[Any]) -> str:
    """Give the screen as text."""
    return "\n".join(screen_lines(pilot.app))


class Half:
    """The screen of a slow run, whose reading is held from the first rows on until it shall go on."""

    def __init__(self, root: Path) -> None:
        self.helper = Helper()
        self._held = False
        self.app: ViewerApp = show_run(open_workspace(root).runs()[0], helpers=Helpers(self.helper))

    @asynccontextmanager
    async def shown(self, size: tuple[int, int]) -> AsyncIterator[Pilot[Any]]:
        """Run the app; no process that is held is left behind, for the thread that listens to it would never end."""
        async with self.app.run_test(size=size, notifications=True) as pilot:
            try:
                yield pilot
            finally:
                self.helper.close()

    async def come(self, pilot: Pilot[Any]) -> None:
        """Wait for the first rows."""
        screen = screen_of(self.app)
        while screen.so_far is None:
            assert screen.opened is None, "it was read too soon to be seen"
            if screen.verdict.shown.progress and not self._held:
                self._held = True
                hold(self.helper.pid)
            await pilot.pause(0.005)
        os.kill(self.helper.pid, signal.SIGSTOP)
        await pilot.pause(0.3)

    def go_on(self) -> None:
        """Let the reading go on."""
        os.kill(self.helper.pid, signal.SIGCONT)


async def plainly(root: Path, size: tuple[int, int]) -> list[str]:
    """Give the screen of a run that is read here, without a row being shown before the end."""
    alone = Helpers()
    alone.close()
    app = show_run(open_workspace(root).runs()[0], helpers=alone)
    async with app.run_test(size=size) as pilot:
        await drawn(pilot)
        return screen_lines(app)


@posix
@pytest.mark.parametrize("size", SIZES)
def test_rows_are_shown_and_nothing_is_decided(tmp_path: Path, size: str) -> None:
    """Amid the reading rows can be walked through; no word of a decision is there, and what needs one says it waits."""
    write_slow_run(tmp_path, tail=TORN)
    half = Half(tmp_path)

    async def body() -> None:
        async with half.shown(SIZES[size]) as pilot:
            await half.come(pilot)
            screen = screen_of(half.app)
            timeline, count = screen.timeline, len(screen.so_far or ())
            for keys, line in (
                ((), 0),
                (("j", "down", "k"), 1),
                (("pagedown", "space"), 1 + 2 * (timeline.size.height - 1)),
                (("end",), count),
                (("up",), count - 1),
                (("home",), 0),
                (("G", "k", "k"), count - 2),
            ):
                await pilot.press(*keys)
                await pilot.pause()
                assert timeline.cursor == line
                shown = text(pilot)
                assert "Reading the ledger…" in shown
                assert f"%, nothing is decided yet.  {count:,} events so far" in shown
                assert not DECIDED.search(shown), DECIDED.findall(shown)
                assert not stale_lines(half.app)
            assert f"{count:,} events so far" in next(line for line in shown.splitlines() if "Timeline" in line)
            assert "the rest is still to come" in shown
            assert "Wait for the whole ledger." in shown
            assert "why, event, replay, run and" in shown
            assert f"words {(count - 2) // 3}" in shown or f"ls {(count - 2) // 3}" in shown

            for key in ("e", "o", "slash", "f", "left_square_bracket", "S", "x", "y", "3", "c", "F", "t"):
                await pilot.press(key)
                await pilot.pause()
                assert "That waits until the whole ledger" in text(pilot), key
                half.app.clear_notifications()
            await pilot.press("enter", "tab", "tab", "tab", "question_mark", "escape")
            await pilot.resize_terminal(60, 20)
            await pilot.pause()
            assert "nothing is decided yet" in text(pilot)
            assert not DECIDED.search(text(pilot))
            await pilot.resize_terminal(*SIZES[size])
            await pilot.pause()
            assert timeline.cursor == count - 2

    run(body())


@posix
@pytest.mark.parametrize(
    ("damaged", "torn", "size"),
    [(None, b"", "80x24"), (None, TORN, "120x40"), (10_000, TORN, "120x40")],
    ids=["sound", "torn", "damaged"],
)
def test_in_the_end_it_is_as_if_none_had_been_shown(
    tmp_path: Path, damaged: int | None, torn: bytes, size: str
) -> None:
    """Who has not moved finds the screen as it opens without rows before the end, line for line."""
    write_slow_run(tmp_path, damaged=damaged, tail=torn)
    half = Half(tmp_path)

    async def body() -> None:
        async with half.shown(SIZES[size]) as pilot:
            await half.come(pilot)
            half.go_on()
            await drawn(pilot)
            shown = screen_lines(half.app)
        assert shown == await plainly(tmp_path, SIZES[size])

    run(body())


@posix
@pytest.mark.parametrize("damaged", [None, 10_000], ids=["sound", "damaged"])
def test_who_has_moved_stays(tmp_path: Path, damaged: int | None) -> None:
    """When all is read the cursor is on the event that it was on, on the same line, and the doubt is told of."""
    write_slow_run(tmp_path, damaged=damaged)
    half = Half(tmp_path)

    async def body() -> None:
        async with half.shown((120, 40)) as pilot:
            await half.come(pilot)
            screen = screen_of(half.app)
            await pilot.press("pagedown", "pagedown", "j", "j")
            await pilot.pause()
            before = (screen.timeline.cursor, screen.timeline.scroll_offset.y)
            lines = text(pilot).splitlines()
            line = next(y for y, shown in enumerate(lines) if f" {before[0] + 1} " in shown)
            half.go_on()
            await settle(pilot)
            assert (screen.timeline.cursor, screen.timeline.scroll_offset.y) == before
            assert screen.chosen is not None
            assert screen.chosen.row == before[0]
            lines = text(pilot).splitlines()
            moved = next(y for y, shown in enumerate(lines) if "Timeline" in shown) - 2
            assert f" {before[0] + 1} " in lines[line + moved]
            assert "REPLAY BLOCKED" in text(pilot)
            assert "The whole ledger is read; e goes to the doubt." in text(pilot)
            assert screen.so_far is None

    run(body())


@posix
def test_where_the_process_dies_the_rows_are_taken_back(tmp_path: Path) -> None:
    """What was shown of a reading that broke off is gone, and said to be; what is read instead is all that counts."""
    write_slow_run(tmp_path, tail=TORN)
    half = Half(tmp_path)

    async def body() -> None:
        async with half.shown((120, 40)) as pilot:
            await half.come(pilot)
            screen = screen_of(half.app)
            await pilot.press("pagedown", "j")
            half.helper.close()
            while screen.so_far is not None:
                await pilot.pause(0.005)
            await pilot.pause()
            if screen.opened is None:
                shown = text(pilot)
                assert "so far  " not in shown
                assert "words" not in shown
                assert "The rows shown so far are taken back" in shown
                assert not DECIDED.search(shown)
            half.app.clear_notifications()
            await drawn(pilot)
            shown_at_last = screen_lines(half.app)
        assert shown_at_last == await plainly(tmp_path, (120, 40))

    run(body())


@posix
def test_where_the_ledger_is_replaced_the_rows_are_taken_back(tmp_path: Path) -> None:
    """Rows of a file that is no longer there do not stay: the other one is read from its beginning."""
    path = write_slow_run(tmp_path)
    half = Half(tmp_path)

    async def body() -> None:
        async with half.shown((120, 40)) as pilot:
            await half.come(pilot)
            await pilot.press("pagedown", "j")
            (tmp_path / "other").write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[3:300]))
            (tmp_path / "other").replace(path)
            half.go_on()
            await settle(pilot)
            assert "The rows shown so far are taken back" in text(pilot)
            half.app.clear_notifications()
            await drawn(pilot)
            shown = screen_lines(half.app)
        assert shown == await plainly(tmp_path, (120, 40))

    run(body())


@posix
def test_a_reading_that_is_not_long_shows_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What would be read in a moment comes as a whole: nothing flickers."""
    write_slow_run(tmp_path)
    monkeypatch.setattr(loading, "LONG_SECONDS", 3600.0)
    helper = Helper()
    app = show_run(open_workspace(tmp_path).runs()[0], helpers=Helpers(helper))
    seen = []

    async def body() -> None:
        async with app.run_test(size=(120, 40)) as pilot:
            screen = screen_of(app)
            while screen.opened is None:
                seen.append(screen.so_far)
                await pilot.pause(0.01)
            await settle(pilot)

    run(body())
    assert set(seen) == {None}


@pytest.mark.parametrize("size", SIZES)
def test_half_read(tmp_path: Path, snap_compare: Any, size: str) -> None:
    """It is plain to see that the reading goes on: rows without signs, strip or links, and panes that wait."""
    may_have_run(tmp_path)
    ledger = open_sample(tmp_path).ledger()
    so_far = RowsSoFar(ledger.rows, 9, ledger.source, str(ledger.path), 0.45)
    app = show_run(gated_workspace(tmp_path, {"run-1": threading.Event()}).runs()[0])

    async def before(pilot: Pilot[Any]) -> None:
        while "45%" not in text(pilot):
            await pilot.pause(0.01)
        screen_of(app).post_message(LedgerGrown(so_far))
        await pilot.pause()
        await pilot.press("j", "j")
        await pilot.pause(0.1)

    assert snap_compare(app, terminal_size=SIZES[size], run_before=before)
    ledger.close()


def test_where_the_reading_fails_nothing_waits(tmp_path: Path) -> None:
    """What failed is said in the place of the rows, and no key says that it waits for a ledger that will not come."""
    may_have_run(tmp_path)
    gate, fault = threading.Event(), CoreError("it is locked", code="locked")
    ledger = open_sample(tmp_path).ledger()
    app = show_run(gated_workspace(tmp_path, {"run-1": gate}, {"run-1": fault}).runs()[0])

    async def body() -> None:
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            screen_of(app).post_message(LedgerGrown(RowsSoFar(ledger.rows, 9, ledger.source, str(ledger.path), 0.45)))
            await pilot.pause()
            assert "9 events so far" in text(pilot)
            gate.set()
            await settle(pilot)
            await pilot.press("e", "slash")
            await pilot.pause()
            assert "This run cannot be read" in text(pilot)
            assert "it is locked" in text(pilot)
            assert "waits" not in text(pilot)
            assert "so far" not in text(pilot)

    run(body())
    ledger.close()


@posix
@pytest.mark.parametrize("key", [b"q", b"\x11"], ids=["q", "ctrl+q"])
def test_leaving_ends_the_reading(tmp_path: Path, key: bytes) -> None:
    """On a real terminal keys work amid the reading, and who leaves waits for nothing."""
    from tests.support.pty import Terminal, modes_left

    write_slow_run(tmp_path, groups=24_000)
    with Terminal([*COMMAND, str(tmp_path)], size=(120, 40), cwd=str(SOURCE)) as terminal:
        terminal.read_until(b"so far")
        terminal.send(b"\x1b[6~\x1b[6~j")
        terminal.read_until(b"words 30 ")
        terminal.send(key)
        ended = terminal.wait()
    assert ended.code == 0
    assert modes_left(ended.output) == set()
    assert b"BLOCKED" not in ended.output
