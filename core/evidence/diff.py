"""What changed between two prefixes: of one ledger, or of two. Pure; decides nothing.

Events are aligned by id, and what is left over by position; operations by the event of their call, then by call id;
diagnostics by the event that they speak of.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from enum import StrEnum
from functools import cached_property

from msgspec import Struct

from ..decision.diagnostics import Diagnostic
from ..decision.operations import ToolOperation, chosen_operations
from ..decision.tool_calls import CALLLESS
from ..inspection.inspect import Inspection
from ..records.json_write import plain_json
from ..records.wire import event_document
from ..storage.ledger import Ledger

Pairs = list[tuple[int, int]]


class Relation(StrEnum):
    """How the events of two prefixes relate."""

    SAME = "same"
    EXTENDED = "extended"
    """The first is a prefix of the second."""
    SHORTENED = "shortened"
    """The second is a prefix of the first."""
    DIVERGED = "diverged"
    """Neither is a prefix of the other."""


class EventPair(Struct, frozen=True):
    """Two events that stand for each other and are not equal. Positions are 0-based."""

    before: int
    after: int
    differs: tuple[str, ...]
    """The keys of the event in which they differ."""


class OperationChange(Struct, frozen=True):
    """One operation before and after; None where a side does not have it."""

    before: ToolOperation | None
    after: ToolOperation | None

    @property
    def known(self) -> ToolOperation:
        """The operation as it is now, or as it was."""
        found = self.after or self.before
        if found is None:
            raise AssertionError("a change of nothing")
        return found

    @property
    def change(self) -> str:
        """`added`, `removed`, `status`, `reason` (the same status for another reason) or `none`."""
        if self.before is None or self.after is None:
            return "added" if self.before is None else "removed"
        if self.before.status is not self.after.status:
            return "status"
        return "reason" if self.before.reason != self.after.reason else "none"


class Difference(Struct, frozen=True, eq=False, dict=True):
    """What lies between two inspections."""

    before: Inspection
    after: Inspection
    common: int
    """How many events both begin with."""

    @property
    def relation(self) -> Relation:
        """How the events relate."""
        ends = (self.before.high_water == self.common, self.after.high_water == self.common)
        if ends == (True, True):
            return Relation.SAME
        if any(ends):
            return Relation.EXTENDED if ends[0] else Relation.SHORTENED
        return Relation.DIVERGED

    @cached_property
    def first_difference(self) -> EventPair | None:
        """The first events that differ; None where one prefix begins with the other."""
        return self._pair(self.common, self.common) if self.relation is Relation.DIVERGED else None

    @cached_property
    def _aligned(self) -> tuple[Pairs, list[int], list[int]]:
        before = range(self.common, self.before.high_water)
        after = range(self.common, self.after.high_water)
        if not before or not after:
            return [], [*before], [*after]
        pairs, before_left, after_left = _match(
            [*before], [*after], lambda i: self.before.ledger[i].id, lambda i: self.after.ledger[i].id
        )
        more, before_left, after_left = _match(before_left, after_left, lambda i: i, lambda i: i)
        return sorted(pairs + more), before_left, after_left

    @property
    def removed(self) -> Sequence[int]:
        """Positions, before, of the events that have no counterpart after."""
        return self._aligned[1]

    @property
    def added(self) -> Sequence[int]:
        """Positions, after, of the events that have no counterpart before."""
        return self._aligned[2]

    @cached_property
    def changed(self) -> tuple[EventPair, ...]:
        """Events that stand for each other and are not equal."""
        pairs = (self._pair(one, other) for one, other in self._aligned[0])
        return tuple(pair for pair in pairs if pair.differs)

    @property
    def operations(self) -> tuple[OperationChange, ...]:
        """The operations that changed, nested ones included, in the order of the second side, then of the first."""
        return self._operations[0]

    @property
    def unchanged(self) -> int:
        """How many operations have the same status for the same reason on both sides."""
        return self._operations[1]

    @cached_property
    def _operations(self) -> tuple[tuple[OperationChange, ...], int]:
        before, after = self._candidates()
        events = ([self._counterpart(one.call_index) for one in before], [one.call_index for one in after])
        calls = ([one.tool_call_id for one in before], [one.tool_call_id for one in after])
        pairs, old, _ = _match_all(events, calls)
        of_new = {other: one for one, other in pairs}
        changes = [OperationChange(before[of_new[i]] if i in of_new else None, now) for i, now in enumerate(after)]
        moved = [one for one in (*changes, *(OperationChange(before[i], None) for i in old)) if one.change != "none"]
        now = len(self.after.operations) + len(self.after.nested_operations)
        return tuple(moved), now - sum(one.after is not None for one in moved)

    def _candidates(self) -> tuple[Sequence[ToolOperation], Sequence[ToolOperation]]:
        """Return the operations of both sides, those left out that cannot have changed."""
        sides = (self.before, self.after)
        if self.before.ledger is not self.after.ledger:
            before, after = ((*side.operations, *side.nested_operations) for side in sides)
            return before, after
        ledger = self.before.ledger.tool_ledger
        start, end = sorted(side.high_water for side in sides)
        touched = {*range(ledger.calls.mentioned(start), ledger.calls.mentioned(end))}
        touched.update(ledger.snapshot_at(start).unsettled)
        touched.update(number for number in list(ledger.calls.odd) if ledger.calls.first[number] < end)
        old, new = (_chosen(side, sorted(touched)) for side in sides)
        return old, new

    @cached_property
    def diagnostics(self) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
        """Diagnostics that only the second has, and those that only the first has."""
        before, after = self.before.plan.diagnostics, self.after.plan.diagnostics
        was = [(*_news(one), self._counterpart(one.event_index)) for one in before]
        _, old, new = _match_all((was, [(*_news(one), one.event_index) for one in after]))
        return tuple(after[i] for i in new), tuple(before[i] for i in old)

    @cached_property
    def _counterparts(self) -> dict[int, int]:
        return dict(self._aligned[0])

    def _counterpart(self, index: int | None) -> Hashable:
        """Return the position, after, of an event before; what equals nothing where it has none."""
        if index is None or index < self.common:
            return index
        return self._counterparts.get(index, ("gone", index))

    def _pair(self, one: int, other: int) -> EventPair:
        return EventPair(one, other, _differing(self.before.ledger, one, self.after.ledger, other))


def compare(before: Inspection, after: Inspection) -> Difference:
    """Compare two inspections; reads both ledgers up to the first difference. Raises LedgerChanged."""
    return Difference(before, after, _common(before, after))


def _common(before: Inspection, after: Inspection) -> int:
    shorter = min(before.high_water, after.high_water)
    if before.ledger is after.ledger:
        return shorter
    return next((i for i in range(shorter) if _differing(before.ledger, i, after.ledger, i)), shorter)


def _differing(before: Ledger, one: int, after: Ledger, other: int) -> tuple[str, ...]:
    """Return the keys in which two events differ; the spelling of a row is no difference."""
    if before.raw(one) == after.raw(other):
        return ()
    old, new = event_document(before[one]), event_document(after[other])
    return tuple(key for key in dict.fromkeys((*old, *new)) if not _equal(old.get(key), new.get(key)))


def _equal(one: object, other: object) -> bool:
    try:
        return one == other
    except RecursionError:
        return plain_json(one) == plain_json(other)


def _chosen(inspection: Inspection, numbers: Sequence[int]) -> Sequence[ToolOperation]:
    ledger, end = inspection.ledger.tool_ledger, inspection.high_water
    called = [number for number in numbers if ledger.calls.state_at(number, end) < CALLLESS]
    return tuple(chosen_operations(ledger, end, called, inspection.ledger.__getitem__))


def _news(diagnostic: Diagnostic) -> tuple[Hashable, ...]:
    return diagnostic.code, (diagnostic.detail or {}).get("issueCode"), diagnostic.line


def _match_all(*keys: tuple[Sequence[Hashable], Sequence[Hashable]]) -> tuple[Pairs, list[int], list[int]]:
    """Pair what has equal keys, by the first keys first; return the pairs and what is left of both sides."""
    pairs: Pairs = []
    old, new = [*range(len(keys[0][0]))], [*range(len(keys[0][1]))]
    for was, now in keys:
        more, old, new = _match(old, new, was.__getitem__, now.__getitem__)
        pairs += more
    return pairs, old, new


def _match(
    old: list[int], new: list[int], key_of_old: Callable[[int], Hashable], key_of_new: Callable[[int], Hashable]
) -> tuple[Pairs, list[int], list[int]]:
    """Pair what has equal keys, in order; return the pairs and what is left of both."""
    waiting: dict[Hashable, deque[int]] = defaultdict(deque)
    for one in old:
        waiting[key_of_old(one)].append(one)
    pairs: Pairs = []
    left = []
    for other in new:
        found = waiting.get(key_of_new(other))
        if found:
            pairs.append((found.popleft(), other))
        else:
            left.append(other)
    return pairs, sorted(one for rest in waiting.values() for one in rest), left
