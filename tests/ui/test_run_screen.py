"""The screen of one run: where it opens, how its cursors follow each other, and what each key does."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core import OperationStatus
from tests.support.aio import run
from tests.support.run_samples import open_sample, said, settled_rows, touch, write_sample
from tests.support.run_screens import press, screen_of, settle, show_run, show_sample
from tests.support.shots import screen_lines
from tests.support.workspaces import fingerprint
from viewer.app import ViewerApp
from viewer.screens.copy import CopyScreen
from viewer.screens.help import HelpScreen
from viewer.screens.run import RunScreen
from viewer.screens.run_frame import PAGES
from viewer.themes import LIGHT

WIDE = (120, 36)
Steps = Callable[[RunScreen, Pilot[Any]], Coroutine[Any, Any, None]]


def on_sample(root: Path, name: str, steps: Steps, size: tuple[int, int] = WIDE, **options: Any) -> ViewerApp:
    """Open a sample and take some steps on its screen."""
    app = show_sample(root, name, **options)

    async def body() -> None:
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            await steps(screen_of(app), pilot)

    run(body())
    return app


def row(screen: RunScreen) -> int | None:
    """Give the 1-based number of the event under the cursor of the timeline."""
    chosen = screen.chosen
    return None if chosen is None or chosen.row is None else chosen.row + 1


def notices(screen: RunScreen) -> list[str]:
    """Give what was told by the way, the newest last."""
    return [notice.message for notice in screen.app._notifications]


def text(screen: RunScreen) -> str:
    """Give the screen as text."""
    return "\n".join(screen_lines(screen.app))


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
