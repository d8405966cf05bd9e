"""The shortest way of the fold: the tool facts among many plain rows, taken together where nothing contradicts them.

They are looked at by column, and nothing is changed meanwhile. Whatever speaks against them is seen before anything is
taken; then the rows go one by one, and what is not regular goes to the rules.
"""

from __future__ import annotations

from itertools import accumulate
from operator import ge
from typing import Final

from ..records.args_identity import args_hash
from ..records.plain import PlainRows
from ..records.plain_facts import PlainFacts
from ..records.row_kinds import RowKind
from .tool_calls import FAILED, INDETERMINATE, IS_ERROR, NOT_DISPATCHED, SUCCEEDED
from .tool_facts import Waiting
from .tool_regular import HELD_CALLS, RegularFacts
from .tool_rules import arguments_digest

_FLAGS: Final = (b"\0", b"\1")
_STEPS: Final = tuple({RowKind.CALL: 1, RowKind.RESPONSE: -1}.get(kind, 0) for kind in RowKind)
"""By the kind of a row, how many calls more wait behind it."""


class _Calls:
    """The calls that some rows speak of, by column: those that the rows make, then others that wait for them."""

    __slots__ = ("answered", "digests", "names", "numbers", "operations", "places", "slots")

    def __init__(self, facts: PlainFacts, first: int) -> None:
        made = len(facts.call_ids)
        self.slots = dict(zip(facts.call_ids, range(made), strict=True))
        """Places in the columns by tool-call id."""
        self.numbers = list(range(first, first + made))
        self.names = list(facts.call_names)
        self.places = list(facts.call_places)
        """Of the row that speaks of the call last; -1 before these rows."""
        self.operations: list[str | None] = [None] * made
        self.digests: list[str | None] = list(facts.call_digests) or [None] * made
        self.answered: list[int] = []
        """Places in the columns, in the order of the responses."""

    def add(self, call_id: str, waiting: Waiting) -> None:
        """Add one that waited before these rows."""
        number, _, name, operation_id, args = waiting
        self.slots[call_id] = len(self.numbers)
        self.numbers.append(number)
        self.names.append(name)
        self.places.append(-1)
        self.operations.append(operation_id)
        self.digests.append(args_hash(name, args) if isinstance(args, bytes) else args)


