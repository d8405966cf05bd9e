"""A database that has lost commits for sure: what is left may be a whole plan, and is never called replayable."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import Verdict, inspect, open_workspace, triage
from viewer.cli import main
from viewer.styles import DISPOSITIONS, UNREADABLE, decision_look


def test_lost_commits_are_never_called_replayable(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The plan of what is left may allow replay; verdict, list, look and exit code say that something is missing."""
    root = recorded / "truncated-wal"
    with open_workspace(root) as workspace:
        inspections = [inspect(run.ledger()) for run in workspace.runs()]
        summaries = list(triage(workspace))

    assert {inspection.plan.disposition for inspection in inspections} == {"safe_replay"}
    assert {inspection.verdict for inspection in inspections} == {Verdict.UNREADABLE}
    assert not any(summary.replayable for summary in summaries)
    assert main(["check", str(root)]) == 3
    assert "0 replayable" in capsys.readouterr().out
    assert decision_look("safe_replay", "unreadable") is UNREADABLE


def test_a_database_that_was_closed_in_order_hides_nothing(recorded: Path) -> None:
    """Without a loss that is proved, runs keep their verdicts."""
    with open_workspace(recorded / "statuses-clean-shutdown") as workspace:
        assert any(summary.replayable for summary in triage(workspace))


def test_other_decisions_keep_their_look() -> None:
    """Only a plan that stands on the rest of a damaged storage changes its look."""
    assert decision_look("safe_replay", "replayable") is DISPOSITIONS["safe_replay"]
    assert decision_look("blocked", "unreadable") is DISPOSITIONS["blocked"]
