"""The rules: what an event does to the tool facts, in every case (format: scanner).

The regular case, nearly every event, has a short way of its own in `tool_ledger`; these rules must give the same there.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Final

from ..records.args_identity import args_hash
from ..records.events import FunctionCall, FunctionResponse, RuntimeEvent, ToolDispatch
from .execution import Execution, execution_of
from .lanes import Lane, lane_of
from .recovery import INVALID, carries
from .tool_calls import HIDDEN, IS_ERROR, RESPONSE_HIDDEN, Shadow
from .tool_facts import Issue, Stray, ToolFacts

PARTIAL: Final = 0
INVISIBLE: Final = 1
"""Why an event is never shown to the model provider."""


class ToolRules(ToolFacts):
    """Takes events one by one."""

    def __init__(self, event_at: Callable[[int], RuntimeEvent]) -> None:
        super().__init__(event_at)
        self.unseen = array("I")
        """Positions of the partial and hidden events."""
        self.unseen_why = bytearray()
        """PARTIAL or INVISIBLE for each of them."""
        self.first_terminal: int | None = None
        """Position of the first committed terminal fact."""
        self._executions: dict[str, Execution] = {}

    def _take(self, index: int, event: RuntimeEvent, earlier: int | None) -> None:
        """Take any event; `earlier` is the position of the first event with the same id."""
        self._note_plain_facts(index, event)
        tool = isinstance(event.content, (FunctionCall, FunctionResponse)) and not event.partial and not event.is_hidden
        if earlier is not None:
            self._add_issue("duplicate_event_id", index, event)
            self._shadow(index, event, earlier)
            if tool:
                self._leave(index, event)
            return
        if self._executions.setdefault(event.invocation_id, execution := execution_of(event)) != execution:
            self._add_issue("invocation_identity_conflict", index, event)
        lane = lane_of(event)
        if lane is Lane.CONFLICT:
            self._add_issue("semantic_lane_conflict", index, event)
            if tool:
                self._leave(index, event)
        elif lane is not Lane.ORDINARY:
            self._take_fact(index, event)

    def _note_plain_facts(self, index: int, event: RuntimeEvent) -> None:
        if event.actions and event.actions.runtime_protocol:
            if index == 0:
                self.calls.marked = True
            else:
                self.marker_issues.append(Issue(index, "protocol_marker_invalid", event.id, index))
        if event.partial or event.is_hidden:
            self._note_unseen(index, PARTIAL if event.partial else INVISIBLE)
        if self.first_terminal is None and event.is_terminal and not event.partial:
            self.first_terminal = index

    def _note_unseen(self, index: int, why: int = INVISIBLE) -> None:
        self.unseen.append(index)
        self.unseen_why.append(why)

    def _leave(self, index: int, event: RuntimeEvent) -> None:
        """Note a visible call or response that is not used."""
        content = event.content
        if isinstance(content, (FunctionCall, FunctionResponse)):
            is_call = isinstance(content, FunctionCall)
            self.strays.append(Stray(index, event.invocation_id, content.id, is_call))
            self._group(content.id)
            if not is_call:
                self._group_response(content.id, index, event.id, content.name)

    def _shadow(self, index: int, event: RuntimeEvent, earlier: int) -> None:
        content = event.content
        number = self.call_of_event(earlier)
        if number is None or not isinstance(content, FunctionCall):
            return
        odd = self._odd(number)
        self._group(odd.call_id)
        self._group(content.id).calls[number] = None
        odd.shadows.append(Shadow(index, content.id, content.name, event.is_hidden))
        self._restate(number)

    def _take_fact(self, index: int, event: RuntimeEvent) -> None:
        content = event.content
        actions = event.actions
        if isinstance(content, FunctionCall):
            self._call(index, event, content)
        elif isinstance(content, FunctionResponse):
            self._response(index, event, content)
        elif actions and actions.tool_dispatch:
            self._dispatch(index, event, actions.tool_dispatch)
        elif actions and actions.tool_recovery:
            self._recovery(index, event, actions.tool_recovery.payload.operation_id)

    def _call(self, index: int, event: RuntimeEvent, content: FunctionCall) -> None:
        number = self.find(event.invocation_id, content.id)
        if number is not None and self.calls.call_at(number):
            self._add_issue("duplicate_call", index, event, number)
            self._odd(number).extra.append(index)
            if not event.is_hidden:
                self._leave(index, event)
            return
        late = number is not None
        if number is None:
            number = self._add_call(index, event.invocation_id, content.id, content.name)
        odd = self._odd(number, event.invocation_id, content.id)
        self.calls.bits[number] |= HIDDEN if event.is_hidden else 0
        if late:
            self.calls.late[number] = index + 1
            odd.late_name = content.name
            self._late_calls[index] = number
            self._note_half(number)
            if content.name != self.calls.name_of(number):
                self._add_issue("identity_conflict", index, event, number)
        self._restate(number)
        self._group_call(number, content.id)

    def _dispatch(self, index: int, event: RuntimeEvent, fact: ToolDispatch) -> None:
        call_id = fact.provider_tool_call_id
        number = self.find(event.invocation_id, call_id)
        if number is None:
            number = self._add_call(index, event.invocation_id, call_id, fact.tool_name)
            self.calls.late[number] = 0
            self._odd(number, event.invocation_id, call_id)
            self._add_issue("event_order_conflict", index, event, number)
        odd = self._odd(number)
        if self.calls.dispatch[number]:
            self._add_issue("duplicate_dispatch", index, event, number)
            odd.extra.append(index)
            return
        self.calls.dispatch[number] = index + 1
        self._restate(number)
        owner = self._owner(fact.operation_id)
        if owner is not None:
            self._add_issue("duplicate_operation", index, event, owner, number)
            return
        self._bind(fact.operation_id, number)
        call = self.calls.call_at(number)
        called = self.event(call - 1) if call else None
        names_it = fact.tool_name == self.calls.name_of(number) and carries(event, fact.operation_id, call_id)
        if not names_it or (called is not None and execution_of(called) != execution_of(event)):
            self._add_issue("identity_conflict", index, event, number)
        if called is not None and not same_arguments(called, fact):
            self._add_issue("canonical_args_hash_conflict", index, event, number)
        if self.calls.response[number]:
            self._add_issue("event_order_conflict", index, event, number)
            answer = self.event(self.calls.response[number] - 1)
            if not carries(answer, fact.operation_id, call_id) or execution_of(answer) != execution_of(event):
                self._add_issue("identity_conflict", index, answer, number, carrier=self.calls.response[number] - 1)

    def _response(self, index: int, event: RuntimeEvent, content: FunctionResponse) -> None:
        number = self.find(event.invocation_id, content.id)
        if number is not None and self.calls.response[number]:
            self._add_issue("duplicate_response", index, event, number)
            self._odd(number).extra.append(index)
            if not event.is_hidden:
                self._leave(index, event)
            return
        if not event.is_hidden:
            self._group_response(content.id, index, event.id, content.name)
        orphan = number is None
        if number is None:
            number = self._add_call(index, event.invocation_id, content.id, content.name)
            self.calls.late[number] = 0
        odd = self._odd(number, event.invocation_id, content.id)
        self.calls.response[number] = index + 1
        self.calls.bits[number] |= IS_ERROR if content.is_error is True else 0
        self.calls.bits[number] |= RESPONSE_HIDDEN if event.is_hidden else 0
        if orphan:
            self._add_issue("orphan_response", index, event, number)
        elif not self._answers(number, event, content):
            self._add_issue("identity_conflict", index, event, number)
        if odd.recovery.indexes:
            self._judge_recovery(index, number)
        self._note_half(number)
        self._restate(number)

    def _answers(self, number: int, event: RuntimeEvent, content: FunctionResponse) -> bool:
        """Whether a response fits the call, and the dispatch if it is bound."""
        call, dispatch = self.calls.call_at(number), self.calls.dispatch[number]
        if not call or content.name != self.calls.name_of(number):
            return False
        if execution_of(self.event(call - 1)) != execution_of(event):
            return False
        actions = self.event(dispatch - 1).actions if dispatch else None
        fact = actions.tool_dispatch if actions else None
        if not fact or self._owner(fact.operation_id) != number:
            return True
        return carries(event, fact.operation_id, content.id)

    def _note_half(self, number: int) -> None:
        call, response, bits = self.calls.call_at(number), self.calls.response[number], self.calls.bits[number]
        if call and response and bool(bits & HIDDEN) != bool(bits & RESPONSE_HIDDEN):
            self.halves.append(number)

    def _recovery(self, index: int, event: RuntimeEvent, operation_id: str) -> None:
        number = self._owner(operation_id)
        if number is None:
            self._add_issue("event_order_conflict", index, event)
            return
        self._odd(number).recovery.add(index, event)
        self._judge_recovery(index, number)
        self._restate(number)

    def _judge_recovery(self, index: int, number: int) -> None:
        calls, odd = self.calls, self._odd(number)
        call, dispatch, response = calls.call_at(number), calls.dispatch[number], calls.response[number]
        verdict = INVALID
        if call and dispatch:
            verdict = odd.recovery.reason(call - 1, dispatch - 1, response - 1 if response else None, self.event)
        if not odd.verdicts or odd.verdicts[-1][1] != verdict:
            odd.verdicts.append((index, verdict))


def arguments_digest(called: RuntimeEvent) -> str | None:
    """Return the digest of a call's tool and arguments; None where they have none, or the event is no call."""
    content = called.content
    return args_hash(content.name, bytes(content.args_json)) if isinstance(content, FunctionCall) else None


def same_arguments(called: RuntimeEvent, fact: ToolDispatch) -> bool:
    """Whether a dispatch speaks of the arguments of this call; arguments without a digest never match."""
    digest = arguments_digest(called)
    return digest is not None and digest == fact.canonical_args_hash
