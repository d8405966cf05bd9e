"""What a row of a ledger says, in one word."""

from __future__ import annotations

from enum import IntEnum

from .content import ErrorContent, FunctionCall, FunctionResponse, Text, Thinking
from .events import Actions, RuntimeEvent


class RowKind(IntEnum):
    """What a row says, seen from the timeline; content comes before actions."""

    USER = 0
    TEXT = 1
    THINKING = 2
    CALL = 3
    RESPONSE = 4
    ERROR = 5
    PERMISSION = 6
    QUESTION = 7
    DISPATCH = 8
    RECOVERY = 9
    USAGE = 10
    TERMINAL = 11
    STATE = 12
    EVENT = 13
    UNREADABLE = 14
    TORN = 15

    @property
    def word(self) -> str:
        """The kind in lower case."""
        return self.name.lower()


def row_kind(event: RuntimeEvent) -> RowKind:
    """Tell what an event says."""
    content = event.content
    if type(content) is FunctionCall:
        return RowKind.CALL
    if type(content) is FunctionResponse:
        return RowKind.RESPONSE
    if type(content) is Text:
        return RowKind.USER if event.role == "user" else RowKind.TEXT
    if type(content) is Thinking:
        return RowKind.THINKING
    if type(content) is ErrorContent:
        return RowKind.ERROR
    return _action_kind(event)


def _action_kind(event: RuntimeEvent) -> RowKind:
    actions = event.actions
    if isinstance(actions, Actions):
        if actions.tool_dispatch:
            return RowKind.DISPATCH
        if actions.tool_recovery:
            return RowKind.RECOVERY
        if (
            actions.permission_request
            or actions.permission_decision
            or actions.permission_answer_accepted
            or actions.permission_closure_accepted
        ):
            return RowKind.PERMISSION
        if actions.user_question_request or actions.user_question_answer_accepted:
            return RowKind.QUESTION
    if event.is_terminal:
        return RowKind.TERMINAL
    if isinstance(actions, Actions):
        if actions.token_usage:
            return RowKind.USAGE
        if actions.state_delta or actions.artifact_delta:
            return RowKind.STATE
    return RowKind.EVENT
