"""The difference of two prefixes as a document: schema `maka-ledger/diff@1`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..decision.operations import ToolOperation
from ..inspection.inspect import Inspection
from ..inspection.summary import summarize
from ..storage.rows import RowKind
from .diff import Difference, EventPair, OperationChange


def diff_document(difference: Difference, before_path: str, after_path: str) -> dict[str, object]:
    """Say what changed; the paths are those that were asked about. Events are numbered from 1."""
    before, after = difference.before, difference.after
    added, removed = difference.diagnostics
    first = difference.first_difference
    document: dict[str, object] = {
        "schema": "maka-ledger/diff@1",
        "before": side_document(before, before_path),
        "after": side_document(after, after_path),
        "relation": str(difference.relation),
        "commonEvents": difference.common,
        "firstDifference": None if first is None else _pair(difference, first),
        "addedEvents": [event_brief(after, index) for index in difference.added],
        "removedEvents": [event_brief(before, index) for index in difference.removed],
        "changedEvents": [_pair(difference, pair) for pair in difference.changed],
        "operations": [_operation(change) for change in difference.operations],
        "unchangedOperations": difference.unchanged,
        "addedDiagnostics": [diagnostic.as_document() for diagnostic in added],
        "removedDiagnostics": [diagnostic.as_document() for diagnostic in removed],
    }
    return _present(document)


def side_document(inspection: Inspection, path: str) -> dict[str, object]:
    """Say which prefix one side is, and what is decided about it."""
    ledger, plan = inspection.ledger, inspection.plan
    return {
        "path": path,
        "sessionId": ledger.session_id,
        "runId": ledger.run_id,
        "highWater": inspection.high_water,
        "committedEvents": len(ledger),
        "whatIf": inspection.what_if,
        "verdict": str(inspection.verdict),
        "disposition": str(plan.disposition),
        "rejectionReasons": list(plan.rejection_reasons),
        "replayedEvents": plan.replay.kept,
    }


def event_brief(inspection: Inspection, index: int) -> dict[str, object]:
    """Return number, id, kind, time and one line of an event."""
    event = inspection.ledger[index]
    return {
        "event": index + 1,
        "id": event.id,
        "kind": RowKind(inspection.ledger.rows.kinds[index]).word,
        "ts": event.ts,
        "summary": summarize(event),
    }


def _pair(difference: Difference, pair: EventPair) -> dict[str, object]:
    return {
        "before": event_brief(difference.before, pair.before),
        "after": event_brief(difference.after, pair.after),
        "differs": list(pair.differs),
    }


def _operation(change: OperationChange) -> dict[str, object]:
    known = change.known
    document: dict[str, Any] = {
        "toolCallId": known.tool_call_id,
        "toolName": known.tool_name,
        "hidden": known.hidden or None,
        "change": change.change,
        "before": _state(change.before),
        "after": _state(change.after),
    }
    return _present(document)


def _state(operation: ToolOperation | None) -> dict[str, object] | None:
    if operation is None:
        return None
    return {
        "status": str(operation.status),
        "reason": operation.reason,
        "callEvent": operation.call_index + 1,
        "events": [index + 1 for index in operation.event_indexes],
    }


def _present(document: Mapping[str, Any]) -> dict[str, object]:
    return {key: value for key, value in document.items() if value is not None}
