"""What was seen about many calls, found in one pass over the rows: each call costs what is said of it, no more."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from ..decision.operations import ToolOperation
from ..once import once
from ..records.events import Actions, PermissionDecision, Refs, RuntimeEvent
from ..storage.ledger import Ledger, LedgerChanged
from ..storage.rows import RowKind
from .witness import Witness, beside_calls, torn_witness

MOST_ALIKE: Final = 200
"""Things of one kind that are told of one call, at most: ten thousand heartbeats say no more than some of them."""


class _Request(NamedTuple):
    place: int
    request_id: str
    category: str
    ts: float


class _Decision(NamedTuple):
    place: int
    said: PermissionDecision
    ts: float


class Seen:
    """Everything that speaks of calls made at or after `start`, in the first `end` events and beside the ledger."""

    def __init__(self, ledger: Ledger, start: int, end: int) -> None:
        self.start = start
        self._ledger = ledger
        self._end = end

    def about(self, operation: ToolOperation) -> Iterator[Witness]:
        """Yield what was seen about one operation, whose call is not before `start`."""
        call_id, start = operation.tool_call_id, call_place(operation)
        yield from self._permissions(call_id, start)
        for index, ts in _from(self._questions.get(call_id, []), start):
            yield Witness("question_asked", "a question was asked of the user", call_id, index, ts)
        for index, ts in _from(self._heartbeats.get(call_id, []), start):
            yield Witness("heartbeat", "a heartbeat suggests it had started", call_id, index, ts)
        if self._end == len(self._ledger):
            yield from islice(self._beside.get(call_id, ()), MOST_ALIKE)
            if self._torn is not None and self._torn.tool_call_id == call_id:
                yield self._torn

    def _permissions(self, call_id: str, start: int) -> Iterator[Witness]:
        said: list[tuple[int, int, Witness]] = []
        unanswered: list[tuple[int, Witness]] = []
        requests: dict[str, list[_Request]] = defaultdict(list)
        of_call = self._requests.get(call_id, [])
        first = bisect_left(of_call, start, key=lambda request: request.place)
        for request in of_call[first : first + MOST_ALIKE]:
            requests[request.request_id].append(request)
            what = f"permission asked: {request.category}"
            said.append((request.place, 0, Witness("permission_asked", what, call_id, request.place, request.ts)))
        for request_id, asked in requests.items():
            opened: int | None = None
            for request, following in zip(asked, [*asked[1:], None], strict=True):
                opened = request.place if opened is None else opened
                answer = self._answer(request_id, request.place, following.place if following else self._end)
                if answer is not None:
                    said.append((answer.place, 1, _decided(answer, call_id)))
                    opened = None
            if opened is not None:
                last = asked[-1]
                what = "permission was never answered"
                unanswered.append((opened, Witness("permission_unanswered", what, call_id, last.place, last.ts)))
        yield from (witness for _, _, witness in sorted(said, key=lambda one: one[:2]))
        yield from (witness for _, witness in sorted(unanswered, key=lambda one: one[0]))

    def _answer(self, request_id: str, asked: int, until: int) -> _Decision | None:
        """Return the first decision on a request between two places; a decision beside a request answers it."""
        decisions = self._decisions.get(request_id, [])
        place = bisect_left(decisions, asked, key=lambda decision: decision.place)
        if place < len(decisions) and decisions[place].place < until:
            return decisions[place]
        return None

    @once
    def _requests(self) -> dict[str, list[_Request]]:
        return self._permission_rows[0]

    @once
    def _decisions(self) -> dict[str, list[_Decision]]:
        return self._permission_rows[1]

    @once
    def _permission_rows(self) -> tuple[dict[str, list[_Request]], dict[str, list[_Decision]]]:
        requests: dict[str, list[_Request]] = defaultdict(list)
        decisions: dict[str, list[_Decision]] = defaultdict(list)
        for index, event in self._events(RowKind.PERMISSION):
            actions = event.actions
            request = actions.permission_request if isinstance(actions, Actions) else None
            decision = actions.permission_decision if isinstance(actions, Actions) else None
            if request:
                requests[request.tool_use_id].append(_Request(index, request.request_id, request.category, event.ts))
            if decision:
                decisions[decision.request_id].append(_Decision(index, decision, event.ts))
        return requests, decisions

    @once
    def _questions(self) -> dict[str, list[tuple[int, float]]]:
        found: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for index, event in self._events(RowKind.QUESTION):
            question = event.actions.user_question_request if isinstance(event.actions, Actions) else None
            if question:
                found[question.tool_use_id].append((index, event.ts))
        return found

    @once
    def _heartbeats(self) -> dict[str, list[tuple[int, float]]]:
        """Signs of life that were written into the ledger itself: partial rows that name a call."""
        found: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for index, event in self._events(RowKind.EVENT):
            if event.partial and isinstance(event.refs, Refs) and isinstance(event.refs.tool_call_id, str):
                found[event.refs.tool_call_id].append((index, event.ts))
        return found

    @once
    def _beside(self) -> dict[str | None, list[Witness]]:
        found: dict[str | None, list[Witness]] = defaultdict(list)
        for witness in beside_calls(self._ledger.beside):
            found[witness.tool_call_id].append(witness)
        return found

    @once
    def _torn(self) -> Witness | None:
        return torn_witness(self._ledger)

    def _events(self, kind: RowKind) -> Iterator[tuple[int, RuntimeEvent]]:
        kinds = self._ledger.rows.kinds
        place = kinds.find(kind, self.start, self._end)
        while place >= 0:
            try:
                yield place, self._ledger[place]
            except LedgerChanged:
                return
            place = kinds.find(kind, place + 1, self._end)


def call_place(operation: ToolOperation) -> int:
    """Return the position of an operation's call; 0 where its call is not in the ledger."""
    return operation.call_index if operation.call_index is not None else 0


def _from(places: list[tuple[int, float]], start: int) -> list[tuple[int, float]]:
    first = bisect_left(places, start, key=lambda place: place[0])
    return places[first : first + MOST_ALIKE]


def _decided(decision: _Decision, call_id: str) -> Witness:
    who = "auto review" if decision.said.reviewer == "auto_review" else "user"
    if decision.said.decision == "allow":
        return Witness("permission_allowed", f"permission allowed by {who}", call_id, decision.place, decision.ts)
    return Witness("permission_denied", f"permission denied by {who}", call_id, decision.place, decision.ts)
