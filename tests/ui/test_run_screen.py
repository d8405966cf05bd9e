"""The screen of one run: where it opens, how its cursors follow each other, and what each key does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core import OperationStatus
from tests.support.run_screens import press, settle
from tests.support.run_steps import notices, on_sample, row, text
from tests.support.workspaces import fingerprint
from viewer.screens.copy import CopyScreen
from viewer.screens.help import HelpScreen
from viewer.screens.run import RunScreen
from viewer.themes import LIGHT

# Where it opens


def test_opens_at_the_last_doubtful_call(tmp_path: Path) -> None:
    """The last call without a response has the cursor, its operation too, and the end of the prefix is in sight."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        assert row(screen) == 4997
        assert screen.focused is screen.timeline
        assert 5000 in screen.timeline.seen
        assert screen.operations.cursor == 2
        assert screen.said is not None
        assert screen.said.why.status is OperationStatus.INDETERMINATE

    on_sample(tmp_path, "long", steps)


@pytest.mark.parametrize(("name", "number"), [("replayable", 11), ("torn", 10), ("contradictory", 5), ("empty", None)])
def test_opens_where_there_is_something_to_see(tmp_path: Path, name: str, number: int | None) -> None:
    """Without a doubtful call it opens at the first damage, else at the end."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        assert row(screen) == number

    on_sample(tmp_path, name, steps)


def test_nothing_is_written_to_the_workspace(tmp_path: Path) -> None:
    """Through every key the workspace keeps each byte and each time."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        before = fingerprint(tmp_path)
        await press(pilot, "e", "o", "left_square_bracket", "0", "2", "tab", "j", "tab", "enter")
        assert fingerprint(tmp_path) == before

    on_sample(tmp_path, "may_have_run", steps)


# The cursors


def test_an_event_selects_its_operation(tmp_path: Path) -> None:
    """Moving in the timeline marks the operation of the row; a row without one marks none; the focus stays."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        await press(pilot, "k", "k")
        assert (row(screen), screen.operations.idle_cursor) == (9, True)
        assert "Bash  npm test" in text(screen).split("Operations")[1].splitlines()[screen.operations.cursor + 1]

        await press(pilot, "k", "k")
        assert (row(screen), screen.operations.idle_cursor) == (7, False)
        assert screen.said is not None
        assert screen.said.why.status is None
        assert screen.focused is screen.timeline

    on_sample(tmp_path, "may_have_run", steps)


def test_a_permission_selects_the_call_it_was_asked_for(tmp_path: Path) -> None:
    """The row of a permission leads to its call, and so does the answer that names only the request."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        for _ in range(2):
            await press(pilot, "j")
            assert screen.said is not None
            assert screen.said.why.tool_call_id == "toolu_01Q8"

    on_sample(tmp_path, "may_have_run", steps)


def test_an_operation_selects_its_call(tmp_path: Path) -> None:
    """Moving among the operations moves the timeline to their calls; enter goes there; headings are passed over."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        await press(pilot, "tab")
        assert screen.focused is screen.operations

        await press(pilot, "j")
        assert (row(screen), screen.focused) == (3, screen.operations)
        await press(pilot, "j")
        assert row(screen) == 5
        await press(pilot, "enter")
        assert (row(screen), screen.focused) == (5, screen.timeline)

    on_sample(tmp_path, "may_have_run", steps)


def test_evidence_leads_to_its_event(tmp_path: Path) -> None:
    """Enter on a line of the answer goes to the event that it speaks of; a line without one says so."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        await press(pilot, "tab", "tab")
        assert screen.focused is screen.detail
        lines = [content.plain for content in screen.detail.source._rows]  # type: ignore[attr-defined]  # a Rows
        screen.detail.cursor = next(i for i, line in enumerate(lines) if "allowed by user" in line)
        await press(pilot, "enter")
        assert (row(screen), screen.focused) == (13, screen.timeline)

        await press(pilot, "tab", "tab", "g", "enter")
        assert row(screen) == 13
        assert notices(screen) == ["This line leads to no event."]

    on_sample(tmp_path, "may_have_run", steps)


# Doubts, halves


