"""Permissions and questions: what was asked of a person, and what was answered."""

from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from msgspec import UNSET, Raw, UnsetType, field

from .json_text import decode_value
from .permission_profile import PermissionProfile
from .scalars import OnlyTrue, Record, ShortId, asked

Category = Literal[
    "read",
    "web_read",
    "file_write",
    "fs_destructive",
    "shell_safe",
    "shell_unsafe",
    "git_destructive",
    "network_send",
    "privileged",
    "browser",
    "computer_use",
    "custom_tool",
    "subagent",
    "client_capability",
]

AvailableDecisions = tuple[Literal["allow_once"], Literal["deny"]]


class ToolPermission(Record, frozen=True, tag_field="kind", tag="tool_permission"):
    """Asks whether a tool may run with its arguments."""

    kind: ClassVar[Literal["tool_permission"]] = "tool_permission"
    request_id: str
    tool_use_id: str
    tool_name: str
    category: Category
    reason: Literal[
        "shell_dangerous",
        "file_write",
        "fs_destructive",
        "network",
        "git_destructive",
        "privileged",
        "browser",
        "computer_use",
        "custom",
    ]
    args_json: Raw = field(name="args")
    remember_for_turn_allowed: bool
    hint: str | UnsetType = UNSET

    @property
    def args(self) -> Any:
        """The arguments in question, read anew at every call: any JSON value."""
        return decode_value(self.args_json)


class AdditionalRisk(Record, frozen=True):
    """What additional permissions would open."""

    outside_workspace: bool
    protected_metadata: bool
    network_enabled: bool


class AdditionalPermissions(Record, frozen=True, tag_field="kind", tag="additional_permissions"):
    """Asks whether a tool may reach further than its sandbox allows."""

    kind: ClassVar[Literal["additional_permissions"]] = "additional_permissions"
    request_id: str
    tool_use_id: str
    tool_name: str
    category: Category
    reason: Literal["additional_permissions"]
    additional_permissions: PermissionProfile
    cwd: str
    justification: str
    intent_hash: str
    permissions_hash: str
    risk: AdditionalRisk
    also_approves_tool_execution: bool
    available_decisions: AvailableDecisions
    hint: str | UnsetType = UNSET


class EscalationRisk(Record, frozen=True):
    """What leaving the sandbox opens: everything, and the record must say so."""

    unsandboxed_execution: OnlyTrue
    unrestricted_file_system: OnlyTrue
    unrestricted_network: OnlyTrue
    protected_metadata_exposed: OnlyTrue


class SandboxEscalation(Record, frozen=True, tag_field="kind", tag="sandbox_escalation"):
    """Asks whether a command may run outside the sandbox."""

    kind: ClassVar[Literal["sandbox_escalation"]] = "sandbox_escalation"
    request_id: str
    tool_use_id: str
    tool_name: Literal["Bash"]
    category: Category
    reason: Literal["sandbox_escalation"]
    command: str
    cwd: str
    justification: str
    intent_hash: str
    command_hash: str
    trigger: Literal["proactive", "sandbox_denial"]
    risk: EscalationRisk
    also_approves_tool_execution: bool
    available_decisions: AvailableDecisions
    hint: str | UnsetType = UNSET


PermissionRequest = ToolPermission | AdditionalPermissions | SandboxEscalation


class PermissionDecision(Record, frozen=True):
    """What a person, or the automatic review, decided."""

    request_id: str
    decision: Literal["allow", "deny"]
    remember_for_turn: bool | UnsetType = UNSET
    reviewer: Literal["user", "auto_review"] | UnsetType = UNSET
    rationale: str | UnsetType = UNSET
    risk_level: Literal["low", "medium", "high", "critical"] | UnsetType = UNSET
    tool_name: ShortId | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Hold the tool name to 256 bytes."""
        if not isinstance(self.tool_name, UnsetType):
            check_short(self.tool_name, "toolName")


SHORT_BYTES: Final = 256


def check_short(value: str, name: str) -> None:
    """Refuse a string of more than 256 bytes of UTF-8, a lone surrogate counting 3."""
    if len(value.encode("utf-8", "surrogatepass")) > SHORT_BYTES:
        raise ValueError(f"{name} is longer than 256 bytes")


class AnswerAccepted(Record, frozen=True):
    """The runtime took the answer to a request."""

    request_id: ShortId

    def __post_init__(self) -> None:
        """Hold the id to 256 bytes."""
        check_short(self.request_id, "requestId")


class ClosureAccepted(Record, frozen=True):
    """The runtime closed a request that nobody answered in time."""

    request_id: ShortId
    reason: Literal["timed_out"]

    def __post_init__(self) -> None:
        """Hold the id to 256 bytes."""
        check_short(self.request_id, "requestId")


if TYPE_CHECKING:
    LoneClosure = ClosureAccepted
else:
    # It may have no other action beside it, which a record cannot see of itself: the exact way looks.
    LoneClosure = asked("closure", lambda value: type(value) is ClosureAccepted, beside=True)


class QuestionOption(Record, frozen=True):
    """One offered answer."""

    label: str
    description: str | UnsetType = UNSET


class Question(Record, frozen=True):
    """One question and the answers offered."""

    question: str
    options: tuple[QuestionOption, ...]


class UserQuestionRequest(Record, frozen=True):
    """Questions that a tool asked the user."""

    request_id: str
    tool_use_id: str
    questions: tuple[Question, ...]
