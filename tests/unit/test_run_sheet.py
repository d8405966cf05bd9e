"""Everything about a run beside its events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core import RunLink, SheetLine, inspect, open_workspace, run_sheet
from core.storage.beside import Beside, Owner, PendingInteraction
from core.storage.lineage import ContinuationClaim, Lineage
from tests.support import run_samples as samples
from tests.support.runs import terminal, text
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


def test_events_behind_the_terminal_fact_are_counted(tmp_path: Path) -> None:
    """A run that went on after its end says so, and leads to the first row behind it."""
    make_run(tmp_path, [text("e1"), terminal("e2"), text("e3")])
    with open_workspace(tmp_path) as workspace:
        first, *_ = run_sheet(inspect(workspace.runs()[0].ledger()))

    assert SheetLine("1 event behind the terminal fact", row=2) in first.lines


def beside(tmp_path: Path, evidence: Beside) -> dict[str, tuple[SheetLine, ...]]:
    """Return the sections of a run that has this evidence beside it."""
    make_run(tmp_path, [text("e1")])
    with open_workspace(tmp_path) as workspace:
        ledger = replace(workspace.runs()[0].ledger(), keyed=True, beside=evidence)
        return {section.title: section.lines for section in run_sheet(inspect(ledger))}


@pytest.mark.parametrize(
    ("high_water", "began", "said"),
    [(12.0, "e1", "run-2 from 12 events"), (None, None, "run-2, never began")],
)
def test_a_claim_leads_to_its_run(tmp_path: Path, high_water: float | None, began: str | None, said: str) -> None:
    """Who claimed to continue a run is named, from how much of it, and whether it ever began."""
    claim = ContinuationClaim("c", "sess-1", "run-1", high_water, "sess-2", "run-2", None, began, None)
    lines = beside(tmp_path, Beside(lineage=lambda: Lineage(claims=(claim,))))["Other runs"]

    assert lines == (SheetLine(said, "claimed by", run=RunLink("sess-2", "run-2")),)


@pytest.mark.parametrize(
    ("asked_ms", "call", "said"),
    [
        (1e12, "t1", "q1, call t1, asked 2001-09-09 01:46:40.000 UTC; no answer is recorded"),
        (None, None, "q1; no answer is recorded"),
    ],
)
def test_what_waits_for_a_person_is_listed(tmp_path: Path, asked_ms: float | None, call: str | None, said: str) -> None:
    """A question without an answer stands there by its kind, with its call and its time where they are known."""
    waiting = PendingInteraction("q1", "sess-1", "run-1", "turn-1", "permission", asked_ms, b"{}", call)
    lines = beside(tmp_path, Beside(interactions=lambda: (waiting,)))["Waits for a person"]

    assert lines == (SheetLine(said, "permission"),)


@pytest.mark.parametrize(
    ("owner", "said"),
    [
        (Owner(known=True, pid=7), "process 7 has it open"),
        (Owner(known=True, pid=0), "a process has it open"),
        (Owner(known=False), "this system cannot tell whether a process has it open"),
    ],
)
def test_who_has_the_database_open_is_named(tmp_path: Path, owner: Owner, said: str) -> None:
    """By its number where the system tells, and it is said where the system cannot tell at all."""
    assert SheetLine(said, "open in") in beside(tmp_path, Beside(owner=lambda: owner))["Storage"]


def test_a_database_that_nobody_has_open_says_nothing_of_it(tmp_path: Path) -> None:
    """No line speaks of other processes where it is known that there is none."""
    lines = beside(tmp_path, Beside(owner=lambda: Owner(known=True)))["Storage"]

    assert [line for line in lines if line.name == "open in"] == []


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