def test_e_walks_the_doubts(tmp_path: Path) -> None:
    """`e` goes to the next doubtful row and `E` back, round and round, and says when it turns."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        await press(pilot, "e")
        assert row(screen) == 2400
        assert notices(screen) == ["No doubt below: back at the first one."]
        await press(pilot, "e")
        assert row(screen) == 4997
        await press(pilot, "E")
        assert row(screen) == 2400
        await press(pilot, "E")
        assert row(screen) == 4997
        assert notices(screen)[1:] == ["No doubt above: on to the last one."]

    on_sample(tmp_path, "long", steps)


def test_e_finds_unreadable_rows_and_contradictions(tmp_path: Path) -> None:
    """Doubt is not only in calls: damaged rows and rows that contradict each other are walked too."""

    async def unreadable(screen: RunScreen, pilot: Pilot[Any]) -> None:
        await press(pilot, "e")
        assert row(screen) == 6
        assert screen.said is not None
        assert {fact.name: fact.text for fact in screen.said.facts}["code"] == "row_invalid_event"

    async def contradictory(screen: RunScreen, pilot: Pilot[Any]) -> None:
        for expected in (6, 7, 5):
            await press(pilot, "e")
            assert row(screen) == expected

    async def none(screen: RunScreen, pilot: Pilot[Any]) -> None:
        await press(pilot, "e", "E")
        assert (row(screen), notices(screen)) == (11, ["Nothing is in doubt here."] * 2)

    on_sample(tmp_path / "a", "unreadable", unreadable)
    on_sample(tmp_path / "b", "contradictory", contradictory)
    on_sample(tmp_path / "c", "replayable", none)


def test_o_walks_the_halves_of_a_call(tmp_path: Path) -> None:
    """`o` goes from call to response and round again, `O` back; where no response is, it says so."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        await press(pilot, "o")
        assert (row(screen), notices(screen)) == (11, ["No response is recorded."])

        await press(pilot, "k", "k", "O")
        assert row(screen) == 8
        await press(pilot, "o")
        assert row(screen) == 9
        await press(pilot, "o")
        assert row(screen) == 8

        await press(pilot, "k", "o")
        assert row(screen) == 7
        assert notices(screen)[-1] == "This row belongs to no tool call."

    on_sample(tmp_path, "may_have_run", steps)


def test_o_walks_the_dispatch_too(tmp_path: Path) -> None:
    """Dispatch and recovery facts lie on the way."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        seen = []
        for _ in range(3):
            await press(pilot, "o")
            seen.append(row(screen))
        assert seen == [3, 4, 5]

    on_sample(tmp_path, "parked", steps)


# Copy, help, leaving


def test_copy_offers_a_file_and_the_clipboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`y` offers the answer and the id; both go to the clipboard and to a private file outside of the workspace."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        await pilot.press("y")
        assert isinstance(screen.app.screen, CopyScreen)
        await pilot.press("enter")
        await settle(pilot)
        copy = tmp_path / "state" / "maka-ledger" / "copies" / "why-run-1.md"
        assert screen.app.clipboard == copy.read_text()
        assert copy.read_text().startswith("# REPLAY BLOCKED: run `run-1`")
        assert "clipboard (OSC 52)" in notices(screen)[0]
        assert "why-run-1.md" in notices(screen)[0]

        await pilot.press("y", "down", "enter")
        await settle(pilot)
        assert screen.app.clipboard == "e11"
        assert (copy.parent / "event-id.txt").read_text() == "e11"

        await pilot.press("y", "escape")
        await settle(pilot)
        assert len(notices(screen)) == 2

    on_sample(tmp_path / "root", "may_have_run", steps)


def test_help_and_palette_know_the_keys_of_this_screen(tmp_path: Path) -> None:
    """The help lists the keys of a run and explains the codes on the screen; the palette runs its commands."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(screen.app.screen, HelpScreen)
        assert "End the prefix one event earlier" in text(screen)
        await pilot.press("escape", "ctrl+p")
        await pilot.pause(0.2)
        await pilot.press(*"event")
        await pilot.pause(0.4)
        await pilot.press("enter")
        await pilot.pause(0.4)
        await settle(pilot)
        assert screen.tabs.open == "Event"

    on_sample(tmp_path, "may_have_run", steps, size=(120, 60))


def test_other_colours_at_any_time(tmp_path: Path) -> None:
    """A change of theme redraws every row in the new colours."""

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        screen.app.action_toggle_theme()
        await pilot.pause()
        await pilot.pause()
        doubt = screen.app.theme_variables["doubt"]
        assert screen.app.theme == LIGHT
        line = screen.app.screen._compositor.render_strips()[15]
        assert doubt in {segment.style.color.name for segment in line if segment.style and segment.style.color}

    on_sample(tmp_path, "may_have_run", steps)


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
def test_leaving(tmp_path: Path, key: str) -> None:
    """On a first screen both keys leave, with the code for success, and the ledger is given back."""
    opened = []

    async def steps(screen: RunScreen, pilot: Pilot[Any]) -> None:
        opened.append(screen.opened)
        await pilot.press(key)
        await pilot.pause()

    app = on_sample(tmp_path, "may_have_run", steps)

    assert app.return_code == 0
    assert opened[0] is not None
    assert opened[0].ledger.source._file._descriptor == -1
