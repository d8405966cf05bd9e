"""What-if: the first n events of a ledger are decided as a ledger that holds these n events alone."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import Ledger, RuntimeEvent, build_resume_plan, inspect, open_workspace, replay_view
from core.decision.resume import summary_at, with_storage_faults
from core.inspection.inspect import storage_faults
from core.inspection.verdict_facts import what_if_disposition

PACKED = Path(__file__).parent.parent / "data" / "sqlite-workspaces.tar.xz"

_FULL = 400
"""Events of a ledger up to which each single prefix is planned alone; of a longer one every seventh, and the last."""


def ledgers(folder: Path) -> Iterator[tuple[str, Ledger]]:
    """Open every ledger of every workspace of a folder."""
    for root in sorted(path for path in folder.iterdir() if path.is_dir()):
        with open_workspace(root) as workspace:
            for run in workspace.runs():
                ledger = run.ledger()
                yield f"{root.name}/{run.session_id}/{run.run_id}", ledger
                ledger.close()


def differences(name: str, ledger: Ledger) -> Iterator[str]:
    """Compare every prefix of one ledger."""
    events: list[RuntimeEvent] = list(ledger)
    whole = inspect(ledger)
    step = 1 if len(events) <= _FULL else 7
    for end in sorted({*range(0, len(events) + 1, step), len(events)}):
        alone = with_storage_faults(build_resume_plan(events[:end]), storage_faults(ledger))
        asked = inspect(ledger, high_water=end)
        if asked.plan.as_document() != alone.as_document():
            yield f"{name}: another plan for the first {end} events"
        if what_if_disposition(whole, end) is not alone.disposition:
            yield f"{name}: another quick answer for the first {end} events"
        if summary_at(ledger.tool_ledger, end, ledger).disposition is not build_resume_plan(events[:end]).disposition:
            yield f"{name}: another strip at event {end}"
        if len(replay_view(asked)) != end:
            yield f"{name}: another replay for the first {end} events"


def test_every_prefix_of_every_recorded_ledger(workspaces: Path) -> None:
    """Whatever prefix a person asks about gets the plan, the quick answer and the strip of that prefix alone."""
    seen, wrong = 0, []
    for name, ledger in ledgers(workspaces):
        seen += 1
        wrong += list(differences(name, ledger))

    assert wrong == []
    assert seen == 103


def test_every_prefix_of_every_recorded_database(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The same holds for ledgers that a database keeps."""
    folder = tmp_path_factory.mktemp("databases")
    with tarfile.open(PACKED) as packed:
        packed.extractall(folder, filter="data")
    seen, wrong = 0, []
    for name, ledger in ledgers(folder):
        seen += 1
        wrong += list(differences(name, ledger))

    assert wrong == []
    assert seen > 30
