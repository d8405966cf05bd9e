"""The demonstration's workspace: every verdict is in it, it is the same every time, and it is never left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import (
    OperationStatus,
    Verdict,
    Workspace,
    build_demo,
    inspect,
    open_workspace,
    summarize_run,
)
from core.crash.process import ChildFailed
from tests.support import children
from tests.support.workspaces import fingerprint
from viewer.demo import newest_event_ms

NEWEST_MS = 1_795_953_624_200
"""2026-11-29 12:00:24.200 UTC."""

NOW_MS = NEWEST_MS + 2 * 3_600_000


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the demonstration's workspace once; tests must not change it."""
    root = tmp_path_factory.mktemp("demo") / "default"
    build_demo(root, NEWEST_MS)
    return root


@pytest.fixture
def workspace(root: Path) -> Workspace:
    """Open the workspace."""
    return open_workspace(root)


def test_every_verdict_is_there(workspace: Workspace) -> None:
    """Each verdict has its run, and by its times nothing may be running."""
    verdicts = {run.run_id: summarize_run(run, now_ms=NOW_MS).verdict for run in workspace.runs()}

    calm = {
        f"run-{name}": Verdict.REPLAYABLE for name in ("0002", "0003", "22bd", "41e0", "7f3c", "91a4", "91a5")
    }  # fmt: skip
    assert verdicts == calm | {
        "run-7f3e": Verdict.MAY_HAVE_RUN,
        "run-22c0": Verdict.MAY_HAVE_RUN,
        "run-41d9": Verdict.MAY_HAVE_RUN,
        "run-91aa": Verdict.UNREADABLE,
        "run-5e0c": Verdict.CONTRADICTORY,
        "run-0b7d": Verdict.PARKED,
        "run-5e11": Verdict.NOT_DISPATCHED,
    }


def test_nothing_may_be_running_however_soon_it_is_opened(workspace: Workspace) -> None:
    """A minute after its newest event not even the newest run is taken for one at work."""
    soon = NEWEST_MS + 120_000

    assert Verdict.MAY_BE_RUNNING not in {summarize_run(run, now_ms=soon).verdict for run in workspace.runs()}


def test_the_deployment_is_the_readmes_picture(workspace: Workspace) -> None:
    """13 events, the last call without a response, permission, heartbeat and a torn row that starts like the answer."""
    ledger = workspace.run("run-7f3e").ledger()
    inspection = inspect(ledger, now_ms=NOW_MS)
    doubt = inspection.doubts[0]

    assert (len(ledger), len(ledger.rows), doubt.tool_call_id, doubt.call_index) == (13, 14, "toolu_01Q8", 10)
    assert ledger.torn_tail is not None
    assert ledger.torn_tail.length == 143
    assert [witness.code for witness in inspection.witnesses_for(doubt)] == [
        "permission_asked",
        "permission_allowed",
        "heartbeat",
        "torn_row",
    ]
    assert [operation.status for operation in inspection.operations] == [
        OperationStatus.SUCCEEDED,
        OperationStatus.FAILED,
        OperationStatus.SUCCEEDED,
        OperationStatus.INDETERMINATE,
    ]


def test_other_stories_are_told(workspace: Workspace) -> None:
    """A permission was never answered, a doubtful run goes on in another, one run is an agent's, one has a trace."""
    pushed = workspace.run("run-22c0").ledger()
    (doubt,) = inspect(pushed).doubts
    doubtful, later = workspace.run("run-41d9"), workspace.run("run-41e0")
    child = workspace.run("run-91a5").header
    source = later.header.continuation_source if later.header else None

    assert "permission_unanswered" in {witness.code for witness in inspect(pushed).witnesses_for(doubt)}
    assert (doubtful.continued_by, later.continuation_of) == (("run-41e0",), "run-41d9")
    assert source
    assert source.source_runtime_event_high_water == len(doubtful.ledger())
    assert child is not None
    assert (child.parent_run_id, child.agent_name) == ("run-91a4", "reviewer")
    assert [record.type for record in workspace.run("run-0003").trace][-1] == "run_completed"
    assert {session.title for session in workspace.sessions} >= {"Fix the port clash", "Clean the history"}


def test_two_builds_are_equal(root: Path, tmp_path: Path) -> None:
    """Two workspaces with the same newest event have the same files, bytes and times of files."""
    build_demo(tmp_path, NEWEST_MS)
    first, second = (
        {name: found for name, found in fingerprint(place).items() if (place / name).is_file()}
        for place in (root, tmp_path)
    )

    assert first == second


def test_times_move_as_a_whole(tmp_path: Path) -> None:
    """With another newest event, in whole milliseconds, every event and every file is moved by the same distance."""
    build_demo(tmp_path, NEWEST_MS + 86_400_000)
    with open_workspace(tmp_path) as workspace:
        run = workspace.run("run-7f3e")
        times = run.ledger().rows.times

    assert max(time for time in times if time == time) == NEWEST_MS + 86_400_000
    assert run.last_write_ms == pytest.approx(NEWEST_MS + 86_400_000 + 2900)


def test_newest_event_is_about_two_hours_old() -> None:
    """Whatever the time, the crash is two hours ago and a little, and its seconds are those of the story."""
    for now_ms in range(int(NOW_MS), int(NOW_MS) + 120_000, 777):
        newest_ms = newest_event_ms(now_ms)
        assert 2 * 3_600_000 <= now_ms - newest_ms <= 2 * 3_600_000 + 120_000
        assert newest_ms % 60_000 == 24_200


def test_child_that_dies_is_told(tmp_path: Path) -> None:
    """A demonstration that cannot crash is an error with the child's own complaint."""
    with pytest.raises(ChildFailed) as raised:
        build_demo(tmp_path / "demo", NEWEST_MS, child=children.child_that_dies(tmp_path))

    assert raised.value.stderr == "I give up"
    assert "I give up" in str(raised.value.hint)


def test_child_that_is_not_killed_is_told(tmp_path: Path) -> None:
    """A demonstration whose children end by themselves did not crash, and does not pretend to have."""
    with pytest.raises(ChildFailed, match="did not crash"):
        build_demo(tmp_path / "demo", NEWEST_MS, child=children.child_that_skips_its_kill(tmp_path))


def test_no_left_overs(root: Path) -> None:
    """There is no temporary file of a writer in the workspace, and every file is in a session."""
    files = [path.relative_to(root).parts for path in root.rglob("*") if path.is_file()]

    assert {parts[0] for parts in files} == {"sessions"}
    assert {Path(parts[-1]).suffix for parts in files} == {".json", ".jsonl", ".partial"}
