"""Closed shapes of recovery, continuation and workspace facts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.records import ABSENT, DIGEST, OTHER_DIGEST, accepts_event, action, changed

HEX = "0123456789abcdef" * 2


RECONCILE = {
    "protocol": "tool_reconcile_v1",
    "operationId": "o",
    "observation": "diverged",
    "observationSchema": "state_identity_v1",
    "observationDigest": DIGEST,
}
COMPLETED = {
    "protocol": "tool_recovery_v1",
    "operationId": "o",
    "disposition": "completed",
    "reasonCode": "reconcile_matches_expected_state",
    "evidenceEventIds": ["a", "b"],
    "outcomeEventId": "b",
}
PARKED = changed(COMPLETED, {"disposition": "parked", "reasonCode": "reconcile_diverged", "outcomeEventId": ABSENT})


def recovery(kind: str, payload: dict[str, Any], version: object = 1, **changes: Any) -> dict[str, Any]:
    """Return an event with a recovery fact."""
    return action("toolRecovery", {"kind": kind, "version": version, "payload": changed(payload, changes)})


@pytest.mark.parametrize(
    ("document", "good"),
    [
        (recovery("maka.tool.reconcile_result", RECONCILE), True),
        (recovery("maka.tool.reconcile_result", RECONCILE, version=1.0), True),
        (recovery("maka.tool.reconcile_result", RECONCILE, version=2), False),
        (recovery("maka.tool.reconcile_result", RECONCILE, version=True), False),
        (recovery("maka.tool.reconcile_result", RECONCILE, observationDigest=DIGEST.upper()), False),
        (recovery("maka.tool.reconcile_result", RECONCILE, observationDigest=DIGEST + "\n"), False),
        (recovery("maka.tool.reconcile_result", RECONCILE, operationId=""), False),
        (recovery("maka.tool.reconcile_result", COMPLETED), False),
        (recovery("maka.tool.recovery_decision", COMPLETED), True),
        (recovery("maka.tool.recovery_decision", COMPLETED, outcomeEventId=ABSENT), False),
        (recovery("maka.tool.recovery_decision", COMPLETED, outcomeEventId=""), False),
        (recovery("maka.tool.recovery_decision", COMPLETED, evidenceEventIds=[]), False),
        (recovery("maka.tool.recovery_decision", COMPLETED, evidenceEventIds=["a", "a"]), False),
        (recovery("maka.tool.recovery_decision", COMPLETED, evidenceEventIds=["a", ""]), False),
        (recovery("maka.tool.recovery_decision", COMPLETED, reasonCode="reconcile_diverged"), False),
        (recovery("maka.tool.recovery_decision", PARKED), True),
        (recovery("maka.tool.recovery_decision", PARKED, outcomeEventId="b"), False),
        (recovery("maka.tool.recovery_decision", PARKED, reasonCode="reconcile_matches_expected_state"), False),
    ],
)
def test_recovery_facts(document: dict[str, Any], good: bool) -> None:
    """A recovery fact is an observation, or a decision whose reason and outcome fit its disposition."""
    assert accepts_event(document) is good


SOURCE = {
    "sessionId": "s",
    "invocationId": "i",
    "runId": "r",
    "turnId": "t",
    "highWater": 1,
    "prefixDigest": DIGEST,
}
CONTINUATION = {
    "protocol": "continuation_start_v2",
    "provenance": "claim_repair",
    "claimId": "c",
    "boundaryDigest": DIGEST,
    "replayManifestDigest": OTHER_DIGEST,
    "providerReplayDigest": DIGEST,
    "providerProjectionVersion": 1,
    "immediateSource": SOURCE,
}


@pytest.mark.parametrize(
    ("changes", "good"),
    [
        ({}, True),
        ({"claimId": ""}, False),
        ({"providerProjectionVersion": 2}, False),
        ({"immediateSource": SOURCE | {"highWater": 0}}, False),
        ({"provenance": ABSENT}, False),
        ({"more": None}, False),
    ],
)
def test_continuations(changes: dict[str, Any], good: bool) -> None:
    """A continuation names the prefix that it starts from."""
    assert accepts_event(action("continuationStart", changed(CONTINUATION, changes))) is good


EPOCH = {
    "protocol": "workspace_epoch_opened_v1",
    "repositoryId": f"repository_{HEX}",
    "workspaceId": f"workspace_{HEX}",
    "workspaceEpochId": f"epoch_{HEX}",
    "objectFormat": "sha1",
    "policyHash": DIGEST,
    "workspaceInstanceId": f"instance_{HEX}",
    "initialWorkspaceVersionId": f"version_{HEX}",
    "mode": "managed_worktree",
    "sourceCommitOid": "c" * 40,
    "sourceTreeOid": "d" * 40,
    "materializationProfileDigest": DIGEST,
    "materializationSemantics": "git_tree_materialized_with_fixed_config_v1",
}
BASELINE = {
    "protocol": "workspace_baseline_accepted_v1",
    "repositoryId": f"repository_{HEX}",
    "workspaceId": f"workspace_{HEX}",
    "workspaceEpochId": f"epoch_{HEX}",
    "objectFormat": "sha256",
    "policyHash": DIGEST,
    "workspaceVersionId": f"version_{HEX}",
    "parents": [],
    "origin": {"kind": "baseline", "epochOpenedEventId": "e-1_A"},
    "commitOid": "c" * 64,
    "treeOid": "d" * 64,
    "treeDeltaDigest": DIGEST,
    "changedFileCount": 3,
    "deletedFileCount": 0,
}


@pytest.mark.parametrize(
    ("kind", "payload", "changes", "good"),
    [
        ("maka.workspace.epoch_opened", EPOCH, {}, True),
        ("maka.workspace.epoch_opened", EPOCH, {"objectFormat": "sha256"}, False),
        ("maka.workspace.epoch_opened", EPOCH, {"sourceTreeOid": "d" * 64}, False),
        ("maka.workspace.epoch_opened", EPOCH, {"sourceTreeOid": "D" * 40}, False),
        ("maka.workspace.epoch_opened", EPOCH, {"workspaceId": f"workspace_{HEX}\n"}, False),
        ("maka.workspace.epoch_opened", EPOCH, {"workspaceId": f"repository_{HEX}"}, False),
        ("maka.workspace.epoch_opened", BASELINE, {}, False),
        ("maka.workspace.baseline_accepted", BASELINE, {}, True),
        ("maka.workspace.baseline_accepted", BASELINE, {"parents": ["x"]}, False),
        ("maka.workspace.baseline_accepted", BASELINE, {"deletedFileCount": 1}, False),
        ("maka.workspace.baseline_accepted", BASELINE, {"deletedFileCount": -0.0}, True),
        ("maka.workspace.baseline_accepted", BASELINE, {"commitOid": "c" * 40}, False),
        ("maka.workspace.baseline_accepted", BASELINE, {"origin": {"epochOpenedEventId": "e"}}, False),
        (
            "maka.workspace.baseline_accepted",
            BASELINE,
            {"origin": {"kind": "baseline", "epochOpenedEventId": "é"}},
            False,
        ),
    ],
)
def test_workspace_facts(kind: str, payload: dict[str, Any], changes: dict[str, Any], good: bool) -> None:
    """A workspace fact has ids of its own kinds, and object ids of the length of its object format."""
    fact = {"kind": kind, "version": 1, "payload": changed(payload, changes)}

    assert accepts_event(action("workspaceFact", fact)) is good
