"""ToolOperation: one tool call with its projected status, and the projection (contract: Vocabulary)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from operator import attrgetter
from typing import Any, Final, TypeAlias, overload

from msgspec import Struct

from ..once import once
from ..records.events import FunctionCall, Refs, RuntimeEvent
from .tool_calls import NESTED, OperationStatus, ToolCalls
from .tool_ledger import ToolLedger

__all__ = ["OperationStatus", "Operations", "ToolOperation", "fold", "project_operations"]

EventAt = Callable[[int], RuntimeEvent]
"""Gives the event at a 0-based position of the ledger."""


class ToolOperation(Struct, frozen=True):
    """One tool call as a prefix shows it. Positions are 0-based in the ledger; None is "not in this prefix"."""

    tool_call_id: str
    tool_name: str
    status: OperationStatus
    reason: str
    """Why it has that status: a stable code."""
    invocation_id: str
    call_event_id: str
    call_index: int
    dispatch_event_id: str | None
    dispatch_index: int | None
    response_event_id: str | None
    response_index: int | None
    response_is_error: bool | None
    operation_id: str | None
    """The id that the dispatch gave it."""
    recovery_mode: str | None
    """What the dispatch says may be done about it after a crash."""
    settlement_origin: str | None
    """normal_t2, pre_t1_synthetic or recovery_bundle; None while it is unsettled."""
    issues: tuple[str, ...]
    """Codes of the contradictions on record, in order."""
    hidden: bool
    """Whether the model never sees the call: a tool made it."""
    parent_tool_call_id: str | None
    event_indexes: tuple[int, ...]
    """Positions of all events about it: call, dispatch, response, recovery and repeated ones."""
    event_at: EventAt
    """Reads the events again; no part of what the operation is."""

    def __repr__(self) -> str:
        return f"ToolOperation({', '.join(f'{name}={getattr(self, name)!r}' for name in _FACTS)})"

    def __eq__(self, other: object) -> bool:
        return _facts(self) == _facts(other) if isinstance(other, ToolOperation) else NotImplemented

    def __hash__(self) -> int:
        return hash(_facts(self))

    @property
    def settled(self) -> bool:
        """Whether an outcome is recorded."""
        return self.status.settled

    @property
    def parked_reason(self) -> str | None:
        """What was observed about a parked operation."""
        return self.reason if self.status is OperationStatus.PARKED else None

    @property
    def args(self) -> Any:
        """The arguments, read anew from the call event: any JSON value."""
        content = self.event_at(self.call_index).content
        return content.args if isinstance(content, FunctionCall) else None

    def as_document(self, *, arguments: bool = False) -> dict[str, Any]:
        """Return plain JSON types in the ledger's spelling; what is absent is no key. `args` only when asked for."""
        facts: dict[str, Any] = {
            "toolCallId": self.tool_call_id,
            "toolName": self.tool_name,
            "status": str(self.status),
            "reason": self.reason,
            "invocationId": self.invocation_id,
            "callRuntimeEventId": self.call_event_id,
            "dispatchRuntimeEventId": self.dispatch_event_id,
            "responseRuntimeEventId": self.response_event_id,
            "responseIsError": self.response_is_error,
            "operationId": self.operation_id,
            "recoveryMode": self.recovery_mode,
            "settlementOrigin": self.settlement_origin,
            "issues": list(self.issues) or None,
            "hidden": self.hidden or None,
            "parentToolCallId": self.parent_tool_call_id,
            "eventIndexes": list(self.event_indexes),
        }
        document = {key: value for key, value in facts.items() if value is not None}
        return {**document, "args": self.args} if arguments else document


_FACTS: Final = ToolOperation.__struct_fields__[:-1]
_facts: Final = attrgetter(*_FACTS)
"""All that makes an operation what it is: all but the way to its events."""


Made: TypeAlias = dict[int, ToolOperation]
"""Operations of one prefix by their numbers."""


class Operations(Sequence[ToolOperation]):
    """Operations of a prefix, each made when it is asked for: a million of them cost next to nothing to hold.

    `made` keeps those that were made, where they are few.
    """

    def __init__(
        self,
        ledger: ToolLedger,
        end: int,
        count: int,
        numbers: Callable[[], Sequence[int]],
        at: EventAt,
        made: Made | None = None,
    ) -> None:
        self._ledger = ledger
        self._end = end
        self._count = count
        self._find_numbers = numbers
        self._event_at = at
        self._made = made

    @once
    def _numbers(self) -> Sequence[int]:
        return self._find_numbers()

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> ToolOperation: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ToolOperation, ...]: ...
    def __getitem__(self, index: int | slice) -> ToolOperation | tuple[ToolOperation, ...]:
        if isinstance(index, slice):
            return tuple(map(self._make, self._numbers[index]))
        return self._make(self._numbers[index])

    def __iter__(self) -> Iterator[ToolOperation]:
        return map(self._make, self._numbers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Operations, tuple)):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash((self._end, self._count))

    def __repr__(self) -> str:
        return f"<Operations: {self._count} in the first {self._end} events>"

    def _make(self, number: int) -> ToolOperation:
        made = None if self._made is None else self._made.get(number)
        if made is None:
            made = _operation_at(self._ledger.calls, number, self._end, self._event_at)
            if self._made is not None:
                self._made[number] = made
        return made