class PlainRowsFold(RegularFacts):
    """Takes plain rows whose ids are new and whose execution is the present one."""

    def _take_plain(self, rows: PlainRows) -> None:
        facts = rows.facts
        calls = self._calls_of(facts) if facts is not None else None
        if facts is None or calls is None or not self._add_ids(facts):
            self._take_run(rows[:])
            return
        start, columns, counts = self.length, self.calls, self.counts
        numbers, slots = calls.numbers, calls.slots
        columns.add_all([start + place for place in facts.call_places], facts.call_names)
        bound = [numbers[slots[call_id]] for call_id in facts.dispatched_calls]
        self._bound.fromlist(bound)
        dispatch, response = columns.dispatch, columns.response
        for number, place in zip(bound, facts.dispatch_places, strict=True):
            dispatch[number] = start + place + 1
        answered = [numbers[slot] for slot in calls.answered]
        for number, place in zip(answered, facts.response_places, strict=True):
            response[number] = start + place + 1
        failed = facts.failures.count(True)
        if failed:
            for number, failure in zip(answered, facts.failures, strict=True):
                columns.bits[number] |= IS_ERROR * failure
        waits = len(facts.call_ids) - len(answered)
        undispatched = [calls.operations[slot] for slot in calls.answered].count(None)
        unbound = len(facts.call_ids) - len(bound) - undispatched if columns.marked else 0
        counts[NOT_DISPATCHED] += unbound
        counts[INDETERMINATE] += waits - unbound
        counts[FAILED] += failed
        counts[SUCCEEDED] += len(answered) - failed
        self._mark(rows.kinds)
        self.blocking += waits
        self._keep(calls, len(facts.call_ids))

    def _calls_of(self, facts: PlainFacts) -> _Calls | None:
        """Look up the calls that rows speak of; None where a fact contradicts what is known of its call."""
        calls = _Calls(facts, len(self.calls))
        slots = calls.slots
        if self.groups and not self.groups.keys().isdisjoint(slots):
            return None
        for call_id in [*facts.dispatched_calls, *facts.answered_calls]:
            if call_id not in slots:
                waiting = self._waits(call_id)
                if waiting is None:
                    return None
                calls.add(call_id, waiting)
        return calls if self._fit_dispatches(facts, calls) and _fit_responses(facts, calls) else None

    def _waits(self, call_id: str) -> Waiting | None:
        """Return a call that waits, if it is visible and of this execution."""
        found = self.waiting.get(call_id)
        if found is None or found[1] is not self._execution or self.calls.bits[found[0]]:
            return None
        return found

    def _fit_dispatches(self, facts: PlainFacts, calls: _Calls) -> bool:
        """Tell whether each dispatch is of a call before it, the first of that call, and says the same; note them."""
        slots = [calls.slots[call_id] for call_id in facts.dispatched_calls]
        places, digests = calls.places, calls.digests
        if (
            len(set(slots)) != len(slots)
            or [calls.names[slot] for slot in slots] != facts.dispatch_names
            or any(map(ge, [places[slot] for slot in slots], facts.dispatch_places))
        ):
            return False
        for slot, operation_id, place, digest in zip(
            slots, facts.operation_ids, facts.dispatch_places, facts.dispatch_digests, strict=True
        ):
            known = digests[slot]
            if known is None:
                known = arguments_digest(self.event(self.calls.first[calls.numbers[slot]]))
            if known is None or known != digest or calls.operations[slot] is not None:
                return False
            calls.operations[slot] = operation_id
            places[slot] = place
        return True

    def _add_ids(self, facts: PlainFacts) -> bool:
        if not self._call_ids.add_all(facts.call_ids):
            return False
        if not self._operation_ids.add_all(facts.operation_ids):
            self._call_ids.take_back(len(facts.call_ids))
            return False
        return True

    def _keep(self, calls: _Calls, made: int) -> None:
        """Keep what waits now; `made` calls are new. The digests of many take memory: those are told anew."""
        waiting, answered = self.waiting, set(calls.answered)
        for call_id, slot in calls.slots.items():
            if slot not in answered:
                operation_id = calls.operations[slot]
                digest = calls.digests[slot] if operation_id is None and len(waiting) < HELD_CALLS else None
                waiting[call_id] = (calls.numbers[slot], self._execution, calls.names[slot], operation_id, digest)
            elif slot >= made:
                del waiting[call_id]

    def _mark(self, kinds: bytearray) -> None:
        """Note for each row of these kinds whether the plan is blocked behind it."""
        if self._stuck:
            self.blocked_after += _FLAGS[True] * len(kinds)
        else:
            waiting = accumulate(map(_STEPS.__getitem__, kinds), initial=self.blocking)
            next(waiting)
            self.blocked_after += bytes(map(bool, waiting))
        self._was_blocked = bool(self.blocked_after[-1])
        self.length += len(kinds)


def _fit_responses(facts: PlainFacts, calls: _Calls) -> bool:
    """Tell whether each response is the first of a call before it, and says the same; note which calls they answer.

    That no operation is bound to the call before is no contradiction: not every call had one.
    """
    slots = calls.answered = [calls.slots[call_id] for call_id in facts.answered_calls]
    operations = [calls.operations[slot] for slot in slots]
    return (
        len(set(slots)) == len(slots)
        and [calls.names[slot] for slot in slots] == facts.response_names
        and not any(map(ge, [calls.places[slot] for slot in slots], facts.response_places))
        and all(
            operation_id is None or refs == (operation_id, call_id)
            for operation_id, refs, call_id in zip(operations, facts.response_refs, facts.answered_calls, strict=True)
        )
    )
