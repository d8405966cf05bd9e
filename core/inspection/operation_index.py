"""The operations of a prefix in the groups in which people read them: by number, made and read only when asked for.

Nothing here reads a row of the ledger, so a list of a million operations costs next to nothing to hold and to draw.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, overload

from msgspec import Struct

from ..decision.operations import EventAt, OperationStatus, ToolOperation, chosen_operations
from ..decision.tool_calls import CALLLESS, NESTED, STATUSES, is_settled
from ..decision.tool_ledger import ToolLedger

URGENCY: Final = (
    OperationStatus.INDETERMINATE,
    OperationStatus.CORRUPTION,
    OperationStatus.PARKED,
    OperationStatus.NOT_DISPATCHED,
)
"""The statuses of unsettled operations, most urgent first."""

_RANK: Final = tuple(URGENCY.index(status) if status in URGENCY else len(URGENCY) for status in STATUSES)


class OperationBrief(Struct, frozen=True):
    """What a list says of an operation. Positions are 0-based in the ledger; None is "not in this prefix"."""

    number: int
    """Its place in the order of first mention, from 0: a name that holds for every prefix."""
    tool_name: str
    status: OperationStatus
    reason: str
    call_index: int
    dispatch_index: int | None
    response_index: int | None
    hidden: bool
    event_indexes: tuple[int, ...]
    """Positions of all events about it, in order."""


class OperationIndex:
    """The operations of the first `end` events as three lists of numbers."""

    def __init__(self, tool_ledger: ToolLedger, end: int, event_at: EventAt | None = None) -> None:
        """Sort the operations of a prefix; `event_at` gives events back, by default the fold does."""
        self.end = end
        self._ledger = tool_ledger
        self._event_at = event_at or tool_ledger.event
        calls = tool_ledger.calls
        snapshot = tool_ledger.snapshot_at(end)
        states = {number: calls.state_at(number, end) for number in snapshot.unsettled}
        called = [number for number, state in states.items() if state < CALLLESS]
        self.unresolved: Sequence[int] = sorted(called, key=lambda number: (_RANK[states[number] % NESTED], number))
        """The operations without an outcome, hidden ones included, most urgent first."""
        self.settled: Sequence[int]
        """The visible operations with an outcome, in the order of their first mention."""
        self.nested: Sequence[int]
        """The hidden operations with an outcome: a tool made these calls, not the model."""
        if any(snapshot.counts[NESTED:CALLLESS]):
            self.settled, self.nested = self._split(calls.mentioned(end))
        else:
            self.settled, self.nested = _Others(calls.mentioned(end), snapshot.unsettled), ()

    def __len__(self) -> int:
        return len(self.unresolved) + len(self.settled) + len(self.nested)

    def _split(self, mentioned: int) -> tuple[Sequence[int], Sequence[int]]:
        visible, hidden = array("I"), array("I")
        state_at, end = self._ledger.calls.state_at, self.end
        for number in range(mentioned):
            state = state_at(number, end)
            if is_settled(state):
                (hidden if state >= NESTED else visible).append(number)
        return visible, hidden

    def brief(self, number: int) -> OperationBrief:
        """Describe one operation of the prefix."""
        calls, end = self._ledger.calls, self.end
        decision, shadow, odd = calls.decide(number, end), calls.shadow_at(number, end), calls.odd.get(number)
        call = calls.call_at(number) - 1
        dispatch, response = _within(calls.dispatch[number], end), _within(calls.response[number], end)
        more = (*odd.extra, *odd.recovery.indexes) if odd is not None else ()
        indexes = {call, *(index for index in (dispatch, response) if index is not None)}
        indexes.update(index for index in more if index < end)
        return OperationBrief(
            number,
            shadow.tool_name if shadow else calls.call_name(number),
            decision.status,
            decision.reason,
            call,
            dispatch,
            response,
            calls.hidden_at(number, end),
            tuple(sorted(indexes)),
        )

    def operation(self, number: int) -> ToolOperation:
        """Make one operation in full: reads its rows. Raises LedgerChanged where they are gone."""
        return chosen_operations(self._ledger, self.end, (number,), self._event_at)[0]

    def holds(self, number: int) -> bool:
        """Whether the prefix holds the call of that number."""
        calls = self._ledger.calls
        return 0 <= number < len(calls) and calls.state_at(number, self.end) < CALLLESS


class _Others(Sequence[int]):
    """The numbers below `count` that are not among a few sorted ones."""

    def __init__(self, count: int, left_out: Sequence[int]) -> None:
        self._left_out = left_out
        self._steps = [number - place for place, number in enumerate(left_out)]
        self._length = count - len(left_out)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(self._length))]
        place = range(self._length)[index]
        return place + bisect_right(self._steps, place)

    def index(self, value: int, start: int = 0, stop: int | None = None) -> int:
        """Find a number. Raises ValueError where it is left out."""
        place = value - bisect_left(self._left_out, value)
        if not start <= place < (self._length if stop is None else stop) or self[place] != value:
            raise ValueError(value)
        return place


def position_in(numbers: Sequence[int], number: int) -> int | None:
    """Say where a number stands in one of the lists of an `OperationIndex`; None where it does not."""
    if isinstance(numbers, array):
        place = bisect_left(numbers, number)
        return place if place < len(numbers) and numbers[place] == number else None
    try:
        return numbers.index(number)
    except ValueError:
        return None


def _within(stored: int, end: int) -> int | None:
    return stored - 1 if 0 < stored <= end else None
