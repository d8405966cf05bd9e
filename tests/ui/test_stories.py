"""Fifteen people open the workspaces that they came with, and read their answers."""

from __future__ import annotations

import tarfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from tests.support.aio import run
from tests.support.command import maka
from tests.support.harbor import NOW_MS, harbor_workspace
from tests.support.run_samples import (
    NOW,
    SAMPLES,
    at,
    header_of,
    said,
    settled_rows,
    tool,
    write_sample,
)
from tests.support.run_screens import press, settle
from tests.support.runs import event, terminal, text
from tests.support.shots import screen_lines
from tests.support.stillness import rest
from tests.support.workspaces import fingerprint
from viewer.app import ViewerApp
from viewer.opening import first_screen, open_target
from viewer.screens.run import RunScreen
from viewer.screens.workspace import WorkspaceScreen
from viewer.targets import parse_target
from viewer.widgets.lines import LineList

PACKED = Path(__file__).parent.parent / "data" / "sqlite-workspaces.tar.xz"

Body = Callable[[ViewerApp, Pilot[Any]], Awaitable[None]]


def open_as_given(path: str | Path, body: Body, *, expected: int | None = None, now_ms: float = NOW) -> None:
    """Open what a person gives on the command line, on a screen of 120 by 36, and hold that nothing there changes."""
    target = parse_target(str(path))
    root = Path(target.path)
    before = fingerprint(root)
    opened = open_target(target)
    app = ViewerApp(lambda: first_screen(opened, expected_high_water=expected), now_ms=lambda: now_ms)

    async def steps() -> None:
        async with app.run_test(size=(120, 36)) as pilot:
            if opened.run is not None:
                await settle(pilot)
            else:
                await rest(pilot)
                await pilot.pause()
            await body(app, pilot)

    run(steps())
    opened.workspace.close()
    assert fingerprint(root) == before


def open_sample(root: Path, name: str, body: Body, **options: Any) -> None:
    """Write a sample and open it."""
    SAMPLES[name](root)
    open_as_given(root, body, **options)


def reads(app: ViewerApp, *words: str) -> None:
    """Hold that a person reads these words on the screen, wherever lines end."""
    shown = " ".join(" ".join(screen_lines(app)).replace("│", " ").split())
    for one in words:
        assert one in shown, f"{one!r} is not in\n" + "\n".join(screen_lines(app))


async def page(pilot: Pilot[Any], key: str, *, zoomed: bool = False) -> None:
    """Turn to a page of the lower pane."""
    await press(pilot, key)
    if zoomed:
        cast("RunScreen", pilot.app.screen).detail.focus()
        await press(pilot, "z")
    await rest(pilot)
    await pilot.pause()


def test_1_a_call_that_never_started(tmp_path: Path) -> None:
    """Recorded, never dispatched: it had not started, so nobody need audit the world for it."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        reads(
            app,
            "1 unresolved call never dispatched: Bash npm publish",
            "By this run's protocol it had not started. Replay stays blocked.",
            "NOT DISPATCHED",
            "tool_not_dispatched",
        )
        assert "MAY HAVE RUN" not in "\n".join(screen_lines(app))

    open_sample(tmp_path, "not_dispatched", body)


def test_2_a_call_that_may_have_run(tmp_path: Path) -> None:
    """Tool, arguments, place, time and what the ledger does not show are there at once."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        reads(
            app,
            "1 unresolved call may have run: Bash npm run deploy -- --prod",
            "Do not run it again until you have checked the target.",
            "event 11",
            "command npm run deploy -- --prod",
            "in /home/dev/projects/harbor",
            "called 2026-11-29 12:00:21.704 UTC, 2 h ago",
            "The ledger does not show Whether it started, finished or took effect.",
            "1 Look at the target: did the effect land?",
        )

    open_sample(tmp_path, "may_have_run", body)


