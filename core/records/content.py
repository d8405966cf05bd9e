"""What a RuntimeEvent says: text, thinking, a tool call, a tool result, an error."""

from typing import Any, ClassVar, Literal

from msgspec import UNSET, Raw, UnsetType, field

from .inline_references import InlineReferences
from .json_text import decode_value
from .scalars import FreeObject, NotNegative, OnlyTrue, Record


class SessionFile(Record, frozen=True, tag_field="kind", tag="session_file"):
    """An attachment kept with its session."""

    kind: ClassVar[Literal["session_file"]] = "session_file"
    session_id: str
    relative_path: str


class WorkspaceFile(Record, frozen=True, tag_field="kind", tag="workspace_file"):
    """An attachment that lies in the workspace."""

    kind: ClassVar[Literal["workspace_file"]] = "workspace_file"
    relative_path: str


class ExternalFile(Record, frozen=True, tag_field="kind", tag="external_file"):
    """An attachment that lies anywhere else."""

    kind: ClassVar[Literal["external_file"]] = "external_file"
    absolute_path: str


class Attachment(Record, frozen=True):
    """A file beside a text; `bytes` is its size as it was stated, which old versions did not hold to whole numbers."""

    kind: Literal["image", "pdf", "doc", "code", "other"]
    name: str
    mime_type: str
    bytes: NotNegative
    ref: SessionFile | WorkspaceFile | ExternalFile


class Quote(Record, frozen=True):
    """A passage that the user quoted."""

    text: str
    label: str | UnsetType = UNSET
    source_turn_id: str | UnsetType = UNSET


class ScheduledTaskOrigin(Record, frozen=True, tag_field="kind", tag="scheduled_task"):
    """The text came from a scheduled task."""

    kind: ClassVar[Literal["scheduled_task"]] = "scheduled_task"
    scheduled_task_id: str


class LegacyAutomationOrigin(Record, frozen=True, tag_field="kind", tag="legacy_automation"):
    """The text came from an automation, under its later name."""

    kind: ClassVar[Literal["legacy_automation"]] = "legacy_automation"
    automation_id: str


class AutomationOrigin(Record, frozen=True, tag_field="kind", tag="automation"):
    """The text came from an automation."""

    kind: ClassVar[Literal["automation"]] = "automation"
    automation_id: str


class GoalOrigin(Record, frozen=True, tag_field="kind", tag="goal"):
    """The text came from a goal."""

    kind: ClassVar[Literal["goal"]] = "goal"
    goal_id: str


class AgentGraphOrigin(Record, frozen=True, tag_field="kind", tag="agent_graph"):
    """The text woke an agent of a graph."""

    kind: ClassVar[Literal["agent_graph"]] = "agent_graph"
    graph_id: str
    wake_id: str
    attempt_id: str


TextOrigin = ScheduledTaskOrigin | LegacyAutomationOrigin | AutomationOrigin | GoalOrigin | AgentGraphOrigin


class Text(Record, frozen=True, tag_field="kind", tag="text"):
    """Text of the user or of the model; `display_text`, when present, is what was shown in its place."""

    kind: ClassVar[Literal["text"]] = "text"
    text: str
    display_text: str | UnsetType = UNSET
    attachments: tuple[Attachment, ...] | UnsetType = UNSET
    quotes: tuple[Quote, ...] | UnsetType = UNSET
    steering: OnlyTrue | UnsetType = UNSET
    provider_options: FreeObject | UnsetType = UNSET
    inline_references: InlineReferences | UnsetType = UNSET
    origin: TextOrigin | UnsetType = UNSET


class Thinking(Record, frozen=True, tag_field="kind", tag="thinking"):
    """What the model thought aloud."""

    kind: ClassVar[Literal["thinking"]] = "thinking"
    text: str
    signature: str | UnsetType = UNSET
    provider_options: FreeObject | UnsetType = UNSET


class FunctionCall(Record, frozen=True, tag_field="kind", tag="function_call"):
    """A tool call; `id` is the tool-call id. The arguments stay JSON text until somebody asks for `args`."""

    kind: ClassVar[Literal["function_call"]] = "function_call"
    id: str
    name: str
    args_json: Raw = field(name="args")
    provider_options: FreeObject | UnsetType = UNSET
    provider_executed: bool | UnsetType = UNSET

    @property
    def args(self) -> Any:
        """The arguments, read anew at every call: any JSON value."""
        return decode_value(self.args_json)


class FunctionResponse(Record, frozen=True, tag_field="kind", tag="function_response"):
    """A tool result; `id` is the tool-call id. The result stays JSON text until somebody asks for `result`."""

    kind: ClassVar[Literal["function_response"]] = "function_response"
    id: str
    name: str
    result_json: Raw = field(name="result")
    is_error: bool | UnsetType = UNSET
    provider_executed: bool | UnsetType = UNSET
    provider_output_json: Raw | UnsetType = field(name="providerOutput", default=UNSET)

    @property
    def result(self) -> Any:
        """The result, read anew at every call: any JSON value."""
        return decode_value(self.result_json)

    @property
    def provider_output(self) -> Any:
        """What the provider returned, read anew at every call; UNSET if the row has none."""
        raw = self.provider_output_json
        return UNSET if isinstance(raw, UnsetType) else decode_value(raw)


class ErrorContent(Record, frozen=True, tag_field="kind", tag="error"):
    """An error that the run recorded."""

    kind: ClassVar[Literal["error"]] = "error"
    message: str
    code: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    details: tuple[str, ...] | FreeObject | UnsetType = UNSET


Content = Text | Thinking | FunctionCall | FunctionResponse | ErrorContent
