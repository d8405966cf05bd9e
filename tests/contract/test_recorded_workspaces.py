"""Whole workspaces whose writers were really killed: every run is found, read and decided as recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core import Run, inspect, open_workspace
from tests.support.answers import plan_differences
from tests.support.workspaces import expectations, fingerprint


def _differences(run: Run, expect: dict[str, Any]) -> list[str]:
    ledger = run.ledger()
    plan = inspect(ledger).plan.as_document()
    if "eventIds" not in expect:
        return [] if plan["disposition"] == "blocked" else [f"{run.run_id}: must be blocked"]
    wrong = []
    if [event.id for event in ledger] != expect["eventIds"]:
        wrong.append(f"{run.run_id}: other events")
    if (ledger.torn_tail is not None) != expect["tornTail"]:
        wrong.append(f"{run.run_id}: torn tail")
    wrong += [f"{run.run_id}: {difference}" for difference in plan_differences(plan, expect["plan"])]
    return wrong


def test_every_recorded_run_is_decided_as_recorded(workspaces: Path) -> None:
    """All 103 runs of the ten workspaces give the recorded events and plans, and no file changes."""
    before = fingerprint(workspaces)
    wrong: list[str] = []
    seen = 0
    for expect in expectations(workspaces):
        with open_workspace(workspaces / expect["workspace"]) as workspace:
            found = {(run.session_id, run.run_id): run for run in workspace.runs()}
            for want in expect["runs"]:
                seen += 1
                wrong += _differences(found[want["sessionId"], want["runId"]], want)

    assert wrong == []
    assert seen == 103
    assert fingerprint(workspaces) == before
