"""Lanes: which tool fact an event is, if its whole shape agrees (format: lanes)."""

from __future__ import annotations

import math
from enum import Enum, auto
from typing import Final

from msgspec import UNSET

from ..records.events import Actions, FunctionCall, FunctionResponse, Refs, RuntimeEvent

_NO_PARENTS: Final = Refs()
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
    actions = event.actions
    if not actions:
        return True
    delta = actions.state_delta
    if not delta or actions != Actions(state_delta=delta):
        return False
    for key, value in delta.items():
        if key not in _CALL_STATE or type(value) is not str:
            break
    else:
        return True
    return False


def fits_response(event: RuntimeEvent) -> bool:
    """Whether an event with a response for content is otherwise shaped like one; see `fits_call`."""
    if event.role != "tool" or event.author != "tool":
        return False
    actions = event.actions
    if not actions:
        return True
    delta = actions.state_delta
    if not delta or len(delta) != 1 or actions != Actions(state_delta=delta):
        return False
    duration = delta.get("durationMs")
    return type(duration) is float and -math.inf < duration < math.inf


def fits_dispatch(event: RuntimeEvent) -> bool:
    """Whether an event with a dispatch is otherwise shaped like one; see `fits_call`."""
    actions, refs = event.actions, event.refs
    if not actions or not refs or not _is_system_fact(event, Actions(tool_dispatch=actions.tool_dispatch)):
        return False
    if _is_pair(refs):
        return True
    parents = Refs(parent_tool_call_id=refs.parent_tool_call_id, parent_operation_id=refs.parent_operation_id)
    both = parents.parent_tool_call_id is not UNSET and parents.parent_operation_id is not UNSET
    return both and _is_pair(refs, parents)


def _is_recovery(event: RuntimeEvent) -> bool:
    actions, refs = event.actions, event.refs
    if not actions or not refs:
        return False
    return _is_system_fact(event, Actions(tool_recovery=actions.tool_recovery)) and _is_pair(refs)


def _is_system_fact(event: RuntimeEvent, actions: Actions) -> bool:
    return event.role == event.author == "system" and not event.content and event.actions == actions


def _is_pair(refs: Refs, parents: Refs = _NO_PARENTS) -> bool:
    """Whether the refs name an operation and a call, and nothing else but the parents."""
    if refs.operation_id is UNSET or refs.tool_call_id is UNSET:
        return False
    return refs == Refs(
        operation_id=refs.operation_id,
        tool_call_id=refs.tool_call_id,
        parent_tool_call_id=parents.parent_tool_call_id,
        parent_operation_id=parents.parent_operation_id,
    )


_SHAPES: Final = {
    Lane.CALL: fits_call,
    Lane.RESPONSE: fits_response,
    Lane.DISPATCH: fits_dispatch,
    Lane.RECOVERY: _is_recovery,
}
