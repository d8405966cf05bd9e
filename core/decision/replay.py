"""The provider replay: which events the model provider would be shown again (contract: Required decisions).

Visible, complete events are shown; of calls and responses only the pairs that are settled. What is left out is kept,
not what is shown: a replay of a million events costs next to nothing to hold.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from heapq import merge
from operator import attrgetter
from typing import Final

from msgspec import Struct

from ..records.events import RuntimeEvent
from .operations import EventAt, OperationStatus, fold
from .tool_calls import HIDDEN, RESPONSE_HIDDEN, is_settled
from .tool_ledger import Snapshot, ToolLedger
from .tool_rules import INVISIBLE, PARTIAL

_UNSEEN: Final = {PARTIAL: "partial", INVISIBLE: "hidden"}
_UNSETTLED: Final = {
    OperationStatus.INDETERMINATE: "no_response",
    OperationStatus.NOT_DISPATCHED: "not_dispatched",
    OperationStatus.PARKED: "parked",
    OperationStatus.CORRUPTION: "contradictory",
}


class LeftOut(Struct, frozen=True, order=True):
    """An event that the provider is not shown."""

    index: int
    """0-based position in the ledger."""
    reason: str
    """partial, hidden, half_hidden, no_response, not_dispatched, parked, contradictory or no_call."""


class ProviderReplay(Struct, frozen=True):
    """What the filter keeps of the first `high_water` events; it can be asked while replay is blocked, too."""

    high_water: int
    _unseen: array[int]
    _unseen_why: bytes
    _unsettled: tuple[LeftOut, ...]
    _event_at: EventAt

    def __repr__(self) -> str:
        return f"ProviderReplay(high_water={self.high_water}, _unsettled={self._unsettled})"

    def __eq__(self, other: object) -> bool:
        return _facts(self) == _facts(other) if isinstance(other, ProviderReplay) else NotImplemented

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The events that are left out, in order."""
        unseen = map(LeftOut, self._unseen, map(_UNSEEN.__getitem__, self._unseen_why))
        return tuple(merge(unseen, self._unsettled))

    @property
    def kept(self) -> int:
        """How many events the provider is shown."""
        return self.high_water - len(self._unseen) - len(self._unsettled)

    def reason(self, index: int) -> str | None:
        """Tell why the event at `index` is left out; None if it is shown."""
        place = bisect_left(self._unseen, index)
        if place < len(self._unseen) and self._unseen[place] == index:
            return _UNSEEN[self._unseen_why[place]]
        place = bisect_left(self._unsettled, LeftOut(index, ""))
        found = self._unsettled[place] if place < len(self._unsettled) else None
        return found.reason if found is not None and found.index == index else None

    def indexes(self) -> Iterator[int]:
        """Yield the positions of the events that are shown."""
        start = 0
        for index in merge(self._unseen, (left.index for left in self._unsettled)):
            yield from range(start, index)
            start = index + 1
        yield from range(start, self.high_water)

    def events(self) -> Iterator[RuntimeEvent]:
        """Yield the events that are shown, read anew."""
        return map(self._event_at, self.indexes())

    def event_ids(self) -> Iterator[str]:
        """Yield the ids of the events that are shown."""
        return (event.id for event in self.events())


_facts: Final = attrgetter("high_water", "_unseen", "_unseen_why", "_unsettled")
"""All that makes a replay what it is."""


def replay_at(ledger: ToolLedger, end: int, snapshot: Snapshot, at: EventAt) -> ProviderReplay:
    """Filter the first `end` events; `snapshot` is that of the same prefix."""
    unseen = bisect_left(ledger.unseen, end)
    left = {**_unsettled(ledger, end, snapshot), **_halves(ledger, end), **_strays(ledger, end)}
    return ProviderReplay(
        end,
        ledger.unseen[:unseen],
        bytes(ledger.unseen_why[:unseen]),
        tuple(LeftOut(index, left[index]) for index in sorted(left)),
        at,
    )


def replay_events(events: Iterable[RuntimeEvent]) -> tuple[RuntimeEvent, ...]:
    """Return the events that the provider would be shown again, whether or not the replay is allowed."""
    ledger, at = fold(events)
    return tuple(replay_at(ledger, ledger.length, ledger.snapshot_at(ledger.length), at).events())


def _unsettled(ledger: ToolLedger, end: int, snapshot: Snapshot) -> dict[int, str]:
    calls = ledger.calls
    left = {}
    for number in snapshot.unsettled:
        call, response, bits = calls.call_at(number), calls.response[number], calls.bits[number]
        called = 0 < call <= end
        why = _UNSETTLED[calls.decide(number, end).status] if called else "no_call"
        if called and not bits & HIDDEN:
            left[call - 1] = why
        if 0 < response <= end and not bits & RESPONSE_HIDDEN:
            left[response - 1] = why
    return left


def _halves(ledger: ToolLedger, end: int) -> dict[int, str]:
    """Leave out the visible half of a settled pair whose other half is hidden: the provider must not meet it alone."""
    calls = ledger.calls
    left = {}
    for number in ledger.halves:
        if is_settled(calls.state_at(number, end)):
            half = calls.response[number] if calls.bits[number] & HIDDEN else calls.call_at(number)
            left[half - 1] = "half_hidden"
    return left


def _strays(ledger: ToolLedger, end: int) -> dict[int, str]:
    """Leave out unused calls and responses, unless the operation that they name is settled and shown."""
    calls = ledger.calls
    halves = set(ledger.halves)
    left = {}
    for stray in ledger.strays[: bisect_left(ledger.strays, end, key=lambda stray: stray.index)]:
        number = ledger.groups[stray.tool_call_id].of_invocation.get(stray.invocation)
        if number is None or not 0 < calls.call_at(number) <= end:
            left[stray.index] = "contradictory" if stray.is_call else "no_call"
        elif not is_settled(calls.state_at(number, end)):
            left[stray.index] = _UNSETTLED[calls.decide(number, end).status]
        elif number in halves:
            left[stray.index] = "half_hidden"
    return left
