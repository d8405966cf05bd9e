"""A redacted slice gets the decision of its source, is as small as it can be, and says nothing of what was said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from core import RuntimeEvent, build_resume_plan, decode_event, inspect, open_workspace
from core.decision.resume import ResumePlan
from core.evidence.redaction import Redactor
from core.evidence.redaction_events import EventRedactor
from core.evidence.redaction_repro import make_repro
from core.evidence.redaction_slice import Slice, decision, expected_of_slice, smallest_slice
from tests.support.ledgers import LEDGERS
from tests.support.vector_files import read_vectors
from tests.support.words import PLAIN_NAME, REPLACED, format_words, leaks, strings
from tests.support.workspaces import fingerprint

VECTORS = read_vectors("plan")
WORDS = format_words()
PHASES = sorted({vector["phase"] for vector in VECTORS})
OURS = frozenset({"withheld", "durationMs", "activityKind", "displayName", "intent"})


def _blocked(phase: str) -> list[tuple[dict[str, Any], tuple[RuntimeEvent, ...], ResumePlan]]:
    found = []
    for vector in VECTORS:
        if vector["phase"] == phase:
            events = tuple(decode_event(json.dumps(event).encode()) for event in vector["events"])
            plan = build_resume_plan(events, expected_high_water=vector.get("expectedHighWater"))
            if plan.blocked:
                found.append((vector, events, plan))
    return found


def _said(plan: ResumePlan) -> tuple[Any, ...]:
    issues = [(one.code, (one.detail or {}).get("issueCode")) for one in plan.diagnostics]
    unsettled = [(one.status, one.reason, one.hidden) for one in plan.unsettled]
    return plan.disposition, plan.rejection_reasons, plan.requires_verification, issues, unsettled


def _tool_names(events: list[Any]) -> set[str]:
    named = [event["content"].get("name", "") for event in events if "content" in event]
    named += [
        event["actions"]["toolDispatch"]["toolName"] for event in events if "toolDispatch" in event.get("actions", {})
    ]
    named += [
        event["actions"][action].get("toolName", "")
        for event in events
        for action in ("permissionRequest", "permissionDecision")
        if action in event.get("actions", {})
    ]
    return {name for name in named if PLAIN_NAME.fullmatch(name)}


@pytest.mark.parametrize("phase", PHASES)
def test_every_recorded_blocked_ledger_can_be_redacted(phase: str) -> None:
    """Of every blocked ledger: same decision, nothing that was said, only words of the format and replacements."""
    for vector, events, plan in _blocked(phase):
        expected = vector.get("expectedHighWater")
        part = smallest_slice(events, plan, expected)
        chosen = [events[index] for index in part.indexes]
        source = [json.dumps(vector["events"][index]).encode() for index in part.indexes]
        redactor = EventRedactor(Redactor(source), chosen)
        rows = [redactor.row(event) for event in chosen]

        anew = [decode_event(row) for row in rows]
        expected = expected_of_slice(expected, len(events), len(anew))
        assert _said(build_resume_plan(anew, expected_high_water=expected)) == _said(plan), vector["name"]
        documents = [json.loads(row) for row in rows]
        allowed = WORDS | OURS | _tool_names(vector["events"])
        assert not leaks(set(strings(vector["events"])), allowed, strings(documents)), vector["name"]
        odd = {said for said in strings(documents) if said not in allowed and not REPLACED.fullmatch(said)}
        assert odd <= {""}, vector["name"]


@pytest.mark.parametrize("phase", PHASES)
def test_no_event_of_a_slice_can_be_left_out(phase: str) -> None:
    """Every smallest slice gets another decision, or speaks of other events, as soon as one event is missing."""
    for vector, events, plan in _blocked(phase)[::3]:
        expected = vector.get("expectedHighWater")
        part = smallest_slice(events, plan, expected)

        assert part.minimal
        assert _of(events, part.indexes, expected) == decision(plan), vector["name"]
        for place in range(len(part.indexes)):
            fewer = part.indexes[:place] + part.indexes[place + 1 :]
            assert _of(events, fewer, expected) != decision(plan), (vector["name"], place)


def _of(events: tuple[RuntimeEvent, ...], indexes: tuple[int, ...], expected: float | None) -> tuple[Any, ...]:
    chosen = [events[index] for index in indexes]
    expected = expected_of_slice(expected, len(events), len(indexes))
    return decision(build_resume_plan(chosen, expected_high_water=expected), indexes)


def _source_strings(folder: Path) -> set[str]:
    """Return every string of a run's folder, those of rows that are cut or damaged too, and its path."""
    found = {str(folder), folder.parent.parent.name, folder.name}
    for path in folder.rglob("*"):
        if path.is_file():
            for line in path.read_bytes().decode("utf-8", "replace").split("\n"):
                try:
                    found.update(strings(json.loads(line)))
                except ValueError:
                    found.update(piece for piece in line.split('"') if len(piece) >= 4)
    return found


