"""What-if on the screen of a run: other prefixes, which never look like the verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from tests.support.run_screens import press
from tests.support.run_steps import notices, on_sample, row, text
from viewer.screens.ask import ExpectScreen
from viewer.screens.run import RunScreen

# What-if


def test_what_if_steps_event_by_event(tmp_path: Path) -> None:
    """`[` and `]` end the prefix earlier and later, never beyond the ledger; `0` ends the question."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        await press(pilot, *["left_square_bracket"] * 3)
        assert (screen.asked, row(screen)) == (10, 10)
        shown = text(screen)
        assert "WHAT-IF  after event 10 of 13: would be HISTORY MAY BE REPLAYED" in shown
        assert "✗ REPLAY BLOCKED   1 unresolved call may have run:" in shown
        assert len(screen.operations.source) == 4

        await press(pilot, "right_square_bracket")
        assert screen.asked == 11
        assert "would be REPLAY BLOCKED; 1 unresolved call may have run" in text(screen)

        await press(pilot, *["right_square_bracket"] * 5)
        assert screen.asked is None
        assert "WHAT-IF" not in text(screen)

        await press(pilot, *["left_square_bracket"] * 20)
        assert screen.asked == 0
        await press(pilot, "0")
        assert screen.asked is None
        assert "prefix 13 of 13" in text(screen)

    on_sample(tmp_path, "may_have_run", steps)


def test_what_if_jumps_from_flip_to_flip(tmp_path: Path) -> None:
    """`{` and `}` go to the nearest prefix that is decided otherwise, and say when there is none."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        asked = []
        for _ in range(7):
            await press(pilot, "left_curly_bracket")
            asked.append(screen.asked)
        assert asked == [10, 8, 7, 5, 4, 3, 2]
        await press(pilot, "left_curly_bracket")
        assert (screen.asked, notices(screen)) == (2, ["The decision is the same for every shorter prefix."])

        await press(pilot, "right_curly_bracket", "right_curly_bracket")
        assert screen.asked == 4
        await press(pilot, "0", "right_curly_bracket")
        assert notices(screen)[-1] == "The decision is the same for every longer prefix."

    on_sample(tmp_path, "may_have_run", steps)


def test_what_if_never_looks_like_the_verdict(tmp_path: Path) -> None:
    """A supposed verdict is neither green nor red, and an expected length never makes it blocked."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        assert "expected 15 events, found 13" in text(screen)
        await press(pilot, *["left_square_bracket"] * 3)
        assert screen.decided is not None
        assert not screen.decided.facts.blocked
        lines = screen.app.screen._compositor.render_strips()
        line = next(line for line in lines if "WHAT-IF" in line.text)
        ink = screen.app.theme_variables["ink"]
        assert {segment.style.color.name for segment in line if segment.text.strip() and segment.style} <= {
            ink, screen.app.theme_variables["muted"],
        }  # fmt: skip

    on_sample(tmp_path, "may_have_run", steps, expected_high_water=15)


def test_damaged_storage_forbids_every_prefix(tmp_path: Path) -> None:
    """No shorter prefix of an unreadable ledger is called replayable."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        await press(pilot, "left_square_bracket")
        assert "WHAT-IF  after event 4 of 5: would be REPLAY BLOCKED" in text(screen)

    on_sample(tmp_path, "unreadable", steps)


def test_operations_keep_their_place_when_the_prefix_changes(tmp_path: Path) -> None:
    """With the focus on an operation that a shorter prefix does not have, the timeline is not thrown about."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        await press(pilot, "tab", *["left_square_bracket"] * 4)
        assert (screen.asked, row(screen)) == (9, 9)
        assert screen.focused is screen.operations

    on_sample(tmp_path, "may_have_run", steps)


def test_an_expected_length_is_compared_while_it_is_typed(tmp_path: Path) -> None:
    """What is no number is said to be none and asks nothing; the number of events that are there is the same."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        await press(pilot, "x", *"1x", "enter")
        assert "'1x' is not a number of events" in text(screen)
        assert isinstance(screen.app.screen, ExpectScreen)
        await press(pilot, "backspace", "3")
        assert "expected 13, found 13: the same" in text(screen)
        await press(pilot, "enter")
        assert screen.is_current
        assert screen.expected == 13

    on_sample(tmp_path, "may_have_run", steps)
