"""Recorded databases through the front door: what `open_workspace` says of each, held to the record."""

from __future__ import annotations

import gc
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core import Run, Workspace, inspect, open_workspace
from core.evidence.documents import encode_document, run_document
from core.sqlite.opening import COPY_LIMIT
from tests.support.answers import plan_differences
from tests.support.workspaces import fingerprint

DECISION = ("reason", "operationId", "settlementOrigin")


@pytest.fixture(params=[COPY_LIMIT, -1], ids=["copy", "in-place"])
def copy_limit(request: pytest.FixtureRequest) -> int:
    """Open databases in both ways."""
    if request.param < 0 and sys.platform == "win32":
        pytest.skip("there the way in place is not known to leave no trace")
    return int(request.param)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Let private copies lie where nobody else puts any, and hold that none is left."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    gc.collect()
    assert list(folder.iterdir()) == []


def _differences(run: Run, want: dict[str, Any]) -> list[str]:
    ledger = run.ledger()
    inspection = inspect(ledger)
    plan = inspection.plan.as_document()
    wrong = []
    sound = "eventIds" in want and not want["unreadableEventIds"]
    if ledger.readable != sound:
        wrong.append(f"readable is {ledger.readable}")
    if sound and [event.id for event in ledger] != want["eventIds"]:
        wrong.append("other events")
    if sound and want["header"] != "unreadable":
        wrong += plan_differences(plan, want["plan"])
    elif plan["disposition"] != "blocked":
        wrong.append("must be blocked")
    if want["header"] == "unreadable":
        wrong += [] if run.header is None else ["the header is not to be trusted"]
    elif run.header is None or run.header.status != want["header"]:
        wrong.append("another header")
    for key, value in (
        ("partials", len(run.partials)),
        ("pendingInteractions", run.pending_interactions),
        ("continuationOf", run.continuation_of),
    ):
        if value != want[key]:
            wrong.append(f"{key} is {value!r}")
    told = [*plan["operations"], *plan.get("nestedOperations", [])]
    operations = {operation["toolCallId"]: operation for operation in told}
    for decision in want["decisions"] if sound else ():
        for key in DECISION:
            if operations[decision["toolCallId"]].get(key) != decision.get(key):
                wrong.append(f"{decision['toolCallId']}: {key}")
    return [f"{run.run_id}: {what}" for what in wrong]


def test_every_recorded_database_is_decided_as_recorded(recorded: Path, scratch: Path, copy_limit: int) -> None:
    """All runs of the 31 databases give the recorded events, plans and later facts; no file changes, no copy stays."""
    before = fingerprint(recorded)
    wrong: list[str] = []
    seen = 0
    for path in sorted(recorded.glob("*.expect.json")):
        expect = json.loads(path.read_text(encoding="utf-8"))
        with open_workspace(recorded / expect["workspace"], copy_limit=copy_limit) as workspace:
            assert workspace.storage == "sqlite"
            assert {finding.code for finding in workspace.findings} == set(expect["storage"]["findings"]) | _also(
                expect
            )
            titles = {session.session_id: session.title for session in workspace.sessions}
            assert titles == {session["sessionId"]: session["title"] for session in expect["sessions"]}
            found = {(run.session_id, run.run_id): run for run in workspace.runs()}
            assert set(found) == {(want["sessionId"], want["runId"]) for want in expect["runs"]}
            for want in expect["runs"]:
                seen += 1
                wrong += _differences(found[want["sessionId"], want["runId"]], want)

    assert wrong == []
    assert seen == 89
    assert fingerprint(recorded) == before


def _also(expect: dict[str, Any]) -> set[str]:
    """Return what is said beyond the record: headers on a damaged page cannot be read."""
    return {"header_unreadable"} if expect["workspace"] == "corrupt-headers-page" else set()


def test_nothing_differs_from_the_summaries_of_a_sound_database(recorded: Path, scratch: Path) -> None:
    """What Maka itself wrote of its operations is what the events say."""
    for path in sorted(recorded.glob("*.expect.json")):
        with open_workspace(recorded / path.name.removesuffix(".expect.json")) as workspace:
            codes = {finding.code for run in workspace.runs() for finding in run.ledger().findings}
        assert not codes & {"projection_differs", "number_gap", "rows_missing"}


def test_the_file_itself_can_be_opened(recorded: Path, scratch: Path) -> None:
    """A path to the database is as good as one to its state root."""
    with open_workspace(recorded / "child-runs" / "runtime.sqlite") as workspace:
        assert len(workspace.runs()) == 5


def test_runs_outlive_their_workspace_and_take_the_copy_with_them(recorded: Path, scratch: Path) -> None:
    """Whoever keeps a run or a ledger can go on reading; with the last of them the private copy goes."""
    run = open_workspace(recorded / "legacy-no-marker").runs()[0]
    gc.collect()
    ledger = run.ledger()
    assert len(list(scratch.iterdir())) == 1
    assert len(list(ledger)) == len(ledger) == 5
    del run
    gc.collect()
    assert ledger.raw(0).startswith(b"{")


