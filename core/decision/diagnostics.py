"""Diagnostics: stable codes that say why a plan is blocked, each with the event, the call and the tool it speaks of."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any, Final

from msgspec import Struct

from .operations import EventAt, Made, OperationStatus, ToolOperation, chosen_operations
from .tool_calls import NESTED
from .tool_facts import BLOCKS, Issue
from .tool_ledger import Snapshot, ToolLedger

_OF_STATUS: Final = {
    OperationStatus.INDETERMINATE: "pending_tool_result",
    OperationStatus.NOT_DISPATCHED: "tool_not_dispatched",
    OperationStatus.PARKED: "tool_recovery_parked",
    OperationStatus.CORRUPTION: "tool_recovery_corruption",
}

_OWN_CODE: Final = frozenset({"protocol_marker_invalid", "duplicate_event_id", "semantic_lane_conflict"})
"""Issues that are diagnostics under their own name; every other one is a `tool_ledger_corruption`."""


_index_of = attrgetter("index")


class Diagnostic(Struct, frozen=True):
    """One answer to "why". What does not apply is None."""

    code: str
    event_id: str | None = None
    event_index: int | None = None
    """0-based position in the ledger."""
    tool_call_id: str | None = None
    tool_name: str | None = None
    detail: Mapping[str, Any] | None = None
    line: int | None = None
    """1-based line of the file; storage faults only, like the next three."""
    offset: int | None = None
    """Bytes from the start of the file."""
    length: int | None = None
    """Bytes."""
    field: str | None = None
    """JSON path."""

    def as_document(self) -> dict[str, Any]:
        """Return plain JSON types; what does not apply is an absent key."""
        facts: dict[str, Any] = {
            "code": self.code,
            "eventId": self.event_id,
            "eventIndex": self.event_index,
            "toolCallId": self.tool_call_id,
            "toolName": self.tool_name,
            "detail": None if self.detail is None else dict(self.detail),
            "line": self.line,
            "offset": self.offset,
            "length": self.length,
            "field": self.field,
        }
        return {key: value for key, value in facts.items() if value is not None}


def diagnose(
    ledger: ToolLedger, end: int, snapshot: Snapshot, at: EventAt, made: Made | None = None
) -> Iterator[Diagnostic]:
    """Yield what blocks the first `end` events, in the order of the format; `snapshot` is that of the same prefix.

    `made` is as in `chosen_operations`.
    """
    if not (snapshot.unsettled or ledger.marker_issues or ledger.issues or ledger.calls.late or ledger.groups):
        return  # of most ledgers there is nothing to say
    states = [(number, ledger.calls.state_at(number, end)) for number in snapshot.unsettled]
    yield from _unsettled(ledger, end, [number for number, state in states if state < NESTED], at, made)
    for issues in (ledger.marker_issues, ledger.issues):
        yield from map(_of_issue, issues[: bisect_left(issues, end, key=_index_of)])
    yield from _orphan_dispatches(ledger, end, at)
    nested = [(number, state) for number, state in states if state >= NESTED and BLOCKS[state]]
    yield from _unsettled(ledger, end, [number for number, state in nested if state == NESTED], at, made)
    yield from _unsettled(ledger, end, [number for number, state in nested if state != NESTED], at, made)
    yield from _responses(ledger, end)


def _unsettled(
    ledger: ToolLedger, end: int, numbers: list[int], at: EventAt, made: Made | None
) -> Iterator[Diagnostic]:
    for operation in chosen_operations(ledger, end, numbers, at, made):
        yield _of_operation(operation)


def _of_operation(operation: ToolOperation) -> Diagnostic:
    return Diagnostic(
        _OF_STATUS[operation.status],
        operation.call_event_id,
        operation.call_index,
        operation.tool_call_id,
        operation.tool_name,
    )


def _of_issue(issue: Issue) -> Diagnostic:
    if issue.code in _OWN_CODE:
        return Diagnostic(issue.code, issue.event_id, issue.event_index)
    return Diagnostic("tool_ledger_corruption", issue.event_id, issue.event_index, detail={"issueCode": issue.code})


def _orphan_dispatches(ledger: ToolLedger, end: int, at: EventAt) -> Iterator[Diagnostic]:
    calls = ledger.calls
    for number, call in list(calls.late.items()):
        if 0 < calls.dispatch[number] <= end and not 0 < call <= end:
            index = calls.dispatch[number] - 1
            name = calls.name_of(number) or None
            yield Diagnostic("tool_recovery_corruption", at(index).id, index, calls.odd[number].call_id, name)


def _responses(ledger: ToolLedger, end: int) -> Iterator[Diagnostic]:
    """Yield the visible responses that do not match the last visible operation of their id, in ledger order."""
    found = []
    for group in list(ledger.groups.values()):
        shown = group.shown_at(ledger.calls, end)
        for index, event_id, name in group.responses[: bisect_left(group.responses, (end, "", ""))]:
            if shown is None:
                found.append(Diagnostic("unmatched_tool_result", event_id, index, group.call_id, name))
            elif shown != name:
                detail = {"callToolName": shown, "responseToolName": name}
                found.append(Diagnostic("tool_name_mismatch", event_id, index, group.call_id, name, detail))
    return iter(sorted(found, key=lambda diagnostic: diagnostic.event_index or 0))
