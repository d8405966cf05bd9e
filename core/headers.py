"""RunHeader: what `run.json` says about a run."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from .scalars import Count, Digest, Finite, Name, One, Positive, Record

RunStatus = Literal["created", "running", "waiting_for_user", "waiting_permission", "completed", "failed", "cancelled"]
PermissionMode = Literal["explore", "ask", "execute", "bypass"]

ComposerId = Annotated[str, Meta(pattern=r"\A[a-z][a-z0-9]*(?:[.-][a-z0-9]+)+\Z", max_length=128)]
Revision = Annotated[str, Meta(min_length=1, max_length=128)]


class ContinuationSource(Record):
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


class SourceRevision(Record):
    """One source that a run was composed from."""

    id: ComposerId
    revision: Revision


class RunComposition(Record):
    """What a run was composed from: prompt, tools, provider options, as digests."""

    schema_version: One
    composer_id: ComposerId
    composer_revision: Revision
    source_revisions: Annotated[list[SourceRevision], Meta(max_length=64)]
    base_system_prompt_hash: Digest
    tool_catalog_hash: Digest
    tool_availability_hash: Digest
    base_provider_options_hash: Digest
    tool_names: Annotated[list[Revision], Meta(max_length=256)]
    context_window: Positive | None


class RunHeader(Record):
    """The header of a run. Times are in milliseconds since 1970."""

    run_id: str
    session_id: str
    turn_id: str
    status: RunStatus
    backend_kind: Literal["ai-sdk", "fake", "pi-agent"]
    llm_connection_slug: str
    model_id: str
    cwd: str
    permission_mode: PermissionMode
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