def test_3_a_transcript_that_just_stops(tmp_path: Path) -> None:
    """A response without a call is found by `e`, and where the ledger ends is drawn."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        screen = cast("RunScreen", app.screen)
        await press(pilot, "G", "e", "e", "e")
        while screen.here != 6:
            await press(pilot, "e")
        reads(app, "7", "response", "orphan_response", "end of the committed prefix: 7 events")

    open_sample(tmp_path, "contradictory", body)


def test_4_a_run_that_seems_to_answer_for_ever(tmp_path: Path) -> None:
    """Header and ledger contradict each other, and it is said which decides."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        reads(app, "header completed, no terminal fact: DISAGREE")
        await page(pilot, "4", zoomed=True)
        reads(app, "The header says one thing and the ledger another. The ledger decides.")

    open_sample(tmp_path, "disagreeing", body)


def test_5_a_run_that_waits_for_a_person(tmp_path: Path) -> None:
    """The call that waits, the question, and the absent terminal fact are read together."""
    asked = [{"question": "Which region?", "options": [{"label": "eu"}, {"label": "us"}]}]
    question = {"requestId": "q1", "toolUseId": "t1", "questions": asked}
    rows = [
        text("e1", "Pick a region", ts=at(1)),
        tool("e2", 2, "t1", "AskUserQuestion", {"questions": ["Which region?"]}),
        event("e3", ts=at(3), role="system", author="system", actions={"userQuestionRequest": question}),
    ]
    write_sample(tmp_path, rows, head=header_of(status="waiting_for_user"))

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        reads(
            app,
            "1 unresolved call may have run: AskUserQuestion",
            "header waiting_for_user, no terminal fact: unfinished",
            "a question was asked of the user, event 3",
        )

    open_as_given(tmp_path, body)


def test_6_an_event_of_an_unknown_kind(tmp_path: Path) -> None:
    """Every other event is listed, and the unknown one is shown as it is."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        screen = cast("RunScreen", app.screen)
        reads(app, "UNREADABLE", "Deploy the fix for the port clash", "Still here", "Edit")
        await press(pilot, "e")
        while screen.here != 5:
            await press(pilot, "e")
        await page(pilot, "5")
        reads(app, "row_invalid_event: $.content.kind", '"kind":"hologram"')

    open_sample(tmp_path, "unreadable", body)


def test_7_a_ledger_that_is_damaged_in_the_middle(tmp_path: Path) -> None:
    """What stands before and after is readable, the damage is located, and the terminal fact can be judged."""
    bad = said("e7", 6, "x")
    bad["content"]["kind"] = "hologram"
    write_sample(
        tmp_path,
        [*settled_rows()[:6], bad, *settled_rows()[7:], terminal("e11", ts=at(22))],
        head=header_of(status="completed"),
    )

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        reads(app, "REPLAY BLOCKED", "line 7", "Deploy the fix for the port clash", "Tests pass. Deploying now.")
        reads(app, "end of the committed prefix: 6 events", "not counted")
        await page(pilot, "4", zoomed=True)
        reads(app, "row_invalid_event", "How it ended may stand in what could not be read.")

    open_as_given(tmp_path, body)


def test_8_half_a_last_line(tmp_path: Path) -> None:
    """The fragment is shown with its place and decides nothing: the prefix before it does."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        reads(app, "HISTORY MAY BE REPLAYED", "TORN ROW line 11, byte", "not an event", "not counted")
        await page(pilot, "3")
        reads(app, "The filter keeps all 10.")

    open_sample(tmp_path, "torn", body)


