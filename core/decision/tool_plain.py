"""The shortest way of the fold: the tool facts among many plain rows, taken together where nothing contradicts them.

They are looked at in one loop that changes nothing. Whatever speaks against them is seen before anything is taken; then
the rows go one by one, and what is not regular goes to the rules.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from ..records.args_identity import args_hash
from ..records.events import FunctionCall, FunctionResponse, ToolDispatch
from ..records.plain import PlainActions, PlainRefs, PlainRows
from ..records.row_kinds import RowKind
from .tool_calls import FAILED, INDETERMINATE, IS_ERROR, NOT_DISPATCHED, SUCCEEDED
from .tool_facts import Waiting
from .tool_regular import HELD_CALLS, RegularFacts
from .tool_rules import same_arguments

_HELD_BYTES: Final = 1 << 14
"""Longer arguments are read again when they are asked for."""

_CALL: Final = RowKind.CALL.value
_RESPONSE: Final = RowKind.RESPONSE.value
_FLAGS: Final = (b"\0", b"\1")
_FACTS: Final = frozenset({_CALL, _RESPONSE, RowKind.DISPATCH.value})


class _Seen:
    """The tool facts of some rows, none of them taken yet."""

    __slots__ = (
        "answered", "at_hand", "call_ids", "call_names", "call_places", "dispatched", "failed", "flips", "gone",
        "operations", "undispatched",
    )  # fmt: skip

    def __init__(self) -> None:
        self.at_hand: dict[str, Waiting] = {}
        """What waits behind these rows, as far as they speak of it, by tool-call id."""
        self.gone: set[str] = set()
        """Ids of what waited before these rows and does not behind them."""
        self.call_places: list[int] = []
        self.call_ids: list[str] = []
        self.call_names: list[str] = []
        self.dispatched: list[tuple[int, int]] = []
        """Number of the call, and place of the row."""
        self.operations: list[str] = []
        self.answered: list[tuple[int, int]] = []
        self.failed: list[int] = []
        """Numbers of the calls whose response says that it is an error."""
        self.undispatched = 0
        """How many of the responses are of calls without a dispatch."""
        self.flips: list[int] = []
        """Places of the rows from which on calls wait, or no longer do."""


class PlainFacts(RegularFacts):
    """Takes plain rows whose ids are new and whose execution is the present one."""

    def _take_plain(self, rows: PlainRows) -> None:
        seen = self._see(rows)
        if seen is None or not self._add_ids(seen):
            self._take_run(rows[:])
            return
        start, columns, counts = self.length, self.calls, self.counts
        columns.add_all([start + place for place in seen.call_places], seen.call_names)
        dispatch, response = columns.dispatch, columns.response
        for number, place in seen.dispatched:
            dispatch[number] = start + place + 1
        self._bound.fromlist([number for number, _ in seen.dispatched])
        for number, place in seen.answered:
            response[number] = start + place + 1
        for number in seen.failed:
            columns.bits[number] |= IS_ERROR
        made, settled, failed = len(seen.call_ids), len(seen.answered), len(seen.failed)
        unbound = made - len(seen.dispatched) - seen.undispatched if columns.marked else 0
        counts[NOT_DISPATCHED] += unbound
        counts[INDETERMINATE] += made - settled - unbound
        counts[FAILED] += failed
        counts[SUCCEEDED] += settled - failed
        self.blocking += made - settled
        for call_id in seen.gone:
            del self.waiting[call_id]
        self._keep(seen.at_hand)
        self._mark(len(rows), () if self._stuck else seen.flips)

    def _see(self, rows: PlainRows) -> _Seen | None:
        """Look at the tool facts of rows; None where one of them is not regular. Changes nothing."""
        seen, groups, execution = _Seen(), self.groups, self._execution
        events, at_hand, flips = rows.events, seen.at_hand, seen.flips
        number, waits = len(self.calls), self.blocking
        for place in [place for place, kind in enumerate(rows.kinds) if kind in _FACTS]:
            event = events[place]
            content, actions, refs = event.content, event.actions, event.refs
            if type(content) is FunctionCall:
                call_id, name = content.id, content.name
                if event.role != "model" or event.author != "agent" or actions or call_id in at_hand:
                    return None
                if groups and call_id in groups:
                    return None
                at_hand[call_id] = (number, execution, name, None, content.args_json)
                number += 1
                seen.call_places.append(place)
                seen.call_ids.append(call_id)
                seen.call_names.append(name)
                waits += 1
                if waits == 1:
                    flips.append(place)
            elif type(content) is FunctionResponse:
                call_id = content.id
                if event.role != "tool" or event.author != "tool" or (actions and not _only_a_duration(actions)):
                    return None
                waiting = at_hand.pop(call_id, None)
                if waiting is None or call_id in self.waiting:
                    waiting = waiting if waiting is not None else self._waits(call_id, seen)
                    seen.gone.add(call_id)
                if waiting is None or waiting[2] != content.name:
                    return None
                operation_id = waiting[3]
                if operation_id is None:
                    seen.undispatched += 1
                elif not refs or refs.operation_id != operation_id or refs.tool_call_id != call_id:
                    return None
                seen.answered.append((waiting[0], place))
                if content.is_error is True:
                    seen.failed.append(waiting[0])
                waits -= 1
                if not waits:
                    flips.append(place)
            else:
                fact = actions.tool_dispatch if actions else None
                if not actions or not fact or event.role != "system" or event.author != "system":
                    return None
                call_id, operation_id = fact.provider_tool_call_id, fact.operation_id
                waiting = at_hand[call_id] if call_id in at_hand else self._waits(call_id, seen)
                if (
                    waiting is None
                    or waiting[2] != fact.tool_name
                    or waiting[3] is not None
                    or actions != PlainActions(UNSET, fact)
                    or refs != PlainRefs(operation_id, call_id)
                    or not self._same_digest(waiting, fact)
                ):
                    return None
                at_hand[call_id] = (waiting[0], execution, waiting[2], operation_id, None)
                seen.dispatched.append((waiting[0], place))
                seen.operations.append(operation_id)
        return seen

    def _waits(self, call_id: str, seen: _Seen) -> Waiting | None:
        """Return a call that waited before these rows and still does, if it is visible and of this execution."""
        found = self.waiting.get(call_id)
        if found is None or call_id in seen.gone or found[1] is not self._execution or self.calls.bits[found[0]]:
            return None
        return found

    def _same_digest(self, waiting: Waiting, fact: ToolDispatch) -> bool:
        args = waiting[4]
        if args is None:
            return same_arguments(self.event(self.calls.first[waiting[0]]), fact)
        return args_hash(waiting[2], bytes(args)) == fact.canonical_args_hash

    def _add_ids(self, seen: _Seen) -> bool:
        if not self._call_ids.add_all(seen.call_ids):
            return False
        if not self._operation_ids.add_all(seen.operations):
            self._call_ids.take_back(len(seen.call_ids))
            return False
        return True

    def _keep(self, at_hand: dict[str, Waiting]) -> None:
        """Keep what waits. As they were decoded, arguments would keep the memory of all rows that came with them."""
        waiting = self.waiting
        for call_id, (number, execution, name, operation_id, args) in at_hand.items():
            kept = None
            if args is not None and len(waiting) < HELD_CALLS and len(bytes(args)) <= _HELD_BYTES:
                kept = bytes(args)
            waiting[call_id] = (number, execution, name, operation_id, kept)

    def _mark(self, count: int, flips: Sequence[int]) -> None:
        """Note for so many rows whether the plan is blocked behind each; at some places that changes."""
        done, blocked, flags = 0, self._was_blocked, self.blocked_after
        for place in flips:
            flags += _FLAGS[blocked] * (place - done)
            done, blocked = place, not blocked
        flags += _FLAGS[blocked] * (count - done)
        self.length += count
        self._was_blocked = blocked


def _only_a_duration(actions: PlainActions) -> bool:
    """Tell whether actions are but a state delta that says how long a tool took."""
    delta = actions.state_delta
    if not delta or len(delta) != 1 or actions != PlainActions(delta):
        return False
    duration = delta.get("durationMs")
    return type(duration) is float and -math.inf < duration < math.inf
