"""Everything about a run beside its events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core import RunLink, SheetLine, inspect, open_workspace, run_sheet
from tests.support import run_samples as samples
from tests.support.workspaces import make_run


def sheet(root: Path, write: Callable[[Path], None]) -> dict[str, tuple[SheetLine, ...]]:
    """Write a sample and return the sections of its sheet."""
    write(root)
    inspection = inspect(samples.open_sample(root).ledger(), now_ms=samples.NOW)
    return {section.title: section.lines for section in run_sheet(inspection)}


def test_header_and_ledger_side_by_side(tmp_path: Path) -> None:
    """That header and ledger contradict each other is said first, and marked."""
    first, explained, *_ = sheet(tmp_path, samples.disagreeing)["Header and ledger"]

    assert first == SheetLine("header completed, no terminal fact: DISAGREE.", contradicts=True)
    assert explained.text == "The header says one thing and the ledger another. The ledger decides."


def test_an_unfinished_run_is_no_contradiction(tmp_path: Path) -> None:
    """A run that was still going is unfinished, and its last write has time and age."""
    first, _, written = sheet(tmp_path, samples.may_have_run)["Header and ledger"]

    assert first == SheetLine("header running, no terminal fact: unfinished.")
    assert (written.name, written.text) == ("last write", "2026-11-29 12:00:27.000 UTC, 2 h ago")


def test_the_terminal_fact_leads_to_its_row(tmp_path: Path) -> None:
    """An ended run names the event that ended it."""
    lines = sheet(tmp_path, samples.replayable)["Header and ledger"]

    assert SheetLine("event 11, completed", "terminal fact", row=10) in lines


def test_a_lonely_run_says_so(tmp_path: Path) -> None:
    """Without relatives there is a sentence, not a gap."""
    assert sheet(tmp_path, samples.replayable)["Other runs"] == (SheetLine("No other run is linked to this one."),)


def test_findings_lead_to_their_rows(tmp_path: Path) -> None:
    """Every remark on the storage has its code, its place, and the row where there is one."""
    found = sheet(tmp_path, samples.unreadable)["Remarks on the storage"]

    assert [(line.name, line.row, line.contradicts) for line in found] == [("row_invalid_event", 5, True)]
    assert found[0].text.startswith("line 6, byte ")
    assert "$.content.kind" in found[0].text


def test_the_whole_header_is_there(tmp_path: Path) -> None:
    """Each field stands under its own name, times as times."""
    fields = {line.name: line.text for line in sheet(tmp_path, samples.may_have_run)["Header"]}

    assert fields["cwd"] == "/home/dev/projects/harbor"
    assert fields["createdAt"] == "2026-11-29 12:00:00.000 UTC"
    assert "parentRunId" not in fields


def test_a_missing_header_is_a_contradiction(tmp_path: Path) -> None:
    """Without a header there is no section about it, and the first line says what that means."""
    sections = sheet(tmp_path, samples.header_missing)

    assert "Header" not in sections
    assert sections["Header and ledger"][0].contradicts


@pytest.mark.parametrize(
    ("run_id", "name", "other"),
    [
        ("run-2", "continues", "run-1"),
        ("run-1", "continued by", "run-2"),
        ("run-1", "started", "run-3"),
        ("run-3", "started by", "run-1"),
        ("run-4", "retries", "run-3"),
        ("run-3", "retried by", "run-4"),
    ],
)
def test_relatives_lead_to_their_runs(tmp_path: Path, run_id: str, name: str, other: str) -> None:
    """Parent, children, continuations and retries are named and can be gone to."""
    source = {"sourceInvocationId": "i", "sourceRunId": "run-1", "sourceTurnId": "t", "sourceRuntimeEventHighWater": 1}
    for run, links in (
        ("run-1", {}),
        ("run-2", {"continuationSource": source}),
        ("run-3", {"parentRunId": "run-1"}),
        ("run-4", {"retriedFromRunId": "run-3"}),
    ):
        make_run(tmp_path, [], head=samples.header_of(runId=run, **links))
    with open_workspace(tmp_path) as workspace:
        lines = {s.title: s.lines for s in run_sheet(inspect(workspace.run(run_id).ledger()))}["Other runs"]

    found = next(line for line in lines if line.name == name)
    assert (found.text, found.run) == (other, RunLink("sess-1", other))