def test_9_every_retry_fails_at_once(tmp_path: Path) -> None:
    """The call of the history that has no response is first among the operations, and has no other half."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        reads(app, "2 unresolved calls may have run: Read", "NO RESPONSE", "#4997 → –", "#2400 → –")
        await press(pilot, "e")
        assert cast("RunScreen", app.screen).here == 2399
        await press(pilot, "o")
        assert [notice.message for notice in app._notifications] == [
            "No doubt below: back at the first one.",
            "No response is recorded.",
        ]

    open_sample(tmp_path, "long", body)


def test_10_a_database_of_a_newer_maka(tmp_path: Path) -> None:
    """It is said that it is newer, what is known is read, and opening it changes nothing."""
    with tarfile.open(PACKED) as packed:
        members = [
            member for member in packed.getmembers() if member.name.startswith(("schema-newer/", "./schema-newer/"))
        ]
        packed.extractall(tmp_path, members=members, filter="data")

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        assert isinstance(app.screen, WorkspaceScreen)
        reads(app, "read-only", "newer than this tool", "MAY HAVE RUN", "2 of 2 runs read")
        await pilot.press("i")
        await pilot.pause()
        reads(app, "schema_newer")
        remarks = app.screen.query_one(LineList)
        path = str(tmp_path / "schema-newer" / "runtime.sqlite")
        assert path in "".join(remarks.render_line(y).text.strip() for y in range(remarks.size.height))

    open_as_given(tmp_path / "schema-newer", body)


def test_11_persistence_failed(tmp_path: Path) -> None:
    """The list has the decoder's complaint with row, byte and field; the run has it too."""
    root = tmp_path / "default"
    harbor_workspace(root)

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        reads(app, "! UNREADABLE", "row 7, byte", "$.content.kind")
        await pilot.press("slash", *"run-91aa", "enter")
        await rest(pilot)
        await pilot.pause()
        reads(app, "keep a copy of the storage as it is")

    open_as_given(root, body, now_ms=NOW_MS)


def test_12_nothing_was_interrupted(tmp_path: Path) -> None:
    """Expected states are information: the history may be replayed, nothing is in doubt, and the exit code is 0."""

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        reads(app, "✓ HISTORY MAY BE REPLAYED", "Runs no tool, undoes nothing, checks no target.")
        await press(pilot, "e")
        assert [notice.message for notice in app._notifications] == ["Nothing is in doubt here."]

    open_sample(tmp_path, "replayable", body)

    done = maka("check", str(tmp_path))
    assert done.returncode == 0
    assert done.stderr == b""


def test_13_thousands_of_events(tmp_path: Path) -> None:
    """Search and filter count what they find, and a link leads a colleague to the exact event."""
    SAMPLES["long"](tmp_path)

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        screen = cast("RunScreen", app.screen)
        await press(pilot, "slash", *"part-1200.py", "enter")
        assert screen.here == 2399
        reads(app, "part-1200.py 1 of 1")
        await press(pilot, "f", *"status:indeterminate", "enter")
        assert screen.kept == [2399, 4996]
        reads(app, "2 of 5,000 rows kept: status is indeterminate")
        await press(pilot, "f", *"kind:error", "enter")
        reads(app, "Nothing is kept: kind is error. esc clears the filter.")
        await press(pilot, "escape")
        assert screen.here == 2399

    open_as_given(tmp_path, body)

    async def colleague(app: ViewerApp, pilot: Pilot[Any]) -> None:
        assert cast("RunScreen", app.screen).here == 2399
        reads(app, "part-1200.py")

    open_as_given(f"{tmp_path}#run-1#c1200", colleague)


def test_14_a_slice_for_a_bug_report(tmp_path: Path) -> None:
    """The redacted slice opens like any run, is decided alike, and says nothing of what was said."""
    source, repro = tmp_path / "default", tmp_path / "repro"
    SAMPLES["may_have_run"](source)
    assert maka("export", str(source), "--redact", "-o", str(repro)).returncode == 0

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        reads(app, "1 unresolved call may have run: Bash", "pending_tool_result (dangling_tool_state)")
        await page(pilot, "5")
        assert "deploy" not in "\n".join(screen_lines(app))

    open_as_given(repro, body)


@pytest.mark.parametrize(
    ("name", "expected", "headline"),
    [
        ("may_have_run", 20, "1 unresolved call may have run:"),
        ("replayable", 8, "expected 8 events, found 11"),
    ],
)
def test_15_another_length_than_a_checkpoint_names(tmp_path: Path, name: str, expected: int, headline: str) -> None:
    """Expected, found and the first difference are a reason of their own, beside a doubt and without one."""
    found = 13 if name == "may_have_run" else 11
    first = min(expected, found) + 1

    async def body(app: ViewerApp, pilot: Pilot[Any]) -> None:
        reads(app, "REPLAY BLOCKED", headline, "OTHER LENGTH", f"event {first} is the first", "runtime_offset_mismatch")
        await press(pilot, "g")
        reads(app, f"expected {expected} committed events", f"found {found} committed events", f"event {first} is")

    open_sample(tmp_path, name, body, expected=expected)
