"""The smallest slice of a ledger that gets the same decision: what is left when all that does not matter is gone.

Found by trying: a slice is good if its plan has the same disposition and reasons, and the same diagnostics of the same
events, calls and tools. Events are left out as long as that holds, so in the end none can be left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from msgspec import Struct

from ..decision.resume import ResumePlan, build_resume_plan
from ..records.events import FunctionCall, FunctionResponse, RuntimeEvent

MOST_READ: Final = 100_000
"""Events that are folded, at most, to leave out more; after that the slice is good, and may not be the smallest."""

Decision = tuple[Any, ...]


class Slice(Struct, frozen=True):
    """Some events of a prefix that together get its decision."""

    indexes: tuple[int, ...]
    """0-based positions in the ledger, in order."""
    minimal: bool
    """Whether it is known that no event can be left out."""


def decision(plan: ResumePlan, indexes: Sequence[int] | None = None) -> Decision:
    """Return what two plans must agree in to be the same decision, about the same events.

    `indexes` are the positions, in the whole ledger, of the events that the plan was made from; None if it was made
    from the whole ledger.
    """
    diagnostics = tuple(
        (
            found.code,
            found.event_index if indexes is None or found.event_index is None else indexes[found.event_index],
            found.tool_call_id,
            found.tool_name,
            (found.detail or {}).get("issueCode"),
        )
        for found in plan.diagnostics
    )
    unsettled = tuple((one.status, one.reason, one.hidden, one.tool_call_id) for one in plan.unsettled)
    return plan.disposition, plan.rejection_reasons, plan.requires_verification, diagnostics, unsettled


def expected_of_slice(expected: float | None, length: int, size: int) -> float | None:
    """Return the high-water to expect of a slice, as far off as the one that was expected of the whole ledger."""
    return None if expected is None else size + (expected - length)


def smallest_slice(
    events: Sequence[RuntimeEvent],
    plan: ResumePlan,
    expected_high_water: float | None = None,
    *,
    most_read: int = MOST_READ,
) -> Slice:
    """Find the smallest slice of the events that a plan was made from, storage faults aside.

    `expected_high_water` is what the plan was made with, `most_read` how many events may be folded to find out. Reads
    the whole ledger only where the events that the plan names do not get the same decision.
    """
    search = _Search(events, plan, expected_high_water)
    for candidates in (_named, _related):
        found = sorted(candidates(plan, events))
        if search.good(found):
            return search.reduced(found, most_read)
    return search.reduced([*range(len(events))], most_read)


class _Search:
    def __init__(self, events: Sequence[RuntimeEvent], plan: ResumePlan, expected: float | None) -> None:
        self._events = events
        self._wanted = decision(plan)
        self._expected = expected
        self._read = 0

    def good(self, indexes: Sequence[int]) -> bool:
        """Whether these events get the decision of the whole ledger."""
        self._read += len(indexes)
        expected = expected_of_slice(self._expected, len(self._events), len(indexes))
        plan = build_resume_plan(tuple(self._events[i] for i in indexes), expected_high_water=expected)
        return decision(plan, indexes) == self._wanted

    def reduced(self, indexes: list[int], most_read: int) -> Slice:
        """Leave out halves, quarters and so on down to single events, until no single one can be left out."""
        size = max(1, len(indexes) // 2)
        self._read = 0
        while indexes:
            before = len(indexes)
            start = 0
            while start < len(indexes):
                if self._read > most_read:
                    return Slice(tuple(indexes), minimal=False)
                fewer = indexes[:start] + indexes[start + size :]
                if self.good(fewer):
                    indexes = fewer
                else:
                    start += size
            if size == 1 and len(indexes) == before:
                break
            size = max(1, size // 2)
        return Slice(tuple(indexes), minimal=True)


def _named(plan: ResumePlan, events: Sequence[RuntimeEvent]) -> set[int]:
    """Return the events that the plan itself speaks of."""
    found = {one.event_index for one in plan.diagnostics if one.event_index is not None}
    for operation in plan.unsettled:
        found.update(operation.event_indexes)
    if events and _marks(events[0]):
        found.add(0)
    return found


class _Keys(NamedTuple):
    """What ties an event to others."""

    event_id: str
    invocation: str
    calls: tuple[str, ...]
    operations: tuple[str, ...]


def _related(plan: ResumePlan, events: Sequence[RuntimeEvent]) -> set[int]:
    """Return the events that share an id, a call or an operation with those that the plan speaks of."""
    keys = [_keys(event) for event in events]
    firsts = {key.invocation: index for index, key in reversed(list(enumerate(keys)))}
    found = _named(plan, events) | {*firsts.values()}
    known = 0
    while len(found) > known:
        known = len(found)
        ids = {keys[i].event_id for i in found}
        calls = {call for i in found for call in keys[i].calls}
        operations = {operation for i in found for operation in keys[i].operations}
        found |= {
            index
            for index, key in enumerate(keys)
            if key.event_id in ids or not calls.isdisjoint(key.calls) or not operations.isdisjoint(key.operations)
        }
    return found


def _keys(event: RuntimeEvent) -> _Keys:
    content, actions = event.content, event.actions
    calls = [content.id] if isinstance(content, FunctionCall | FunctionResponse) else []
    operations = []
    if actions and actions.tool_dispatch:
        calls.append(actions.tool_dispatch.provider_tool_call_id)
        operations.append(actions.tool_dispatch.operation_id)
    if actions and actions.tool_recovery:
        operations.append(actions.tool_recovery.payload.operation_id)
    return _Keys(event.id, event.invocation_id, tuple(calls), tuple(operations))


def _marks(event: RuntimeEvent) -> bool:
    return bool(event.actions and event.actions.runtime_protocol)


def numbers(indexes: Iterable[int]) -> list[int]:
    """Return event numbers, which count from 1."""
    return [index + 1 for index in indexes]
