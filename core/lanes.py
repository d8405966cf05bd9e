"""Lanes: which tool fact an event is, if its whole shape agrees (format: lanes)."""

from __future__ import annotations

import math
from enum import Enum, auto
from typing import Final

from .events import Actions, FunctionCall, FunctionResponse, Refs, RuntimeEvent

_CALL_STATE: Final = frozenset({"activityKind", "displayName", "intent"})


class Lane(Enum):
    """What an event is to the tool ledger."""

    ORDINARY = auto()
    CALL = auto()
    DISPATCH = auto()
    RESPONSE = auto()
    RECOVERY = auto()
    CONFLICT = auto()
    """It claims to be a tool fact, and carries what such a fact must not, or claims to be two."""


def lane_of(event: RuntimeEvent) -> Lane:
    """Return the lane of an event. A tool fact is never partial and has neither status nor branch."""
    actions = event.actions if event.actions else Actions()
    claims = [
        lane
        for lane, claimed in (
            (Lane.CALL, isinstance(event.content, FunctionCall)),
            (Lane.RESPONSE, isinstance(event.content, FunctionResponse)),
            (Lane.DISPATCH, bool(actions.tool_dispatch)),
            (Lane.RECOVERY, bool(actions.tool_recovery)),
        )
        if claimed
    ]
    if not claims:
        return Lane.ORDINARY
    if len(claims) > 1 or event.partial or event.status or isinstance(event.branch, str):
        return Lane.CONFLICT
    return claims[0] if _SHAPES[claims[0]](event) else Lane.CONFLICT


def fits_call(event: RuntimeEvent) -> bool:
    """Whether an event with a call for content is otherwise shaped like one; partial, status and branch aside."""
    if event.role != "model" or event.author != "agent":
        return False
    if not isinstance(event.actions, Actions):
        return True
    delta = event.actions.state_delta
    return (
        isinstance(delta, dict)
        and event.actions == Actions(state_delta=delta)
        and len(delta) > 0
        and _CALL_STATE.issuperset(delta)
        and all(isinstance(value, str) for value in delta.values())
    )


def fits_response(event: RuntimeEvent) -> bool:
    """Whether an event with a response for content is otherwise shaped like one; see `fits_call`."""
    if event.role != "tool" or event.author != "tool":
        return False
    if not isinstance(event.actions, Actions):
        return True
    delta = event.actions.state_delta
    if not isinstance(delta, dict) or len(delta) != 1 or event.actions != Actions(state_delta=delta):
        return False
    duration = delta.get("durationMs")
    return isinstance(duration, (int, float)) and not isinstance(duration, bool) and abs(duration) < math.inf


def fits_dispatch(event: RuntimeEvent) -> bool:
    """Whether an event with a dispatch is otherwise shaped like one; see `fits_call`."""
    refs = event.refs
    if not isinstance(refs, Refs) or not isinstance(event.actions, Actions):
        return False
    nested = Refs(
        operation_id=refs.operation_id,
        tool_call_id=refs.tool_call_id,
        parent_tool_call_id=refs.parent_tool_call_id,
        parent_operation_id=refs.parent_operation_id,
    )
    both = isinstance(refs.parent_tool_call_id, str) and isinstance(refs.parent_operation_id, str)
    return _is_system_fact(event, Actions(tool_dispatch=event.actions.tool_dispatch), nested if both else _pair(refs))


def _is_recovery(event: RuntimeEvent) -> bool:
    if not isinstance(event.refs, Refs) or not isinstance(event.actions, Actions):
        return False
    return _is_system_fact(event, Actions(tool_recovery=event.actions.tool_recovery), _pair(event.refs))


def _pair(refs: Refs) -> Refs:
    return Refs(operation_id=refs.operation_id, tool_call_id=refs.tool_call_id)


def _is_system_fact(event: RuntimeEvent, actions: Actions, refs: Refs) -> bool:
    return (
        event.role == event.author == "system"
        and not event.content
        and event.actions == actions
        and event.refs == refs
        and isinstance(refs.operation_id, str)
        and isinstance(refs.tool_call_id, str)
    )


_SHAPES: Final = {
    Lane.CALL: fits_call,
    Lane.RESPONSE: fits_response,
    Lane.DISPATCH: fits_dispatch,
    Lane.RECOVERY: _is_recovery,
}
