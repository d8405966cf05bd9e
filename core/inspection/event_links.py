"""Which tool call an event speaks of: what ties a timeline to the operations beside it.

A link shows, it decides nothing: operations are projected by `tool_ledger`, whether or not a link is found.
"""

from __future__ import annotations

from array import array
from typing import Final, NamedTuple

from ..records.events import Actions, FunctionCall, FunctionResponse, Refs, RuntimeEvent
from ..storage.ledger import Ledger
from ..storage.rows import RowKind

_BESIDE_CALLS: Final = (
    RowKind.PERMISSION,
    RowKind.QUESTION,
    RowKind.RECOVERY,
    RowKind.CALL,
    RowKind.RESPONSE,
    RowKind.EVENT,
)
"""Kinds of rows that may speak of a call without being one of its own facts, the most telling first."""

_READ_AT_MOST: Final = 1 << 20
"""Bytes. A longer row is not read for its link."""

_READ_ON: Final = 20_000
"""Events that are read one by one behind those that are linked already; where there are more, all are linked anew."""

_LOOKED_BACK: Final = 64
"""Requests that are read, at most, to find the one that an answer belongs to."""


class FoundLinks(NamedTuple):
    """Complete links."""

    numbers: array[int]
    waiting: list[int]


class EventLinks:
    """Numbers of operations by the events that speak of them, for the whole ledger.

    Calls, dispatches, responses and recovery facts are known at once; see `complete` for the rest.
    """

    def __init__(self, ledger: Ledger, before: EventLinks | None = None, found: FoundLinks | None = None) -> None:
        """Link the events of a ledger; `before` are the links of the same one when it was shorter.

        Then only the events are read that it has more, and what they speak of is complete. `found` are the complete
        links as another process found them. Raises CoreError.
        """
        self._ledger = ledger
        self._completed = found is not None
        self.numbers: array[int]
        """Number of the operation and one more, by event; 0 where none is known."""
        self.waiting: list[int] = []
        """Events that name a call which the ledger does not have, as far as they were read."""
        if found is not None:
            self.numbers, self.waiting = found.numbers, found.waiting
            return
        if before is not None and 0 <= len(ledger) - len(before.numbers) <= _READ_ON:
            self.numbers = before.numbers[:]
            self._read_on(before.waiting, len(ledger))
            return
        calls = ledger.tool_ledger.calls
        self.numbers = array("I", bytes(4 * len(ledger)))
        links, count = self.numbers, len(ledger)
        for column in (calls.dispatch, calls.response):
            for number in range(len(calls)):
                position = column[number]
                if 0 < position <= count:
                    links[position - 1] = number + 1
        for number, odd in list(calls.odd.items()):
            for index in (*odd.extra, *odd.recovery.indexes):
                if index < count and not links[index]:
                    links[index] = number + 1

    def _read_on(self, waiting: list[int], count: int) -> None:
        start = len(self.numbers)
        self.numbers.extend([0] * (count - start))
        for index in (*waiting, *range(start, count)):
            if self._ledger.rows.lengths[index] <= _READ_AT_MOST and self.number(index) is None:
                self._note(index, self._ledger[index])

    def number(self, index: int) -> int | None:
        """Return the operation that the event at `index` speaks of, as far as that is known; reads no row."""
        if not 0 <= index < len(self.numbers):
            return None
        linked = self.numbers[index]
        return linked - 1 if linked else self._ledger.tool_ledger.call_of_event(index)

    def call_index(self, number: int) -> int | None:
        """Return the position of an operation's call; None where its call is not in the ledger."""
        stored = self._ledger.tool_ledger.calls.call_at(number)
        return stored - 1 if stored else None

    def complete(self, at_most: int = 20_000) -> None:
        """Find the operations of permissions, questions and signs of life too: reads so many rows, at most.

        For a thread; who asks meanwhile is told what is known. Raises CoreError where the storage went away.
        """
        if self._completed:
            return
        rows, left = self._ledger.rows, at_most
        for kind in _BESIDE_CALLS:
            index = rows.kinds.find(kind, 0, len(self.numbers))
            while index >= 0 and left > 0:
                if rows.lengths[index] <= _READ_AT_MOST and self.number(index) is None:
                    left -= 1
                    self._note(index, self._ledger[index])
                index = rows.kinds.find(kind, index + 1, len(self.numbers))
        self._completed = True

    def _note(self, index: int, event: RuntimeEvent) -> None:
        call_id = self._call_id(index, event)
        number = None if call_id is None else self._ledger.tool_ledger.find(event.invocation_id, call_id)
        if number is not None:
            self.numbers[index] = number + 1
        elif call_id is not None and len(self.waiting) < _LOOKED_BACK:
            self.waiting.append(index)

    def _call_id(self, index: int, event: RuntimeEvent) -> str | None:
        if isinstance(event.content, (FunctionCall, FunctionResponse)):
            return event.content.id
        actions = event.actions
        if isinstance(actions, Actions):
            asked = actions.permission_request or actions.user_question_request
            if asked:
                return asked.tool_use_id
            if actions.permission_decision:
                return self._asked(RowKind.PERMISSION, index, actions.permission_decision.request_id)
            for answered in (actions.permission_answer_accepted, actions.permission_closure_accepted):
                if answered:
                    return self._asked(RowKind.PERMISSION, index, answered.request_id)
            if actions.user_question_answer_accepted:
                return self._asked(RowKind.QUESTION, index, actions.user_question_answer_accepted.request_id)
        refs = event.refs
        return refs.tool_call_id if isinstance(refs, Refs) and isinstance(refs.tool_call_id, str) else None

    def _asked(self, kind: RowKind, index: int, request_id: str) -> str | None:
        """Find the request that an answer belongs to, and return the tool call that it was made for."""
        place = index
        for _ in range(_LOOKED_BACK):
            place = self._ledger.rows.kinds.rfind(kind, 0, place)
            if place < 0:
                return None
            actions = self._ledger[place].actions
            asked = (actions.permission_request or actions.user_question_request) if actions else None
            if asked and asked.request_id == request_id:
                return asked.tool_use_id
        return None
