"""Facts of later phases that ledgers may hold: tool dispatch and recovery, continuation, workspace versions."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from .scalars import Count, Digest, Name, One, Positive, Record, Zero


class RuntimeProtocol(Record, frozen=True):
    """Marks a run whose tools are dispatched through the atomic tool boundary."""

    tool_boundary: Literal["t1_after_preflight_v1"]


class ToolDispatch(Record, frozen=True):
    """The fact that a tool's implementation was about to be started (T1)."""

    protocol: Literal["t1_after_preflight_v1"]
    operation_id: str
    provider_tool_call_id: str
    tool_name: str
    canonical_args_hash: str
    recovery_mode: Literal["replay_safe", "idempotent", "reconcile", "reattach", "outcome_unknown", "never_auto_retry"]


class ReconcileResult(Record, frozen=True):
    """What a look at the world said about an operation whose outcome was unknown."""

    protocol: Literal["tool_reconcile_v1"]
    operation_id: Name
    observation: Literal["matches_expected_state", "matches_prior_state", "diverged", "unreadable"]
    observation_schema: Literal["state_identity_v1"]
    observation_digest: Digest


_PARKED_REASONS = frozenset({"reconcile_matches_prior_state", "reconcile_diverged", "reconcile_unreadable"})


class RecoveryDecision(Record, frozen=True):
    """What recovery decided about an operation: completed with an outcome event, or parked for a person."""

    protocol: Literal["tool_recovery_v1"]
    operation_id: Name
    disposition: Literal["completed", "parked"]
    reason_code: Literal[
        "reconcile_matches_expected_state",
        "reconcile_matches_prior_state",
        "reconcile_diverged",
        "reconcile_unreadable",
    ]
    evidence_event_ids: Annotated[tuple[Name, ...], Meta(min_length=1)]
    outcome_event_id: Name | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Hold the reason and the outcome to the disposition, and the evidence to distinct ids."""
        if len(set(self.evidence_event_ids)) != len(self.evidence_event_ids):
            raise ValueError("evidenceEventIds names an event twice")
        if self.disposition == "completed":
            if self.reason_code in _PARKED_REASONS:
                raise ValueError("reasonCode does not fit the disposition")
            if self.outcome_event_id is UNSET:
                raise ValueError("a completed decision needs outcomeEventId")
        else:
            if self.reason_code not in _PARKED_REASONS:
                raise ValueError("reasonCode does not fit the disposition")
            if self.outcome_event_id is not UNSET:
                raise ValueError("a parked decision has no outcomeEventId")


class ReconcileFact(Record, frozen=True, tag_field="kind", tag="maka.tool.reconcile_result"):
    """The envelope of a ReconcileResult."""

    kind: ClassVar[Literal["maka.tool.reconcile_result"]] = "maka.tool.reconcile_result"
    version: One
    payload: ReconcileResult


class DecisionFact(Record, frozen=True, tag_field="kind", tag="maka.tool.recovery_decision"):
    """The envelope of a RecoveryDecision."""

    kind: ClassVar[Literal["maka.tool.recovery_decision"]] = "maka.tool.recovery_decision"
    version: One
    payload: RecoveryDecision


ToolRecovery = ReconcileFact | DecisionFact


class ImmediateSource(Record, frozen=True):
    """The run, and the prefix of it, that a continuation starts from."""

    session_id: Name
    invocation_id: Name
    run_id: Name
    turn_id: Name
    high_water: Positive
    prefix_digest: Digest


class ContinuationStart(Record, frozen=True):
    """The first fact of a run that continues another."""

    protocol: Literal["continuation_start_v2"]
    provenance: Literal["runtime_admission", "claim_repair"]
    claim_id: Name
    boundary_digest: Digest
    replay_manifest_digest: Digest
    provider_replay_digest: Digest
    provider_projection_version: One
    immediate_source: ImmediateSource


_HEX_ID = r"[a-f0-9]{32}\Z"
RepositoryId = Annotated[str, Meta(pattern=r"\Arepository_" + _HEX_ID)]
WorkspaceId = Annotated[str, Meta(pattern=r"\Aworkspace_" + _HEX_ID)]
EpochId = Annotated[str, Meta(pattern=r"\Aepoch_" + _HEX_ID)]
InstanceId = Annotated[str, Meta(pattern=r"\Ainstance_" + _HEX_ID)]
VersionId = Annotated[str, Meta(pattern=r"\Aversion_" + _HEX_ID)]
Oid = Annotated[str, Meta(pattern=r"\A(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")]
EventId = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-]{1,128}\Z")]

_OID_LENGTH = {"sha1": 40, "sha256": 64}


def _check_oids(object_format: str, **oids: str) -> None:
    for name, oid in oids.items():
        if len(oid) != _OID_LENGTH[object_format]:
            raise ValueError(f"{name} has not the length of its object format")


class EpochOpened(Record, frozen=True):
    """A workspace epoch begins at a commit."""

    protocol: Literal["workspace_epoch_opened_v1"]
    repository_id: RepositoryId
    workspace_id: WorkspaceId
    workspace_epoch_id: EpochId
    object_format: Literal["sha1", "sha256"]
    policy_hash: Digest
    workspace_instance_id: InstanceId
    initial_workspace_version_id: VersionId
    mode: Literal["managed_worktree"]
    source_commit_oid: Oid
    source_tree_oid: Oid
    materialization_profile_digest: Digest
    materialization_semantics: Literal["git_tree_materialized_with_fixed_config_v1"]

    def __post_init__(self) -> None:
        """Hold the object ids to the object format."""
        _check_oids(self.object_format, sourceCommitOid=self.source_commit_oid, sourceTreeOid=self.source_tree_oid)


class BaselineOrigin(Record, frozen=True):
    """The epoch that a baseline belongs to."""

    kind: Literal["baseline"]
    epoch_opened_event_id: EventId


class BaselineAccepted(Record, frozen=True):
    """The first version of a workspace epoch is accepted."""

    protocol: Literal["workspace_baseline_accepted_v1"]
    repository_id: RepositoryId
    workspace_id: WorkspaceId
    workspace_epoch_id: EpochId
    object_format: Literal["sha1", "sha256"]
    policy_hash: Digest
    workspace_version_id: VersionId
    parents: tuple[()]
    origin: BaselineOrigin
    commit_oid: Oid
    tree_oid: Oid
    tree_delta_digest: Digest
    changed_file_count: Count
    deleted_file_count: Zero

    def __post_init__(self) -> None:
        """Hold the object ids to the object format."""
        _check_oids(self.object_format, commitOid=self.commit_oid, treeOid=self.tree_oid)


class EpochOpenedFact(Record, frozen=True, tag_field="kind", tag="maka.workspace.epoch_opened"):
    """The envelope of an EpochOpened."""

    kind: ClassVar[Literal["maka.workspace.epoch_opened"]] = "maka.workspace.epoch_opened"
    version: One
    payload: EpochOpened


class BaselineAcceptedFact(Record, frozen=True, tag_field="kind", tag="maka.workspace.baseline_accepted"):
    """The envelope of a BaselineAccepted."""

    kind: ClassVar[Literal["maka.workspace.baseline_accepted"]] = "maka.workspace.baseline_accepted"
    version: One
    payload: BaselineAccepted


WorkspaceFact = EpochOpenedFact | BaselineAcceptedFact