def operations_at(ledger: ToolLedger, end: int, counts: Sequence[int], at: EventAt) -> tuple[Operations, Operations]:
    """Return the visible and the hidden operations of the first `end` events, in the order of their first mention."""
    visible, hidden = sum(counts[:NESTED]), sum(counts[NESTED : 2 * NESTED])
    mentioned = ledger.calls.mentioned(end)

    def numbers(first_state: int) -> Sequence[int]:
        if first_state == 0 and visible == mentioned:
            return range(mentioned)
        wanted = range(first_state, first_state + NESTED)
        state_at = ledger.calls.state_at
        return [number for number in range(mentioned) if state_at(number, end) in wanted]

    return (
        Operations(ledger, end, visible, lambda: numbers(0), at),
        Operations(ledger, end, hidden, lambda: numbers(NESTED), at),
    )


def chosen_operations(
    ledger: ToolLedger, end: int, numbers: Sequence[int], at: EventAt, made: Made | None = None
) -> Operations:
    """Return certain operations of the first `end` events; those in `made` are made already, and others go there."""
    return Operations(ledger, end, len(numbers), lambda: numbers, at, made)


def fold(events: Iterable[RuntimeEvent]) -> tuple[ToolLedger, EventAt]:
    """Fold events, and return with the fold the way back to each of them.

    A sequence that nobody can change is read again when an event is asked for; anything else is copied.
    """
    sequence = events if isinstance(events, Sequence) and not isinstance(events, MutableSequence) else tuple(events)
    ledger = ToolLedger(sequence.__getitem__)
    ledger.extend(sequence)
    return ledger, sequence.__getitem__


def project_operations(events: Iterable[RuntimeEvent]) -> tuple[ToolOperation, ...]:
    """Return the visible operations of a ledger, in the order of their first mention. Pure; never raises."""
    ledger, at = fold(events)
    return tuple(operations_at(ledger, ledger.length, ledger.counts, at)[0])


def _operation_at(calls: ToolCalls, number: int, end: int, at: EventAt) -> ToolOperation:
    decision = calls.decide(number, end)
    shadow = calls.shadow_at(number, end)
    call_index = calls.call_at(number) - 1
    dispatch_index = _within(calls.dispatch[number], end)
    response_index = _within(calls.response[number], end)
    call = at(call_index)
    dispatch = None if dispatch_index is None else at(dispatch_index)
    fact = dispatch.actions.tool_dispatch if dispatch is not None and dispatch.actions else None
    content = call.content
    odd = calls.odd.get(number)
    indexes = [index for index in (call_index, dispatch_index, response_index) if index is not None]
    issues: list[tuple[int, str]] = []
    if odd is not None:
        extra = (*odd.extra, *odd.recovery.indexes)
        indexes += (index for index in extra if index < end)
        issues = sorted((index, code) for code, index in odd.issues.items() if index < end)
    return ToolOperation(
        tool_call_id=shadow.tool_call_id if shadow else (content.id if isinstance(content, FunctionCall) else ""),
        tool_name=shadow.tool_name if shadow else calls.call_name(number),
        status=decision.status,
        reason=decision.reason,
        invocation_id=call.invocation_id,
        call_event_id=call.id,
        call_index=call_index,
        dispatch_event_id=None if dispatch is None else dispatch.id,
        dispatch_index=dispatch_index,
        response_event_id=None if response_index is None else at(response_index).id,
        response_index=response_index,
        response_is_error=None if response_index is None else calls.is_error(number),
        operation_id=fact.operation_id if fact else None,
        recovery_mode=fact.recovery_mode if fact else None,
        settlement_origin=decision.settlement_origin,
        issues=tuple(code for _, code in issues),
        hidden=calls.hidden_at(number, end),
        parent_tool_call_id=_parent(call) or (None if dispatch is None else _parent(dispatch)),
        event_indexes=tuple(sorted(indexes)),
        event_at=at,
    )


def _within(stored: int, end: int) -> int | None:
    return stored - 1 if 0 < stored <= end else None


def _parent(event: RuntimeEvent) -> str | None:
    parent = event.refs.parent_tool_call_id if isinstance(event.refs, Refs) else None
    return parent if isinstance(parent, str) else None
