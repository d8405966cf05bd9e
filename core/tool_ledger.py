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

from msgspec import UNSET

from .errors import RequestError
from .events import FunctionCall, FunctionResponse, RuntimeEvent, ToolDispatch
from .id_index import IdIndex
from .lanes import fits_call, fits_dispatch, fits_response
from .recovery import Execution, carries
from .tool_calls import ABSENT, FAILED, HIDDEN, IS_ERROR, NESTED, RESPONSE_HIDDEN, STATES, SUCCEEDED, is_settled
from .tool_facts import BLOCKS
from .tool_rules import ToolRules, same_arguments

_BATCH: Final = 1024
"""Events between two checkpoints, at least; also what is taken in one go."""

_HELD_CALLS: Final = 256
"""So many waiting calls are kept whole; the arguments of more are read again when they are asked for."""

_id_of = attrgetter("id")


class Snapshot(NamedTuple):
    """The calls as of a prefix."""

    counts: list[int]
    """How many are in each state of `tool_calls`."""
    unsettled: list[int]
    """Numbers of those without an outcome, in order, facts without a call included."""


class ToolLedger(ToolRules):
    """The fold. Not for several threads that write; reading beside one writer is sound.

    `event_at` gives back an event of an earlier `apply` or `extend` by its 0-based position; it is asked seldom.
    Without it the fold keeps the events.
    """

    def __init__(self, event_at: Callable[[int], RuntimeEvent] | None = None) -> None:
        self._kept: list[RuntimeEvent] | None = [] if event_at is None else None
        super().__init__(event_at if self._kept is None and event_at is not None else self._kept_event)
        self.blocked_after = bytearray()
        """[i] is 1 if the plan of the first i + 1 events is blocked, else 0."""
        self._ids: IdIndex | None = IdIndex()
        self._execution: Execution = ("", "", "", "")
        self._was_blocked = False
        self._checkpoints = array("I")
        self._checkpoint_states: list[tuple[array[int], list[int]]] = []
        self._next_checkpoint = _BATCH

    def __len__(self) -> int:
        return self.length

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what cannot leave the process: a copy answers every question, and grows no more."""
        state = dict(self.__dict__)
        for name in ("_ids", "_call_ids", "_operation_ids", "_event_at"):
            state[name] = None
        return state

    def apply(self, event: RuntimeEvent) -> None:
        """Take the next event of the ledger."""
        self.extend((event,))

    def extend(self, events: Sequence[RuntimeEvent]) -> None:
        """Take the next events of the ledger."""
        if self._ids is None:
            raise RequestError("a copy of a fold cannot take events")
        for start in range(0, len(events), _BATCH):
            batch = events if len(events) <= _BATCH else events[start : start + _BATCH]
            self._batch, self._batch_start = batch, self.length
            self._take_batch(batch, self._ids)
            if self._kept is not None:
                self._kept.extend(batch)
            self._batch, self._batch_start = (), self.length
            if self.length >= self._next_checkpoint:
                self._add_checkpoint()

    def _kept_event(self, index: int) -> RuntimeEvent:
        assert self._kept is not None
        return self._kept[index]

    def _take_batch(self, batch: Sequence[RuntimeEvent], ids: IdIndex) -> None:
        keys = list(map(_id_of, batch))
        done = 0
        while done < len(batch):
            new = ids.add_new(keys[done:] if done else keys)
            self._take_new(batch[done : done + new] if new < len(batch) else batch)
            done += new
            if done < len(batch):
                self._take_suspect(batch[done], ids)
                done += 1

    def _take_suspect(self, event: RuntimeEvent, ids: IdIndex) -> None:
        earlier = ids.first(event.id, lambda index: self.event(index).id == event.id)
        ids.add(event.id, repeated=earlier is not None)
        self._take(self.length, event, earlier)
        self._close_event()

    def _take_new(self, events: Sequence[RuntimeEvent]) -> None:
        """Take events whose ids are new."""
        blocked_after = self.blocked_after
        for event in events:
            if self._is_regular(event):
                self.length += 1
                blocked_after.append(self._was_blocked)
            else:
                self._take(self.length, event, None)
                self._execution = self._executions[event.invocation_id]
                self._close_event()

    def _close_event(self) -> None:
        self.length += 1
        self._was_blocked = self.blocked
        self.blocked_after.append(self._was_blocked)

    def _is_regular(self, event: RuntimeEvent) -> bool:
        """Take an event that has nothing irregular, ahead of all rules; or take nothing and return False."""
        if event.partial or event.status or event.branch is not UNSET:
            return False
        if (event.session_id, event.invocation_id, event.run_id, event.turn_id) != self._execution:
            return False
        content, actions = event.content, event.actions
        if type(content) is FunctionCall:
            return fits_call(event) and self._regular_call(event, content)
        if type(content) is FunctionResponse:
            return fits_response(event) and self._regular_response(event, content)
        if actions:
            if actions.tool_dispatch:
                return fits_dispatch(event) and self._regular_dispatch(event, actions.tool_dispatch)
            if actions.runtime_protocol or actions.tool_recovery or actions.end_invocation:
                return False
        if event.model_visibility == "hidden":
            self._note_unseen(self.length)
        return True

    def _regular_call(self, event: RuntimeEvent, content: FunctionCall) -> bool:
        call_id = content.id
        if call_id in self.groups or not self._call_ids.add_if_new(call_id):
            return False
        calls, index = self.calls, self.length
        number = calls.add(index, content.name)
        calls.call[number] = index + 1
        state = 1 if calls.marked else 0
        if event.model_visibility == "hidden":
            calls.bits[number] = HIDDEN
            self._note_unseen(index)
            state += NESTED
        self._move(ABSENT, state)
        held = event if len(self.waiting) < _HELD_CALLS else None
        self.waiting[call_id] = (number, self._execution, content.name, None, held)
        return True

    def _regular_response(self, event: RuntimeEvent, content: FunctionResponse) -> bool:
        waiting = self.waiting.get(content.id)
        if waiting is None or waiting[1] is not self._execution or waiting[2] != content.name:
            return False
        number, operation_id = waiting[0], waiting[3]
        calls, index = self.calls, self.length
        hidden = event.model_visibility == "hidden"
        if hidden != bool(calls.bits[number] & HIDDEN):
            return False
        if operation_id is not None and not carries(event, operation_id, content.id):
            return False
        del self.waiting[content.id]
        before = calls.state_at(number, index)
        calls.response[number] = index + 1
        after = SUCCEEDED
        if content.is_error is True:
            calls.bits[number] |= IS_ERROR
            after = FAILED
        if hidden:
            calls.bits[number] |= RESPONSE_HIDDEN
            self._note_unseen(index)
            after += NESTED
        self._move(before, after)
        return True

    def _regular_dispatch(self, event: RuntimeEvent, fact: ToolDispatch) -> bool:
        call_id, operation_id = fact.provider_tool_call_id, fact.operation_id
        waiting = self.waiting.get(call_id)
        if waiting is None or waiting[1] is not self._execution or waiting[3] is not None:
            return False
        number, calls, index = waiting[0], self.calls, self.length
        called = waiting[4] or self.event(calls.call[number] - 1)
        names_it = waiting[2] == fact.tool_name and carries(event, operation_id, call_id)
        if not names_it or not same_arguments(called, fact):
            return False
        if not self._operation_ids.add_if_new(operation_id):
            return False
        self._bound.append(number)
        before = calls.state_at(number, index)
        calls.dispatch[number] = index + 1
        if event.model_visibility == "hidden":
            self._note_unseen(index)
        self._move(before, calls.state_at(number, index + 1))
        self.waiting[call_id] = (number, waiting[1], waiting[2], operation_id, waiting[4])
        return True

    def _move(self, before: int, after: int) -> None:
        self.counts[before] -= 1
        self.counts[after] += 1
        change = BLOCKS[after] - BLOCKS[before]
        if change:
            self.blocking += change
            self._was_blocked = self.blocked

    def _add_checkpoint(self) -> None:
        waiting = array("I", (call[0] for call in self.waiting.values()))
        self._checkpoints.append(self.length)
        self._checkpoint_states.append((waiting, list(self.counts)))
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
