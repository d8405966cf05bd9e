"""The short way of the fold: a tool fact that nothing contradicts, a few array writes each.

It may refuse any event, and then has done nothing; the rules take over. What it takes, it must take as the rules would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final

from msgspec import UNSET

from ..records.args_identity import args_hash
from ..records.events import Actions, FunctionCall, FunctionResponse, Refs, RuntimeEvent, ToolDispatch
from .execution import Execution, execution_of, one_execution
from .lanes import fits_call, fits_response
from .recovery import carries
from .tool_calls import FAILED, HIDDEN, INDETERMINATE, IS_ERROR, NESTED, NOT_DISPATCHED, RESPONSE_HIDDEN, SUCCEEDED
from .tool_facts import BLOCKS, Waiting
from .tool_rules import PARTIAL, ToolRules, arguments_digest

HELD_CALLS: Final = 256
"""So many waiting calls are kept whole; the arguments of more are read again when they are asked for."""

_FLAGS: Final = (b"\0", b"\1")


class RegularFacts(ToolRules):
    """Takes runs of events whose ids are new."""

    def __init__(self, event_at: Callable[[int], RuntimeEvent]) -> None:
        super().__init__(event_at)
        self.blocked_after = bytearray()
        """[i] is 1 if the plan of the first i + 1 events is blocked, else 0."""
        self._execution: Execution = ("", "", "", "")
        self._stuck = False
        """Whether something blocks that only the rules can change."""
        self._was_blocked = False

    def _take_new(self, events: Sequence[RuntimeEvent], alike: bool) -> None:
        """Take events whose ids are new; `alike` if they are known to be of one execution."""
        if alike or one_execution(events):
            self._take_run(events)
        else:
            for _, run in groupby(events, execution_of):
                self._take_run(list(run))

    def _take_run(self, run: Sequence[RuntimeEvent]) -> None:
        """Take events of one execution."""
        if run and execution_of(run[0]) != self._execution:
            self._take_irregular(run[0], None)
            known = execution_of(run[0]) == self._execution
            run = run[1:]
            if not known:
                for event in run:
                    self._take_irregular(event, None)
                return
        start = self.length
        for place in [
            place
            for place, event in enumerate(run)
            if (kind := type(event.content)) is FunctionCall
            or kind is FunctionResponse
            or event.partial
            or event.status
            or event.model_visibility
            or (
                (acts := event.actions)
                and (acts.tool_dispatch or acts.tool_recovery or acts.runtime_protocol or acts.end_invocation)
            )
        ]:
            index = start + place
            self._pass_over(index)
            if self._take_regular(index, run[place]):
                self._was_blocked = self._stuck or self.blocking > 0
            else:
                self._take_irregular(run[place], None)
        self._pass_over(start + len(run))

    def _pass_over(self, end: int) -> None:
        """Take the events before `end`: after each of them the decision is the one that was known last."""
        if end > self.length:
            self.blocked_after += _FLAGS[self._was_blocked] * (end - self.length)
            self.length = end

    def _take_regular(self, index: int, event: RuntimeEvent) -> bool:
        """Take an event that needs a look but nothing contradicts; or take nothing and return False."""
        content, actions = event.content, event.actions
        if event.partial:
            plain = not actions and type(content) is not FunctionCall and type(content) is not FunctionResponse
            if plain:
                self._note_unseen(index, PARTIAL)
            return plain
        if event.status:
            return False
        hidden = event.model_visibility == "hidden"
        if type(content) is FunctionCall:
            regular = event.branch is UNSET and fits_call(event) and self._regular_call(index, event, content, hidden)
        elif type(content) is FunctionResponse:
            fits = event.branch is UNSET and fits_response(event)
            regular = fits and self._regular_response(index, event, content, hidden)
        elif actions:
            dispatch = actions.tool_dispatch
            if dispatch:
                regular = event.branch is UNSET and self._regular_dispatch(index, event, actions, dispatch)
            else:
                regular = not (actions.runtime_protocol or actions.tool_recovery or actions.end_invocation)
        else:
            regular = True
        if regular and hidden:
            self._note_unseen(index)
        return regular

    def _take_irregular(self, event: RuntimeEvent, earlier: int | None) -> None:
        self._take(self.length, event, earlier)
        if event.invocation_id in self._executions:
            self._execution = self._executions[event.invocation_id]
        self._stuck = bool(self.unmatched or self.issues or self.marker_issues)
        self._was_blocked = self._stuck or self.blocking > 0
        self.blocked_after.append(self._was_blocked)
        self.length += 1

    def _regular_call(self, index: int, event: RuntimeEvent, content: FunctionCall, hidden: bool) -> bool:
        call_id = content.id
        if call_id in self.groups or not self._call_ids.add_if_new(call_id):
            return False
        calls, waiting = self.calls, self.waiting
        number = calls.add(index, content.name)
        state = NOT_DISPATCHED if calls.marked else INDETERMINATE
        if hidden:
            calls.bits[number] = HIDDEN
            state += NESTED
        self.counts[state] += 1
        self.blocking += BLOCKS[state]
        args = bytes(content.args_json) if len(waiting) < HELD_CALLS else None
        waiting[call_id] = (number, self._execution, content.name, None, args)
        return True

    def _regular_response(self, index: int, event: RuntimeEvent, content: FunctionResponse, hidden: bool) -> bool:
        call_id = content.id
        waiting = self.waiting.get(call_id)
        if waiting is None:
            return False
        operation_id = waiting[3]
        if operation_id is not None and not carries(event, operation_id, call_id):
            return False
        return self._settle_waiting(index, content, waiting, hidden)

    def _settle_waiting(self, index: int, content: FunctionResponse, waiting: Waiting, hidden: bool) -> bool:
        """Take the response of a call that waits for it, if it is of that call; its refs were looked at."""
        number, execution, name, operation_id, _ = waiting
        bits = self.calls.bits
        if execution is not self._execution or name != content.name or hidden != bool(bits[number]):
            return False
        del self.waiting[content.id]
        nested = NESTED if hidden else 0
        before = (NOT_DISPATCHED if operation_id is None and self.calls.marked else INDETERMINATE) + nested
        after = SUCCEEDED
        if content.is_error is True:
            bits[number] |= IS_ERROR
            after = FAILED
        if hidden:
            bits[number] |= RESPONSE_HIDDEN
        self.calls.response[number] = index + 1
        self.counts[before] -= 1
        self.counts[after + nested] += 1
        self.blocking -= BLOCKS[before]
        return True

    def _regular_dispatch(self, index: int, event: RuntimeEvent, actions: Actions, fact: ToolDispatch) -> bool:
        call_id, operation_id = fact.provider_tool_call_id, fact.operation_id
        waiting = self.waiting.get(call_id)
        if (
            waiting is None
            or event.role != "system"
            or event.author != "system"
            or event.content
            or actions != Actions(tool_dispatch=fact)
            or event.refs != Refs(operation_id=operation_id, tool_call_id=call_id)
        ):
            return False
        return self._bind_waiting(index, fact, waiting)

    def _bind_waiting(self, index: int, fact: ToolDispatch, waiting: Waiting) -> bool:
        """Take the dispatch of a call that waits for it, if it speaks of that call."""
        number, execution, name, bound, args = waiting
        if execution is not self._execution or name != fact.tool_name or bound is not None:
            return False
        if args is None:
            args = arguments_digest(self.event(self.calls.first[number]))
        digest = args_hash(name, args) if isinstance(args, bytes) else args
        same = digest is not None and digest == fact.canonical_args_hash
        if not same or not self._operation_ids.add_if_new(fact.operation_id):
            return False
        self._bound.append(number)
        self.calls.dispatch[number] = index + 1
        if self.calls.marked:
            nested = NESTED if self.calls.bits[number] else 0
            self.counts[NOT_DISPATCHED + nested] -= 1
            self.counts[INDETERMINATE + nested] += 1
            self.blocking += BLOCKS[INDETERMINATE] - BLOCKS[NOT_DISPATCHED + nested]
        self.waiting[fact.provider_tool_call_id] = (number, execution, name, fact.operation_id, None)
        return True
