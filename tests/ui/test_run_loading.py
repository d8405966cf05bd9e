"""How the screen of a run comes to its ledger: at once there, never in the way, and with a sentence where it fails."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core import CoreError, LedgerChanged, Run
from tests.support.aio import run
from tests.support.run_samples import may_have_run
from tests.support.run_screens import screen_of, settle, show_run
from tests.support.shots import screen_lines
from tests.support.slow import gated_workspace


def gated(root: Path, gate: threading.Event, fault: Exception | None = None) -> Run:
    """Write a run that nobody can read before the gate is open; perhaps it fails then."""
    may_have_run(root)
    return gated_workspace(root, {"run-1": gate}, {"run-1": fault} if fault else None).runs()[0]


def text(pilot: Pilot[Any]) -> str:
    """Give the screen as text."""
    return "\n".join(screen_lines(pilot.app))


def test_the_frame_is_there_before_the_ledger(tmp_path: Path) -> None:
    """Before a row is read the panes stand, how far the reading is is told, and keys work."""
    gate = threading.Event()
    app = show_run(gated(tmp_path, gate))

    async def body() -> None:
        async with app.run_test(size=(120, 36)) as pilot:
            while "45%" not in text(pilot):
                await pilot.pause(0.01)
            assert "default › Fix the port clash › run-1" in text(pilot)
            assert "─ Timeline" in text(pilot)
            assert "Reading the ledger…  45%" in text(pilot)
            await pilot.press("j", "e", "o", "left_square_bracket", "y", "1", "tab", "enter", "tab", "question_mark")
            await pilot.press("escape")

            gate.set()
            await settle(pilot)
            assert "✗ REPLAY BLOCKED" in text(pilot)

    run(body())


def test_leaving_stops_the_reading(tmp_path: Path) -> None:
    """Who leaves while the ledger is read waits for nothing, and the reading ends."""
    gate = threading.Event()
    app = show_run(gated(tmp_path, gate))

    async def body() -> None:
        async with app.run_test(size=(120, 36)) as pilot:
            while "45%" not in text(pilot):
                await pilot.pause(0.01)
            await pilot.press("q")
            await pilot.pause()

    run(body())
    assert app.return_code == 0
    assert not gate.is_set()


@pytest.mark.parametrize(
    ("fault", "lines"),
    [
        (
            LedgerChanged("the file was \x1b[2J cut", path="/w/[b]x", line=7, offset=99, hint="open it again"),
            ["the file was ␛[2J cut", "/w/[b]x, line 7, byte 99", "open it again"],
        ),
        (CoreError("it is locked", code="locked"), ["it is locked", "code   locked"]),
        (ValueError("\x07 oops"), ["a fault of maka-ledger's own: ValueError: ␇ oops", "q goes back"]),
    ],
    ids=["changed", "locked", "ours"],
)
def test_a_failure_is_a_panel(tmp_path: Path, fault: Exception, lines: list[str]) -> None:
    """What failed, where, and what to try next; no traceback, and the way back works."""
    gate = threading.Event()
    gate.set()
    app = show_run(gated(tmp_path, gate, fault))

    async def body() -> None:
        async with app.run_test(size=(120, 36)) as pilot:
            await settle(pilot)
            shown = text(pilot)
            assert "This run cannot be read" in shown
            assert all(line in shown for line in lines)
            assert "Traceback" not in shown
            assert "Timeline" not in shown
            await pilot.press("e", "tab", "y", "left_square_bracket")
            await pilot.press("q")
            await pilot.pause()

    run(body())
    assert app.return_code == 0


def test_leaving_stops_no_reading_but_its_own(tmp_path: Path) -> None:
    """A screen below the one that is left goes on reading and comes to its ledger."""
    gate = threading.Event()
    app = show_run(gated(tmp_path, gate))

    async def body() -> None:
        async with app.run_test(size=(120, 36)) as pilot:
            screen = screen_of(app)
            await app.push_screen(type(screen)(screen.subject, title="again", place="p"))
            await pilot.pause()
            await pilot.press("q")
            gate.set()
            await settle(pilot)
            assert screen.opened is not None

    run(body())
