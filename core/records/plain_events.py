"""Events of the usual shapes: RuntimeEvents without the fields that say something unusual."""

from typing import Literal

from msgspec import UNSET, UnsetType

from .content import Content
from .permission import AnswerAccepted, PermissionDecision, PermissionRequest, UserQuestionRequest
from .recovery_facts import ToolDispatch
from .scalars import Finite, FreeObject, Name, Record
from .usage import TokenUsage


class PlainActions(Record, frozen=True):
    """What usually happens beside the content of an event."""

    state_delta: FreeObject | UnsetType = UNSET
    tool_dispatch: ToolDispatch | UnsetType = UNSET
    permission_request: PermissionRequest | UnsetType = UNSET
    permission_decision: PermissionDecision | UnsetType = UNSET
    user_question_request: UserQuestionRequest | UnsetType = UNSET
    token_usage: TokenUsage | UnsetType = UNSET
    permission_answer_accepted: AnswerAccepted | UnsetType = UNSET
    user_question_answer_accepted: AnswerAccepted | UnsetType = UNSET


class PlainRefs(Record, frozen=True):
    """The usual ids that tie an event to what it speaks of."""

    operation_id: str | UnsetType = UNSET
    tool_call_id: str | UnsetType = UNSET
    provider_event_id: str | UnsetType = UNSET
    provider_request_trace_id: str | UnsetType = UNSET
    stored_message_id: str | UnsetType = UNSET
    step_id: str | UnsetType = UNSET


class PlainEvent(Record, frozen=True):
    """A row that is complete and visible, has no status and no branch; `ts` is in milliseconds since 1970."""

    id: Name
    invocation_id: Name
    run_id: Name
    session_id: Name
    turn_id: Name
    ts: Finite
    partial: bool
    role: Literal["user", "model", "tool", "system"]
    author: Literal["user", "agent", "tool", "system", "host"]
    content: Content | UnsetType = UNSET
    actions: PlainActions | UnsetType = UNSET
    refs: PlainRefs | UnsetType = UNSET