def test_relatives_are_found(recorded: Path, scratch: Path) -> None:
    """Parents, children by the call that started them, continuations begun or only claimed, resumed runs."""
    with open_workspace(recorded / "child-runs") as workspace:
        by = {run.run_id[:8]: run for run in workspace.runs()}
        parent = by["af5b4ce8"].lineage
        calls = {child.run_id[:8]: child.tool_call_id for child in parent.children}
        assert calls == {
            "5682daf6": None,
            "8473f2b3": None,
            "1b1efd8a": "toolu_01eFqBUqWrTcd9Smbh8T27mI",
            "f89c09ae": "toolu_01GyUKLMHhMFLNTssjLsAkQr",
        }
        child = by["f89c09ae"].lineage.parent
        assert child is not None
        assert (child.run_id[:8], child.tool_call_id) == ("af5b4ce8", "toolu_01GyUKLMHhMFLNTssjLsAkQr")
        assert by["8473f2b3"].lineage.resumed_from == by["5682daf6"].run_id
        previews = {
            session.session_id[:8]: (session.preview, session.parent_session_id) for session in workspace.sessions
        }
        assert previews["7ca9961a"] == ("Review again.", None)
        assert previews["f31a8582"][1] == child.session_id
        (spawned,) = [w for w in inspect(by["af5b4ce8"].ledger()).witnesses if w.code == "child_run"]
        assert spawned.tool_call_id == "toolu_01GyUKLMHhMFLNTssjLsAkQr"
    with open_workspace(recorded / "continuations") as workspace:
        by = {run.run_id[:8]: run for run in workspace.runs()}
        assert [one[:8] for one in by["57eb71c8"].continued_by] == ["e6df695b"]
        (claim,) = by["ee36b65a"].lineage.claims
        assert (claim.start_event_id, claim.source_high_water) == (None, 5)
        assert "claimed" in [witness.code for witness in inspect(by["ee36b65a"].ledger()).witnesses]


def test_what_waits_for_a_person_is_a_witness(recorded: Path, scratch: Path) -> None:
    """A question names its call; a request to leave the sandbox names none and speaks of the run."""
    with open_workspace(recorded / "interaction-pending") as workspace:
        by = {run.run_id[:8]: inspect(run.ledger()) for run in workspace.runs()}
        asked = [(w.tool_call_id, w.says) for w in by["ba61e76a"].witnesses if w.code == "interaction_pending"]
        boundary = [w.tool_call_id for w in by["349c9ffc"].witnesses if w.code == "interaction_pending"]
    assert asked == [("toolu_01DDXZWtenwNd1leAMSRuijX", "a request of the kind question waits for a person")]
    assert boundary == [None]


def test_journal_rows_are_witnesses(recorded: Path, scratch: Path) -> None:
    """Every state that the database recorded of an unsettled call is told, with its time."""
    with open_workspace(recorded / "recovery-bundles") as workspace:
        (run,) = [run for run in workspace.runs() if run.run_id.startswith("fa41d683")]
        says = [w.says for w in inspect(run.ledger()).witnesses if w.code == "journal"]
    assert says == [
        "the database's journal has prepared",
        "the database's journal has reconcile_observed",
        "the database's journal has recovery_parked",
    ]


def test_later_facts_are_in_the_document(recorded: Path, scratch: Path) -> None:
    """Dispatch, operation id, recovery mode, settlement origin and why an operation is parked."""
    with open_workspace(recorded / "recovery-bundles") as workspace:
        plans = {run.run_id[:8]: _document(workspace, run)["plan"] for run in workspace.runs()}
    (settled,) = plans["997c9394"]["operations"]
    (parked,) = plans["fa41d683"]["operations"]
    assert (settled["settlementOrigin"], settled["recoveryMode"]) == ("recovery_bundle", "reconcile")
    assert settled["dispatchRuntimeEventId"] == f"{settled['operationId']}_dispatch"
    assert (parked["status"], parked["reason"]) == ("parked", "reconcile_matches_prior_state")
    with open_workspace(recorded / "code-mode-hidden") as workspace:
        nested = [_document(workspace, run)["plan"]["nestedOperations"] for run in workspace.runs()]
    assert all(operation["parentToolCallId"] for operations in nested for operation in operations)


def _document(workspace: Workspace, run: Run) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(encode_document(run_document(inspect(run.ledger()), str(workspace.root))))
    assert document["storage"] == "sqlite"
    return document


def test_an_older_root_has_its_headers_and_traces_in_files(recorded: Path, scratch: Path) -> None:
    """They are read beside the database; the events are the database's."""
    with open_workspace(recorded / "release-v0.1.2") as workspace:
        assert {run.header.status for run in workspace.runs() if run.header} == {"completed", "running"}
        assert all(run.trace for run in workspace.runs())
        assert not workspace.stale


def test_append_order_is_that_of_the_session(recorded: Path, scratch: Path) -> None:
    """Every event of every run of a session once, each run's in its own order."""
    with open_workspace(recorded / "child-runs") as workspace:
        for session in workspace.sessions:
            for run in session.runs:
                ids = [event.id for event in run.ledger()]
                assert [one for one in session.event_order if one in set(ids)] == ids