def test_every_recorded_blocked_run_can_be_taken_away(workspaces: Path, tmp_path: Path) -> None:
    """Opened anew the folder gets the same decision, none of it says what the source said, the source is as it was."""
    before = fingerprint(workspaces)
    plan_words = frozenset(strings([vector["expect"] for vector in VECTORS if not vector["events"]]))
    seen = 0
    for root in sorted(path for path in workspaces.iterdir() if path.is_dir()):
        with open_workspace(root) as workspace:
            for run in workspace.runs():
                ledger = run.ledger()
                source = inspect(ledger)
                if not source.plan.blocked:
                    continue
                seen += 1
                folder = tmp_path / f"repro-{seen}"
                repro = make_repro(ledger, "maka-ledger 1.2.3", now_ms=1_796_000_000_000.0)
                repro.write(folder, workspace)
                with open_workspace(folder) as copy:
                    (again,) = copy.runs()
                    anew = inspect(again.ledger())
                assert _said(anew.plan) == _said(source.plan), run.run_id

                place = root / "sessions" / run.session_id / "runs" / run.run_id
                documents = [json.loads((folder / "manifest.json").read_bytes())]
                rows = (folder / "runtime-events.jsonl").read_text().split("\n")
                documents += [json.loads(row) for row in rows if row.startswith("{")]
                names = {str(one.tool_name) for one in (*source.operations, *source.nested_operations)}
                allowed = WORDS | OURS | plan_words | names | _manifest_words(documents[0])
                assert not leaks(_source_strings(place), allowed, strings(documents, keys=False)), run.run_id
    assert seen == 48
    assert fingerprint(workspaces) == before


def _manifest_words(manifest: dict[str, Any]) -> frozenset[str]:
    """Return what a manifest says in words of ours: codes, statuses, reasons, keys."""
    plan = manifest["decision"]
    operations = (*plan["operations"], *plan.get("nestedOperations", ()))
    codes = {one["status"] for one in operations} | {one["reason"] for one in operations}
    codes |= {found["code"] for found in plan["diagnostics"]} | set(plan["rejectionReasons"])
    codes |= set(manifest["source"]["findingCodes"]) | {plan["disposition"], manifest["madeAtText"]}
    return frozenset(codes | {kind["kind"] for kind in manifest["withheld"]})


def test_a_whole_run_keeps_every_event() -> None:
    """Asked for the whole run, every event is there, each without what it says."""
    events = tuple(decode_event(json.dumps(event).encode()) for event in VECTORS[1]["events"])
    part = Slice(tuple(range(len(events))), minimal=False)
    redactor = EventRedactor(Redactor(()), events)

    anew = [decode_event(redactor.row(events[index])) for index in part.indexes]

    assert [event.ts for event in anew] == [event.ts for event in events]
    assert [type(event.content) for event in anew] == [type(event.content) for event in events]


@settings(max_examples=150, deadline=None)
@given(LEDGERS)
def test_any_ledger_keeps_its_decision_without_its_words(documents: list[dict[str, Any]]) -> None:
    """Of any ledger, replayable or not: redacted as a whole, or its smallest slice, it is decided as before."""
    rows = [json.dumps(document).encode() for document in documents]
    events = [decode_event(row) for row in rows]
    plan = build_resume_plan(events)
    for indexes in (tuple(range(len(events))), smallest_slice(events, plan).indexes):
        chosen = [events[index] for index in indexes]
        redactor = EventRedactor(Redactor(rows), chosen)

        anew = [decode_event(redactor.row(event)) for event in chosen]

        assert _said(build_resume_plan(anew)) == _said(plan)
