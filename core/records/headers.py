"""RunHeader: what `run.json` says about a run."""

from itertools import pairwise
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from .scalars import Count, Digest, Finite, Name, One, Positive, Record, units

RunStatus = Literal["created", "running", "waiting_for_user", "completed", "failed", "cancelled"]
PermissionMode = Literal["explore", "ask", "bypass"]

ComposerId = Annotated[str, Meta(pattern=r"\A[a-z][a-z0-9]*(?:[.-][a-z0-9]+)+\Z", max_length=128)]
Revision = Annotated[str, Meta(min_length=1, max_length=128)]
_LONGEST_REVISION = 128


class ContinuationSource(Record, frozen=True):
    """The run that this one continues, and how much of it. The second form has a protocol, a claim and digests."""

    source_invocation_id: str
    source_run_id: str
    source_turn_id: str
    source_runtime_event_high_water: Count
    protocol: Literal["continuation_source_v2"] | UnsetType = UNSET
    claim_id: Name | UnsetType = UNSET
    boundary_digest: Digest | UnsetType = UNSET
    source_prefix_digest: Digest | UnsetType = UNSET
    replay_manifest_digest: Digest | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Hold the record to one of its two forms."""
        later = [
            self.protocol,
            self.claim_id,
            self.boundary_digest,
            self.source_prefix_digest,
            self.replay_manifest_digest,
        ]
        if all(value is UNSET for value in later):
            return
        if any(value is UNSET for value in later):
            raise ValueError("the second form needs protocol, claim and digests together")
        if not (self.source_invocation_id and self.source_run_id and self.source_turn_id):
            raise ValueError("the second form allows no empty id")
        if self.source_runtime_event_high_water == 0:
            raise ValueError("the second form allows no empty prefix")
        if self.replay_manifest_digest != self.boundary_digest:
            raise ValueError("replayManifestDigest and boundaryDigest differ")


class SourceRevision(Record, frozen=True):
    """One source that a run was composed from."""

    id: ComposerId
    revision: Revision

    def __post_init__(self) -> None:
        """Hold the revision to its length."""
        _check_length(self.revision)


class RunComposition(Record, frozen=True):
    """What a run was composed from: prompt, tools, provider options, as digests."""

    schema_version: One
    composer_id: ComposerId
    composer_revision: Revision
    source_revisions: Annotated[tuple[SourceRevision, ...], Meta(max_length=64)]
    base_system_prompt_hash: Digest
    tool_catalog_hash: Digest
    tool_availability_hash: Digest
    base_provider_options_hash: Digest
    tool_names: Annotated[tuple[Revision, ...], Meta(max_length=256)]
    context_window: Positive | None

    def __post_init__(self) -> None:
        """Hold lengths to UTF-16 units, and both lists to a strictly rising order."""
        for text in (self.composer_revision, *self.tool_names):
            _check_length(text)
        if not _rises([source.id for source in self.source_revisions]):
            raise ValueError("sourceRevisions are not in order")
        if not _rises(list(self.tool_names)):
            raise ValueError("toolNames are not in order")


def _check_length(text: str) -> None:
    if units(text) > _LONGEST_REVISION:
        raise ValueError("a name or revision is too long")


def _rises(texts: list[str]) -> bool:
    keys = [text.encode("utf-16-be", "surrogatepass") for text in texts]
    return all(before < after for before, after in pairwise(keys))


class _HeaderFields(Record, frozen=True, kw_only=True):
    """What a header holds, whoever wrote it."""

    run_id: str
    session_id: str
    turn_id: str
    backend_kind: Literal["ai-sdk", "fake", "pi-agent"]
    llm_connection_slug: str
    model_id: str
    cwd: str
    created_at: Finite
    updated_at: Finite
    completed_at: Finite | UnsetType = UNSET
    invocation_id: str | UnsetType = UNSET
    parent_run_id: str | UnsetType = UNSET
    agent_id: str | UnsetType = UNSET
    agent_name: str | UnsetType = UNSET
    parent_turn_id: str | UnsetType = UNSET
    retried_from_turn_id: str | UnsetType = UNSET
    regenerated_from_turn_id: str | UnsetType = UNSET
    branch_of_turn_id: str | UnsetType = UNSET
    parent_session_id: str | UnsetType = UNSET
    workspace_identity: str | UnsetType = UNSET
    failure_class: str | UnsetType = UNSET
    failure_message: str | UnsetType = UNSET
    abort_source: str | UnsetType = UNSET
    trace_write_error: str | UnsetType = UNSET
    continuation_source: ContinuationSource | UnsetType = UNSET
    resumed_from_run_id: str | UnsetType = UNSET
    retried_from_run_id: str | UnsetType = UNSET
    scheduled_task_id: str | UnsetType = UNSET
    legacy_automation_id: str | UnsetType = UNSET
    goal_id: str | UnsetType = UNSET
    agent_graph_wake_id: str | UnsetType = UNSET
    agent_graph_wake_attempt_id: str | UnsetType = UNSET
    collaboration_mode: Literal["agent", "plan"] | UnsetType = UNSET
    orchestration_mode: Literal["default", "swarm", "graph"] | UnsetType = UNSET
    orchestration_source: Literal["session", "turn_override"] | UnsetType = UNSET
    agent_swarm_authorization: Literal["none", "session_mode", "turn_override"] | UnsetType = UNSET
    tool_mode: Literal["direct", "code_mode"] | UnsetType = UNSET
    root_execution_kind: Literal["context_compact"] | UnsetType = UNSET
    run_composition: RunComposition | UnsetType = UNSET


class RunHeader(_HeaderFields, frozen=True, kw_only=True):
    """The header of a run. Times are in milliseconds since 1970."""

    status: RunStatus
    permission_mode: PermissionMode


def has_one_cause(header: RunHeader) -> bool:
    """Tell whether a header in today's names has a cause at most, as `StoredHeader` holds it to."""
    causes = (header.scheduled_task_id, header.goal_id, header.legacy_automation_id, header.agent_graph_wake_id)
    return causes.count(UNSET) >= len(causes) - 1


class StoredHeader(_HeaderFields, frozen=True, kw_only=True):
    """A header as it may be written, with the names and words of older versions."""

    status: RunStatus | Literal["waiting_permission"]
    permission_mode: PermissionMode | Literal["execute"]
    automation_id: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Hold the header to one cause. The oldest name did not exclude an agent graph's wake."""
        causes = [self.scheduled_task_id, self.goal_id, self.legacy_automation_id, self.automation_id]
        named = sum(cause is not UNSET for cause in causes)
        if self.agent_graph_wake_id is not UNSET and (named > 1 or self.automation_id is UNSET):
            named += 1
        if named > 1:
            raise ValueError("the header names two causes")

    def current(self) -> RunHeader:
        """Return the header in today's names and words."""
        fields = {name: getattr(self, name) for name in _HeaderFields.__struct_fields__}
        if self.automation_id is not UNSET:
            fields["legacy_automation_id"] = self.automation_id
        status = self.status
        mode = self.permission_mode
        return RunHeader(
            **fields,
            status="waiting_for_user" if status == "waiting_permission" else status,
            permission_mode="ask" if mode == "execute" else mode,
        )
