"""What the events so far say about tools, and the bookkeeping that every rule needs.

Every fact is kept with the position of its event and never taken back, so that any prefix can be asked later.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from ..records.events import FunctionCall, RuntimeEvent
from .call_groups import CallGroup
from .execution import Execution
from .ids import Ids
from .loosely import loosely
from .tool_calls import (
    CALLLESS,
    HIDDEN,
    NESTED,
    NOT_DISPATCHED,
    RESPONSE_HIDDEN,
    STATES,
    OddCall,
    ToolCalls,
    is_settled,
)

Waiting = tuple[int, Execution, str, str | None, bytes | str | None]
"""A regular call that awaits its dispatch or response: number, execution, tool name, operation id, and its arguments,
or their digest, where they are at hand."""

HIDDEN_NOT_DISPATCHED: Final = NESTED + NOT_DISPATCHED

BLOCKS: Final = tuple(
    int(state < CALLLESS and not is_settled(state) and state != HIDDEN_NOT_DISPATCHED) for state in range(STATES)
)
"""Per state, whether a call blocks: all that is unsettled, but a hidden call that by its run's protocol had not
started. The model was never shown that one, and it can have had no effect."""


class Issue(Struct, frozen=True):
    """A contradiction: it shows at the event `index`, and the event that carries it may be an earlier one."""

    index: int
    code: str
    event_id: str
    event_index: int


class Stray(Struct, frozen=True):
    """A visible call or response that is not used: repeated, or not in its lane."""

    index: int
    invocation: str
    tool_call_id: str
    is_call: bool


class ToolFacts:
    """The facts and how they are found again. `event_at` returns an event that was taken before."""

    def __init__(self, event_at: Callable[[int], RuntimeEvent]) -> None:
        self.length = 0
        """Number of events taken."""
        self.calls = ToolCalls()
        self.issues: list[Issue] = []
        self.marker_issues: list[Issue] = []
        self.strays: list[Stray] = []
        self.halves: list[int] = []
        """Numbers of the calls of which the model may see one half only."""
        self.groups: dict[str, CallGroup] = {}
        self.waiting: dict[str, Waiting] = {}
        """Regular calls by tool-call id. What is unsettled and not here is odd."""
        self.counts = [0] * STATES
        """How many calls are in each state."""
        self.blocking = 0
        """How many calls block."""
        self.unmatched = 0
        """How many visible responses match no visible operation."""
        self._event_at = event_at
        self._batch: Sequence[RuntimeEvent] = ()
        self._batch_start = 0
        self._call_ids = Ids(loosely(self._call_id))
        self._operation_ids = Ids(loosely(self._operation_id))
        self._bound = array("I")
        self._late_calls: dict[int, int] = {}

    @property
    def blocked(self) -> bool:
        """Whether the plan of all events so far is blocked."""
        return bool(self.blocking or self.unmatched or self.issues or self.marker_issues)

    def event(self, index: int) -> RuntimeEvent:
        """Return an event that was taken, or that is being taken."""
        return self._batch[index - self._batch_start] if index >= self._batch_start else self._event_at(index)

    def find(self, invocation: str, call_id: str) -> int | None:
        """Return the number of the operation of this invocation and tool-call id."""
        group = self.groups.get(call_id)
        if group is not None:
            return group.of_invocation.get(invocation)
        number = self._call_ids.first(call_id)
        return number if number is not None and self._invocation(number) == invocation else None

    def call_of_event(self, index: int) -> int | None:
        """Return the number of the operation whose call is the event at `index`."""
        number = self.calls.mentioned(index)
        if number < len(self.calls) and self.calls.first[number] == index and number not in self.calls.late:
            return number
        return self._late_calls.get(index)

    def _add_call(self, index: int, invocation: str, call_id: str, name: str) -> int:
        """Add an operation under an id that another invocation may have used."""
        group = self.groups.get(call_id)
        if group is None and self._call_ids.first(call_id) is not None:
            group = self._group(call_id)
        number = self.calls.add(index, name)
        self._call_ids.add(call_id, repeated=group is not None and bool(group.of_invocation))
        if group is not None:
            self._odd(number, invocation, call_id)
            group.calls[number] = None
            group.of_invocation[invocation] = number
        return number

    def _call_id(self, number: int) -> str:
        odd = self.calls.odd.get(number)
        if odd is not None:
            return odd.call_id
        content = self.event(self.calls.first[number]).content
        return content.id if isinstance(content, FunctionCall) else ""

    def _invocation(self, number: int) -> str:
        odd = self.calls.odd.get(number)
        return self.event(self.calls.first[number]).invocation_id if odd is None else odd.invocation

    def _bind(self, operation_id: str, number: int) -> None:
        self._operation_ids.add(operation_id)
        self._bound.append(number)

    def _owner(self, operation_id: str) -> int | None:
        """Return the number of the operation that this operation id is bound to."""
        place = self._operation_ids.first(operation_id)
        return None if place is None else self._bound[place]

    def _operation_id(self, place: int) -> str:
        actions = self.event(self.calls.dispatch[self._bound[place]] - 1).actions
        fact = actions.tool_dispatch if actions else None
        return fact.operation_id if fact else ""

    def _odd(self, number: int, invocation: str | None = None, call_id: str | None = None) -> OddCall:
        """Return the record of a call that is out of the ordinary; from now on it is judged in full."""
        odd = self.calls.odd.get(number)
        if odd is None:
            invocation = self._invocation(number) if invocation is None else invocation
            call_id = self._call_id(number) if call_id is None else call_id
            state = self.calls.state_at(number, self.length)
            odd = self.calls.odd[number] = OddCall(invocation, call_id, state)
            waiting = self.waiting.get(odd.call_id)
            if waiting is not None and waiting[0] == number:
                del self.waiting[odd.call_id]
        return odd

    def _restate(self, number: int) -> None:
        """Bring the counts up to what an odd call is with the event that is being taken."""
        odd = self._odd(number)
        state = self.calls.state_at(number, self.length + 1)
        self.counts[odd.state] -= 1
        self.counts[state] += 1
        self.blocking += BLOCKS[state] - BLOCKS[odd.state]
        odd.state = state

    def _add_issue(self, code: str, index: int, event: RuntimeEvent, *numbers: int, carrier: int | None = None) -> None:
        self.issues.append(Issue(index, code, event.id, index if carrier is None else carrier))
        for number in numbers:
            self._odd(number).issues.setdefault(code, index)
            self._restate(number)

    def _group(self, call_id: str) -> CallGroup:
        """Return the group of a tool-call id, made from its only call if there is none yet."""
        group = self.groups.get(call_id)
        if group is None:
            sole = self._call_ids.first(call_id)
            group = self.groups[call_id] = CallGroup(call_id)
            if sole is not None:
                odd = self._odd(sole)
                group.calls[sole] = None
                group.of_invocation[odd.invocation] = sole
                if odd.state < NESTED:
                    group.show(sole, self.calls.call_name(sole))
                response = self.calls.response[sole]
                if response and not self.calls.bits[sole] & RESPONSE_HIDDEN:
                    group.add_response(response - 1, self.event(response - 1).id, self.calls.name_of(sole))
                self.unmatched += group.unmatched
        return group

    def _group_response(self, call_id: str, index: int, event_id: str, name: str) -> None:
        group = self._group(call_id)
        before = group.unmatched
        group.add_response(index, event_id, name)
        self.unmatched += group.unmatched - before

    def _group_call(self, number: int, call_id: str) -> None:
        """Let the group of an id, if it has one, know a call that was just attached."""
        group = self.groups.get(call_id)
        if group is not None and not self.calls.bits[number] & HIDDEN:
            before = group.unmatched
            group.show(number, self.calls.call_name(number))
            self.unmatched += group.unmatched - before
