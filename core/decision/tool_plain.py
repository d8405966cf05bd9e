"""The shortest way of the fold: the tool facts among many plain rows, taken together where nothing contradicts them.

They are looked at by column, and nothing is changed meanwhile. Whatever speaks against them is seen before anything is
taken; then the rows go one by one, and what is not regular goes to the rules.
"""

from __future__ import annotations

from itertools import accumulate
from operator import ge, gt
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
_STEPS: Final = bytes({RowKind.CALL.value: 2, RowKind.RESPONSE.value: 0}.get(kind, 1) for kind in range(256))
"""By the kind of a row, one more than the number of calls by which more wait behind it."""


class _Calls:
    """The calls that some rows speak of, by column: those that the rows make, then others that wait for them."""

    __slots__ = ("answered", "before", "digests", "dispatched", "names", "numbers", "operations", "places", "slots")

    def __init__(self, facts: PlainFacts, first: int) -> None:
        made = len(facts.call_ids)
        self.slots = dict(zip(facts.call_ids, range(made), strict=True))
        """Places in the columns by tool-call id."""
        self.numbers = list(range(first, first + made))
        self.names = list(facts.call_names)
        self.places = list(facts.call_places)
        """Of the row that speaks of the call last; -1 before these rows."""
        self.digests: list[str | None] = list(facts.call_digests) or [None] * made
        self.operations: dict[int, str] = {}
        """Operation ids by the places of the calls that are bound to one."""
        self.before: list[str] = []
        """Tool-call ids of those that waited before these rows."""
        self.dispatched: list[int] = []
        """Places in the columns in the order of the dispatches, and then of the responses."""
        self.answered: list[int] = []

    def add(self, call_id: str, waiting: Waiting) -> None:
        """Add one that waited before these rows."""
        number, _, name, operation_id, args = waiting
        slot = self.slots[call_id] = len(self.numbers)
        self.before.append(call_id)
        self.numbers.append(number)
        self.names.append(name)
        self.places.append(-1)
        self.digests.append(args_hash(name, args) if isinstance(args, bytes) else args)
        if operation_id is not None:
            self.operations[slot] = operation_id


