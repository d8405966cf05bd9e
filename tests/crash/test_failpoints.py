"""The process-crash harness on the twelve failpoints, and whether it would notice if the contract were broken."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from core import (
    RUNTIME_RESUME_FAILPOINTS,
    CrashReport,
    Disposition,
    RequestError,
    ResumePlan,
    RuntimeEvent,
    build_resume_plan,
    crash_document,
    encode_document,
    open_workspace,
    run_crash_harness,
)
from core.crash.checks import Project

IDS = [failpoint.id for failpoint in RUNTIME_RESUME_FAILPOINTS]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[CrashReport, ...]]:
    """Run the whole harness once, into a workspace that stays."""
    root = tmp_path_factory.mktemp("kept")
    return root, run_crash_harness(workspace_root=root)


def failed_checks(report: CrashReport) -> set[str]:
    """Return the codes of the checks that did not hold."""
    return {check.code for check in report.checks if not check.passed}


def test_every_failpoint_passes(kept: tuple[Path, tuple[CrashReport, ...]]) -> None:
    """All twelve hold, in the order of the catalog, and nothing is complained of."""
    _, reports = kept

    assert [report.failpoint.id for report in reports] == IDS
    assert [failed_checks(report) for report in reports] == [set()] * 12
    assert all(report.passed and report.seen == report.expected and not report.child_stderr for report in reports)


def test_decisions_are_those_of_the_contract(kept: tuple[Path, tuple[CrashReport, ...]]) -> None:
    """What the reports call expected is the contract's table, written out here once more."""
    _, reports = kept
    blocked = "blocked, 1 indeterminate, dangling_tool_state, replays 0"
    succeeded, failed = "safe_replay, 1 succeeded, replays 2", "safe_replay, 1 failed, replays 2"

    assert [report.expected for report in reports] == [
        "safe_replay, no operation",
        *[blocked] * 4,
        *[succeeded, failed] * 3,
        succeeded,
    ]


def test_kept_workspace_can_be_opened(kept: tuple[Path, tuple[CrashReport, ...]]) -> None:
    """A workspace that is kept holds one crashed run a failpoint and none of the harness's own files."""
    root, _ = kept
    with open_workspace(root) as workspace:
        assert {run.run_id for run in workspace.runs()} == {f"run-{name}" for name in IDS}
    assert [path.name for path in root.iterdir()] == ["sessions"]


def test_document_says_it_all(kept: tuple[Path, tuple[CrashReport, ...]]) -> None:
    """The JSON document names schema, place and every check."""
    _, reports = kept
    document = json.loads(encode_document(crash_document(reports)))

    assert document["schema"] == "maka-ledger/crash-test@1"
    assert document["passed"] is True
    assert [found["id"] for found in document["failpoints"]] == IDS
    assert all(check["passed"] for found in document["failpoints"] for check in found["checks"])


def test_same_root_again_takes_other_sessions(tmp_path: Path) -> None:
    """A second run into the same state root disturbs nothing and passes as well."""
    for _ in range(2):
        assert all(report.passed for report in run_crash_harness(["P5"], tmp_path))
    assert sorted(path.name for path in (tmp_path / "sessions").iterdir()) == ["crash-P5", "crash-P5-2"]


def test_state_root_may_be_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative state root is relative to the current folder, for the children too."""
    monkeypatch.chdir(tmp_path)

    assert run_crash_harness(["P5"], "here/and there")[0].passed
    assert (tmp_path / "here/and there/sessions/crash-P5").is_dir()


def test_unknown_failpoint_is_refused() -> None:
    """An id that is not in the catalog is an error before anything is started."""
    with pytest.raises(RequestError, match="P12"):
        run_crash_harness(["P12"])


def test_reports_come_one_by_one() -> None:
    """Each report is handed out when it is ready, in order."""
    seen: list[str] = []
    run_crash_harness(["P4", "P0"], on_report=lambda report: seen.append(report.failpoint.id))

    assert seen == ["P4", "P0"]


def never_blocked(events: Sequence[RuntimeEvent]) -> ResumePlan:
    """Project as always, and let everything pass."""
    return replace(build_resume_plan(events), disposition=Disposition.SAFE_REPLAY, rejection_reasons=())


def without_last(events: Sequence[RuntimeEvent]) -> ResumePlan:
    """Project all but the last event."""
    return build_resume_plan(events[:-1])


def always_another() -> Project:
    """Return a projection that never gives the same plan twice."""
    numbers = count()
    return lambda events: build_resume_plan(events, expected_high_water=1000 + next(numbers))


def raising(events: Sequence[RuntimeEvent]) -> ResumePlan:
    """Project nothing."""
    raise ValueError(f"{len(events)} events are too many")


@pytest.mark.parametrize(
    ("failpoint", "project", "code"),
    [
        ("P3", never_blocked, "decision"),
        ("P1", without_last, "decision"),
        ("P6", without_last, "decision"),
        ("P9", without_last, "same_decision_as_before_terminal"),
        ("P2", always_another(), "same_plan_twice"),
        ("P0", raising, "reopened"),
    ],
)
def test_broken_projection_fails(failpoint: str, project: Project, code: str) -> None:
    """A projection that breaks one sentence of the contract is found out by the check of that sentence."""
    (report,) = run_crash_harness([failpoint], project=project)

    assert not report.passed
    assert code in failed_checks(report)


def test_projection_that_writes_fails(tmp_path: Path) -> None:
    """A projection that touches the ledger is found out, even if its decision is right."""
    ledger = tmp_path / "sessions/crash-P3/runs/run-P3/runtime-events.jsonl"

    def project(events: Sequence[RuntimeEvent]) -> ResumePlan:
        ledger.write_bytes(ledger.read_bytes() + b"\n")
        return build_resume_plan(events)

    (report,) = run_crash_harness(["P3"], tmp_path, project=project)

    assert "bytes_unchanged" in failed_checks(report)


def test_projection_is_called_on_what_was_committed() -> None:
    """The projection under test gets the committed prefix, whole and in order, and nothing else."""
    asked: list[tuple[int, ...]] = []

    def recording(inner: Callable[[Sequence[RuntimeEvent]], ResumePlan]) -> Project:
        def project(events: Sequence[RuntimeEvent]) -> ResumePlan:
            asked.append(tuple(int(event.id[-3:]) for event in events))
            return inner(events)

        return project

    assert run_crash_harness(["P4"], project=recording(build_resume_plan))[0].passed
    assert set(asked) == {(1, 2, 3, 4)}
