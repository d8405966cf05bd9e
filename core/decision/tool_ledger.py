"""The fold over a ledger: one pass, a few bytes of state an event, every fact kept with its position.

State only grows, so `resume.plan_at` can answer for any prefix of what was taken. The regular case is handled here,
fast; whatever is not plainly regular goes to the rules.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple

from ..errors import RequestError
from ..records.events import RuntimeEvent
from ..records.plain import PlainRows
from .ids import Ids
from .loosely import loosely
from .tool_calls import ABSENT, STATES, is_settled
from .tool_plain import PlainRowsFold

_BATCH: Final = 1024
"""Events between two checkpoints, at least; also what is taken in one go."""

_id_of = attrgetter("id")


class Snapshot(NamedTuple):
    """The calls as of a prefix."""

    counts: list[int]
    """How many are in each state of `tool_calls`."""
    unsettled: list[int]
    """Numbers of those without an outcome, in order, facts without a call included."""


class ToolLedger(PlainRowsFold):
    """The fold. Not for several threads that write; reading beside one writer is sound.

    `event_at` gives back an event of an earlier `apply` or `extend` by its 0-based position; it is asked seldom.
    Without it the fold keeps the events. `expected` is a guess at the number of events, to make room for their ids.
    With `trusting` all ids of events are taken for new ones: before it is asked for anything, `settle` must say so.
    """

    def __init__(
        self, event_at: Callable[[int], RuntimeEvent] | None = None, *, expected: int = 0, trusting: bool = False
    ) -> None:
        super().__init__(event_at or loosely(self._kept_event))
        self._kept: list[RuntimeEvent] | None = None if event_at else []
        self._ids: Ids | None = Ids(loosely(self._event_id), expected, trusting=trusting)
        self._checkpoints = array("I")
        self._checkpoint_states: list[tuple[array[int], list[int]]] = []
        self._next_checkpoint = _BATCH

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what cannot leave the process: a copy answers, given the events, and grows no more."""
        state = dict(self.__dict__)
        for name in ("_ids", "_call_ids", "_operation_ids", "_event_at"):
            state[name] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._event_at = loosely(self._kept_event)
        self._call_ids = Ids(loosely(self._call_id))

    def settle(self) -> bool:
        """Tell whether no id of an event came twice. Where one did, a trusting fold is to be thrown away.

        Whatever comes afterwards is looked at one by one.
        """
        if self.length:
            self._add_checkpoint()
        return self._ids is None or self._ids.settle()

    def read_by(self, event_at: Callable[[int], RuntimeEvent]) -> None:
        """Give a copy the events, so that it finds calls by their ids as well."""
        self._event_at = event_at

    def find(self, invocation: str, call_id: str) -> int | None:
        """Return the number of the operation of this invocation and tool-call id. A copy reads every call first."""
        if self._ids is None and len(self._call_ids) < len(self.calls):
            self._call_ids = self._read_call_ids()
        return super().find(invocation, call_id)

    def _read_call_ids(self) -> Ids:
        ids = Ids(loosely(self._call_id), len(self.calls))
        for number in range(len(self.calls)):
            call_id = self._call_id(number)
            ids.add(call_id, repeated=ids.first(call_id) is not None)
        return ids

    def apply(self, event: RuntimeEvent) -> None:
        """Take the next event of the ledger."""
        self.extend((event,))

    def extend(self, events: Sequence[RuntimeEvent], *, one_execution: bool = False) -> None:
        """Take the next events of the ledger; many at once is much faster than one by one.

        `one_execution` is the caller's word that all of them carry the same session, invocation, run and turn.
        """
        if self._ids is None:
            raise RequestError("a copy of a fold cannot take events")
        for start in range(0, len(events), _BATCH):
            batch = events if len(events) <= _BATCH else events[start : start + _BATCH]
            self._batch, self._batch_start = batch, self.length
            self._take_batch(batch, self._ids, one_execution)
            self._finish_batch(batch)

    def extend_plain(self, rows: PlainRows) -> None:
        """Take plain rows of one execution; this is the quickest."""
        if self._ids is None:
            raise RequestError("a copy of a fold cannot take events")
        if rows.execution != self._execution or not self._ids.add_all(rows.ids):
            self.extend(rows[:], one_execution=True)
            return
        self._batch, self._batch_start = rows, self.length
        self._take_plain(rows)
        self._finish_batch(rows)

    def _finish_batch(self, batch: Sequence[RuntimeEvent]) -> None:
        if self._kept is not None:
            self._kept.extend(batch)
        self._batch, self._batch_start = (), self.length
        if self.length >= self._next_checkpoint:
            self._add_checkpoint()

    def _event_id(self, index: int) -> str:
        return self.event(index).id

    def _kept_event(self, index: int) -> RuntimeEvent:
        return self._kept[index] if self._kept is not None else self._no_event(index)

    def _no_event(self, index: int) -> RuntimeEvent:
        raise RequestError(f"a copy of a fold does not have event {index}: give it the events to read")

    def _take_batch(self, batch: Sequence[RuntimeEvent], ids: Ids, one_execution: bool) -> None:
        keys = list(map(_id_of, batch))
        done = 0
        while done < len(batch):
            new = ids.add_new(keys[done:] if done else keys)
            self._take_new(batch[done : done + new] if new < len(batch) else batch, one_execution)
            done += new
            if done < len(batch):
                self._take_suspect(batch[done], ids)
                done += 1

    def _take_suspect(self, event: RuntimeEvent, ids: Ids) -> None:
        earlier = ids.first(event.id)
        ids.add(event.id, repeated=earlier is not None)
        self._take_irregular(event, earlier)

    def _add_checkpoint(self) -> None:
        waiting = array("I", (call[0] for call in self.waiting.values()))
        self._checkpoint_states.append((waiting, list(self.counts)))
        self._checkpoints.append(self.length)
        self._next_checkpoint = self.length + max(_BATCH, 4 * len(waiting))

    def snapshot_at(self, end: int) -> Snapshot:
        """Return the calls as of the first `end` events. It takes time for the unsettled and the odd ones alone."""
        place = bisect_right(self._checkpoints, end) - 1
        start = self._checkpoints[place] if place >= 0 else 0
        waiting, counts = self._checkpoint_states[place] if place >= 0 else (array("I"), [0] * STATES)
        counts = list(counts)
        calls = self.calls
        candidates = set(waiting)
        candidates.update(range(calls.mentioned(start), calls.mentioned(end)))
        candidates.update(number for number in list(calls.odd) if calls.first[number] < end)
        unsettled = []
        for number in candidates:
            counts[calls.state_at(number, start)] -= 1
            state = calls.state_at(number, end)
            counts[state] += 1
            if state != ABSENT and not is_settled(state):
                unsettled.append(number)
        return Snapshot(counts, sorted(unsettled))
