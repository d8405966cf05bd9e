"""Whether one more event would break the tool ledger, asked of the few rows that speak of the same operation.

The scanner is the one that projects ledgers; it is shown those rows alone, so that an append costs the same however
long the ledger is. Other rules of the scanner look at ids, and those the store knows already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from ..decision.lanes import Lane, lane_of
from ..decision.tool_ledger import ToolLedger
from ..records.events import Actions, FunctionCall, FunctionResponse, Refs, RuntimeEvent

ReadRows = Callable[[tuple[int, ...]], Iterable[RuntimeEvent]]
"""Reads rows of the ledger by their numbers."""

_TELLING_ROWS: Final = 4
"""A sound tool call has three rows at most, recovery facts not counted; the fourth proves an issue."""
_TELLING_CALLS: Final = 2
"""An operation id belongs to one tool call; the second proves an issue."""


class ToolGuard:
    """Which rows of a ledger speak of which operation."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], tuple[int, ...]] = {}
        """Tool call, by invocation and tool-call id -> rows."""
        self._bound: dict[str, tuple[tuple[str, str], ...]] = {}
        """Operation id -> tool calls that were dispatched under it."""

    def learn(self, event: RuntimeEvent, row: int) -> None:
        """Take a row of the ledger. Recovery facts are passed over: they are added to a call and break nothing."""
        lane = lane_of(event)
        if lane not in (Lane.CALL, Lane.DISPATCH, Lane.RESPONSE):
            return
        operation = _operation_id(event)
        call = _call(event)
        if lane is Lane.DISPATCH and call is not None and operation is not None:
            known = self._bound.get(operation, ())
            if call not in known and len(known) < _TELLING_CALLS:
                self._bound[operation] = (*known, call)
        for key in self._calls_of(call, operation):
            rows = self._rows.get(key, ())
            if len(rows) < _TELLING_ROWS:
                self._rows[key] = (*rows, row)

    def complaint(self, event: RuntimeEvent, read: ReadRows) -> str | None:
        """Return the code of the issue that this event would raise, or that its tool call has already, or None."""
        lane = lane_of(event)
        if lane is Lane.ORDINARY:
            return None
        if lane is Lane.CONFLICT:
            return "semantic_lane_conflict"
        rows = {row for key in self._calls_of(_call(event), _operation_id(event)) for row in self._rows.get(key, ())}
        if lane is Lane.CALL and not rows:
            return None
        events = [*read(tuple(sorted(rows))), event]
        scanner = ToolLedger()
        scanner.extend(events)
        last = len(events) - 1
        codes = [issue.code for issue in sorted(scanner.issues, key=lambda issue: issue.index != last)]
        return codes[0] if codes else None

    def _calls_of(self, call: tuple[str, str] | None, operation: str | None) -> Iterator[tuple[str, str]]:
        """Yield the tool calls that an event speaks of, directly or by an operation id."""
        bound = self._bound.get(operation, ()) if operation is not None else ()
        if call is not None and call not in bound:
            yield call
        yield from bound


def _call(event: RuntimeEvent) -> tuple[str, str] | None:
    if isinstance(event.content, FunctionCall | FunctionResponse):
        return event.invocation_id, event.content.id
    if isinstance(event.actions, Actions) and event.actions.tool_dispatch:
        return event.invocation_id, event.actions.tool_dispatch.provider_tool_call_id
    return None


def _operation_id(event: RuntimeEvent) -> str | None:
    if isinstance(event.actions, Actions):
        if event.actions.tool_dispatch:
            return event.actions.tool_dispatch.operation_id
        if event.actions.tool_recovery:
            return event.actions.tool_recovery.payload.operation_id
    if isinstance(event.content, FunctionResponse) and isinstance(event.refs, Refs):
        return event.refs.operation_id if isinstance(event.refs.operation_id, str) else None
    return None
