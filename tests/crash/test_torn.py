"""Children that are killed while they append: no acknowledged row is lost, no torn row counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core import (
    Disposition,
    ResumePlan,
    RuntimeEvent,
    TornReport,
    build_resume_plan,
    crash_document,
    open_workspace,
    run_torn_harness,
)

SEEDS = range(25)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[TornReport, ...]]:
    """Kill once a seed, into a workspace that stays."""
    root = tmp_path_factory.mktemp("torn")
    return root, run_torn_harness(SEEDS, root)


def test_no_acknowledged_row_is_lost(kept: tuple[Path, tuple[TornReport, ...]]) -> None:
    """Every kill holds: acknowledged rows are there, at most one more is, and appending goes on behind a torn row."""
    _, reports = kept

    failed = {report.seed: [check for check in report.checks if not check.passed] for report in reports}
    assert failed == {seed: [] for seed in SEEDS}
    assert all(report.passed and 0 <= report.committed - report.acknowledged <= 1 for report in reports)


def test_repaired_ledgers_are_sound(kept: tuple[Path, tuple[TornReport, ...]]) -> None:
    """Behind the append that came after the kill, each ledger holds one more row and no torn one."""
    root, reports = kept
    with open_workspace(root) as workspace:
        ledgers = {run.session_id: run.ledger() for run in workspace.runs()}
    assert {name: len(ledger) for name, ledger in ledgers.items()} == {
        f"torn-{report.seed}": report.committed + 1 for report in reports
    }
    assert not any(ledger.findings for ledger in ledgers.values())


def test_seeds_choose_different_places(kept: tuple[Path, tuple[TornReport, ...]]) -> None:
    """The kills fall all over the run, not always at its end."""
    _, reports = kept

    assert len({report.acknowledged for report in reports}) > 5


def test_document_has_every_kill(kept: tuple[Path, tuple[TornReport, ...]]) -> None:
    """The document tells how many rows were acknowledged, committed and torn at each kill."""
    _, reports = kept
    document = crash_document((), reports)

    assert document["passed"] is True
    assert [found["seed"] for found in document["torn"]] == list(SEEDS)  # type: ignore[index,attr-defined]  # any JSON


def test_broken_projection_fails() -> None:
    """A projection that decides the other way fails wherever the kill falls."""

    def turned_round(events: Sequence[RuntimeEvent]) -> ResumePlan:
        plan = build_resume_plan(events)
        return replace(plan, disposition=Disposition.SAFE_REPLAY if plan.blocked else Disposition.BLOCKED)

    reports = run_torn_harness(range(2), project=turned_round)

    assert not any(report.passed for report in reports)
    assert {check.code for report in reports for check in report.checks if not check.passed} <= {
        "decision",
        "same_plan_in_workspace",
    }