class PlainRowsFold(RegularFacts):
    """Takes plain rows whose ids are new and whose execution is the present one."""

    def _take_plain(self, rows: PlainRows) -> None:
        facts = rows.facts
        calls = self._calls_of(facts) if facts is not None else None
        if facts is None or calls is None or not self._add_ids(facts):
            self._take_run(rows[:])
            return
        start, columns, counts = self.length, self.calls, self.counts
        number_of = calls.numbers.__getitem__
        columns.add_all([start + place for place in facts.call_places], facts.call_names)
        bound, answered = list(map(number_of, calls.dispatched)), list(map(number_of, calls.answered))
        self._bound.fromlist(bound)
        dispatch, response, behind = columns.dispatch, columns.response, start + 1
        for number, place in zip(bound, facts.dispatch_places, strict=True):
            dispatch[number] = behind + place
        for number, place in zip(answered, facts.response_places, strict=True):
            response[number] = behind + place
        failed = facts.failures.count(True)
        if failed:
            for number, failure in zip(answered, facts.failures, strict=True):
                columns.bits[number] |= IS_ERROR * failure
        waits = len(facts.call_ids) - len(answered)
        undispatched = len(answered) - len(calls.operations.keys() & set(calls.answered))
        unbound = len(facts.call_ids) - len(bound) - undispatched if columns.marked else 0
        counts[NOT_DISPATCHED] += unbound
        counts[INDETERMINATE] += waits - unbound
        counts[FAILED] += failed
        counts[SUCCEEDED] += len(answered) - failed
        self._mark(rows.kinds)
        self.blocking += waits
        self._keep(calls, facts.answered_calls)

    def _calls_of(self, facts: PlainFacts) -> _Calls | None:
        """Look up the calls that rows speak of; None where a fact contradicts what is known of its call."""
        calls = _Calls(facts, len(self.calls))
        slots = calls.slots
        if self.groups and not self.groups.keys().isdisjoint(slots):
            return None
        for call_ids in (facts.dispatched_calls, facts.answered_calls):
            for call_id in [call_id for call_id in call_ids if call_id not in slots]:
                waiting = self._waits(call_id)
                if waiting is None:
                    return None
                if call_id not in slots:
                    calls.add(call_id, waiting)
        calls.dispatched = list(map(slots.__getitem__, facts.dispatched_calls))
        calls.answered = list(map(slots.__getitem__, facts.answered_calls))
        return calls if self._fit_dispatches(facts, calls) and _fit_responses(facts, calls) else None

    def _waits(self, call_id: str) -> Waiting | None:
        """Return a call that waits, if it is visible and of this execution."""
        found = self.waiting.get(call_id)
        if found is None or found[1] is not self._execution or self.calls.bits[found[0]]:
            return None
        return found

    def _fit_dispatches(self, facts: PlainFacts, calls: _Calls) -> bool:
        """Tell whether each dispatch is of a call before it, the first of that call, and says the same; note them."""
        slots, places = calls.dispatched, calls.places
        bound = dict(zip(slots, facts.operation_ids, strict=True))
        if (
            len(bound) != len(slots)
            or not calls.operations.keys().isdisjoint(bound)
            or list(map(calls.names.__getitem__, slots)) != facts.dispatch_names
            or any(map(ge, map(places.__getitem__, slots), facts.dispatch_places))
        ):
            return False
        digests = list(map(calls.digests.__getitem__, slots))
        if None in digests:
            digests = [
                self._digest_again(calls.numbers[slot]) if digest is None else digest
                for slot, digest in zip(slots, digests, strict=True)
            ]
        if digests != facts.dispatch_digests:
            return False
        calls.operations.update(bound)
        for slot, place in zip(slots, facts.dispatch_places, strict=True):
            places[slot] = place
        return True

    def _digest_again(self, number: int) -> str | None:
        """Return the digest of a call that was made before these rows; the arguments of one among them have none."""
        return arguments_digest(self.event(self.calls.first[number])) if number < len(self.calls) else None

    def _add_ids(self, facts: PlainFacts) -> bool:
        if not self._call_ids.add_all(facts.call_ids):
            return False
        if not self._operation_ids.add_all(facts.operation_ids):
            self._call_ids.take_back(len(facts.call_ids))
            return False
        return True

    def _keep(self, calls: _Calls, answered_calls: list[str]) -> None:
        """Keep what waits now. The digests of many take memory: those are told anew."""
        waiting, answered = self.waiting, set(answered_calls)
        for call_id in answered.intersection(calls.before):
            del waiting[call_id]
        for call_id in [call_id for call_id in calls.slots if call_id not in answered]:
            slot = calls.slots[call_id]
            operation_id = calls.operations.get(slot)
            digest = calls.digests[slot] if operation_id is None and len(waiting) < HELD_CALLS else None
            waiting[call_id] = (calls.numbers[slot], self._execution, calls.names[slot], operation_id, digest)

    def _mark(self, kinds: bytearray) -> None:
        """Note for each row of these kinds whether the plan is blocked behind it."""
        if self._stuck:
            self.blocked_after += _FLAGS[True] * len(kinds)
        else:
            waiting = accumulate(kinds.translate(_STEPS), initial=self.blocking)
            next(waiting)
            self.blocked_after += bytes(map(gt, waiting, range(1, len(kinds) + 1)))
        self._was_blocked = bool(self.blocked_after[-1])
        self.length += len(kinds)


def _fit_responses(facts: PlainFacts, calls: _Calls) -> bool:
    """Tell whether each response is the first of a call before it, and says the same.

    That no operation is bound to the call before is no contradiction: not every call had one.
    """
    slots, operations = calls.answered, calls.operations
    return (
        len(set(slots)) == len(slots)
        and list(map(calls.names.__getitem__, slots)) == facts.response_names
        and not any(map(ge, map(calls.places.__getitem__, slots), facts.response_places))
        and not [
            slot
            for slot, refs, call_id in zip(slots, facts.response_refs, facts.answered_calls, strict=True)
            if slot in operations and refs != (operations[slot], call_id)
        ]
    )
