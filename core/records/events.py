"""RuntimeEvent: one committed fact of a run, and its actions and references.

Shapes are closed and are the union of all versions that wrote ledgers. A key that a row does not have is `UNSET`,
which is falsy; values stand as the row has them.
"""

from typing import Literal

from msgspec import UNSET, UnsetType

from .content import Content, ErrorContent, FunctionCall, FunctionResponse, Text, Thinking
from .headers import RunHeader
from .permission import (
    AnswerAccepted,
    LoneClosure,
    PermissionDecision,
    PermissionRequest,
    UserQuestionRequest,
)
from .recovery_facts import (
    ContinuationStart,
    ReconcileResult,
    RecoveryDecision,
    RuntimeProtocol,
    ToolDispatch,
    ToolRecovery,
    WorkspaceFact,
)
from .scalars import Count, Digest, Finite, FreeObject, Name, Record
from .usage import TokenUsage

__all__ = [
    "TERMINAL_STATUSES",
    "Actions",
    "Content",
    "ErrorContent",
    "FunctionCall",
    "FunctionResponse",
    "PermissionDecision",
    "PermissionRequest",
    "ReconcileResult",
    "RecoveryDecision",
    "Refs",
    "RunHeader",
    "RuntimeEvent",
    "RuntimeProtocol",
    "Text",
    "Thinking",
    "TokenUsage",
    "ToolDispatch",
    "ToolRecovery",
    "UserQuestionRequest",
    "WorkspaceFact",
]

TERMINAL_STATUSES = frozenset({"completed", "failed", "aborted", "cancelled"})


class Actions(Record, frozen=True):
    """What happened beside the content of an event; nearly always one key or none."""

    state_delta: FreeObject | UnsetType = UNSET
    artifact_delta: dict[str, str | bool | Finite] | UnsetType = UNSET
    permission_request: PermissionRequest | UnsetType = UNSET
    permission_decision: PermissionDecision | UnsetType = UNSET
    user_question_request: UserQuestionRequest | UnsetType = UNSET
    transfer_to_agent: str | UnsetType = UNSET
    end_invocation: bool | UnsetType = UNSET
    token_usage: TokenUsage | UnsetType = UNSET
    tool_dispatch: ToolDispatch | UnsetType = UNSET
    runtime_protocol: RuntimeProtocol | UnsetType = UNSET
    permission_answer_accepted: AnswerAccepted | UnsetType = UNSET
    user_question_answer_accepted: AnswerAccepted | UnsetType = UNSET
    permission_closure_accepted: LoneClosure | UnsetType = UNSET
    tool_recovery: ToolRecovery | UnsetType = UNSET
    continuation_start: ContinuationStart | UnsetType = UNSET
    workspace_fact: WorkspaceFact | UnsetType = UNSET


class Refs(Record, frozen=True):
    """Ids that tie an event to what it speaks of."""

    stored_message_id: str | UnsetType = UNSET
    trace_event_id: str | UnsetType = UNSET
    tool_call_id: str | UnsetType = UNSET
    provider_event_id: str | UnsetType = UNSET
    provider_request_trace_id: str | UnsetType = UNSET
    artifact_id: str | UnsetType = UNSET
    operation_id: str | UnsetType = UNSET
    step_id: str | UnsetType = UNSET
    source_invocation_id: str | UnsetType = UNSET
    source_run_id: str | UnsetType = UNSET
    source_turn_id: str | UnsetType = UNSET
    source_runtime_event_high_water: Count | UnsetType = UNSET
    parent_tool_call_id: str | UnsetType = UNSET
    parent_operation_id: str | UnsetType = UNSET
    source_message_digest: Digest | UnsetType = UNSET


class RuntimeEvent(Record, frozen=True):
    """One row of a ledger; `ts` is in milliseconds since 1970."""

    id: Name
    invocation_id: Name
    run_id: Name
    session_id: Name
    turn_id: Name
    ts: Finite
    partial: bool
    role: Literal["user", "model", "tool", "system"]
    author: Literal["user", "agent", "tool", "system", "host"]
    branch: str | UnsetType = UNSET
    status: Literal["streaming", "completed", "failed", "aborted", "cancelled"] | UnsetType = UNSET
    content: Content | UnsetType = UNSET
    actions: Actions | UnsetType = UNSET
    refs: Refs | UnsetType = UNSET
    origin: Literal["provider", "code_mode"] | UnsetType = UNSET
    model_visibility: Literal["visible", "hidden"] | UnsetType = UNSET

    @property
    def is_terminal(self) -> bool:
        """Whether the event ends its run: by its status, or by ending the invocation."""
        return self.status in TERMINAL_STATUSES or bool(self.actions and self.actions.end_invocation is True)

    @property
    def is_hidden(self) -> bool:
        """Whether the model never sees the event."""
        return self.model_visibility == "hidden"
