"""Recorded databases, as the crash left them: what the storage half must find in each."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from core.sqlite.beside import (
    last_write_ms,
    read_claims,
    read_interactions,
    read_journal,
    read_partials,
    read_spawns,
    read_trace,
)
from core.sqlite.database import Database
from core.sqlite.events import EventRow, damaged_payload, place_of, read_append_order
from core.sqlite.limits import COPY_LIMIT
from core.sqlite.opening import open_database
from core.sqlite.reading import Lost, damaged_tables
from core.sqlite.sessions import list_runs, read_header, read_sessions
from tests.support.databases import rows_of
from tests.support.workspaces import fingerprint

IN_PLACE = -1

NAMES = """
child-runs code-mode-hidden continuations corrupt-event-page corrupt-headers-page fresh-empty header-damage
interaction-pending killed-inside-t1 killed-inside-t2 legacy-no-marker main-file-only marker-call-not-dispatched
not-a-database partial-streams payload-damage pre-t1-synthetic recovered-by-host recovery-bundles release-v0.1.11
release-v0.1.2 release-v0.1.7 schema-newer schema-unknown-scope shm-missing statuses-clean-shutdown
t1-without-t2-bash truncated-main truncated-wal wal-missing wal-only-second-process
"""

DECODED_LATER = {"header_unreadable", "payload_damaged"}
"""Findings that come in part from decoding what the storage half delivers."""

HEADERS_IN_FILES = "release-v0.1.2"
"""The one release that kept run headers in files beside its database."""


@pytest.fixture(params=NAMES.split())
def expected(request: pytest.FixtureRequest, recorded: Path) -> dict[str, Any]:
    """Give what must be found in one recorded workspace."""
    document: dict[str, Any] = json.loads((recorded / f"{request.param}.expect.json").read_text(encoding="utf-8"))
    return document


@pytest.fixture(params=[COPY_LIMIT, IN_PLACE], ids=["copy", "in-place"])
def database(request: pytest.FixtureRequest, recorded: Path, expected: dict[str, Any]) -> Any:
    """Open that workspace's database, and hold that nothing in the workspace changes while a test looks at it."""
    if request.param == IN_PLACE and sys.platform == "win32":
        pytest.skip("there the way in place is not known to leave no trace")
    root = recorded / expected["workspace"]
    before = fingerprint(root)
    with open_database(root / "runtime.sqlite", copy_limit=request.param) as opened:
        yield opened
    assert fingerprint(root) == before


def test_every_recorded_workspace_is_held_to_its_record(recorded: Path) -> None:
    """None is left out."""
    assert sorted(path.name.removesuffix(".expect.json") for path in recorded.glob("*.json")) == NAMES.split()


def test_findings_are_those_recorded(database: Database, expected: dict[str, Any]) -> None:
    """What is damaged is said, and what is whole is not called damaged."""
    found = [*database.findings, *damaged_tables(database), *read_sessions(database)[1], *list_runs(database)[1]]
    wanted = set(expected["storage"]["findings"])

    assert {finding.code for finding in found} - DECODED_LATER == wanted - DECODED_LATER
    assert database.readable == expected["storage"]["opens"]
    assert database.schema.user_version == (expected["storage"]["userVersion"] if database.readable else 0)
    assert all(Path(finding.path or "").name.startswith("runtime.sqlite") for finding in found)


def test_sessions_and_runs_are_those_recorded(database: Database, expected: dict[str, Any]) -> None:
    """Each with its title, also where its row is damaged; a claim that never started is no run."""
    sessions, _ = read_sessions(database)
    runs, _ = list_runs(database)

    wanted = {(session["sessionId"], session["title"]) for session in expected["sessions"]}
    assert {(session.session_id, session.title) for session in sessions} == wanted
    assert {(run.session_id, run.run_id) for run in runs} == {
        (run["sessionId"], run["runId"]) for run in expected["runs"]
    }


def test_rows_are_those_recorded(database: Database, expected: dict[str, Any]) -> None:
    """All of them in order; of runs on a damaged page, what can be fetched, and the rest located."""
    entries = {(run.session_id, run.run_id): run for run in list_runs(database)[0]}
    for run in expected["runs"]:
        rows = rows_of(database, run["sessionId"], run["runId"])
        lost = [row for row in rows if isinstance(row, Lost)]
        assert bool(lost) == ("unreadable" in run)
        assert all(row.rowid is not None and row.finding.code == "page_corrupt" for row in lost)
        assert len(rows) == entries[run["sessionId"], run["runId"]].events
        if "eventIds" in run:
            assert [row.event_id for row in rows if isinstance(row, EventRow)] == run["eventIds"]
        blobs = [row.event_id for row in rows if isinstance(row, EventRow) and damaged_payload(row)]
        assert set(blobs) <= set(run["unreadableEventIds"])


def test_headers_are_those_recorded(database: Database, expected: dict[str, Any]) -> None:
    """As text for the decoder, or a finding that says why there is none."""
    for run in expected["runs"]:
        record, findings = read_header(database, run["sessionId"], run["runId"])
        codes = [finding.code for finding in findings]
        if expected["workspace"] == HEADERS_IN_FILES:
            assert codes == ["header_missing"]
        elif run["header"] == "unreadable":
            assert codes in ([], ["header_unreadable"])
        else:
            assert record is not None
            assert json.loads(record)["status"] == run["header"]


def test_what_lies_beside_is_what_was_recorded(database: Database, expected: dict[str, Any]) -> None:
    """Unfinished streams and requests without an answer are counted by run; the rest can be read."""
    for run in expected["runs"]:
        session_id, run_id = run["sessionId"], run["runId"]
        assert len(read_partials(database, session_id, run_id)) == run["partials"]
        assert len(read_interactions(database, session_id, run_id)) == run["pendingInteractions"]
        journal = read_journal(database, session_id, run_id)
        assert {record.tool_call_id for record in journal} >= {
            decision["toolCallId"] for decision in run["decisions"] if "operationId" in decision
        }
        assert (last_write_ms(database, session_id, run_id) is None) == (not run.get("eventIds", True))
        trace = read_trace(database, session_id, run_id)
        assert [record.line for record in trace] == list(range(1, len(trace) + 1))
        corrupt = any(record.type == "event_corrupt" for record in trace)
        assert not corrupt or expected["workspace"] == "header-damage"


def opened(recorded: Path, name: str) -> Database:
    """Open one recorded database."""
    return open_database(recorded / name / "runtime.sqlite")


def test_a_stream_is_its_prefix_and_its_segments(recorded: Path) -> None:
    """Text as far as it was received, thinking, and a tool's sign of life, each behind its anchor."""
    with opened(recorded, "partial-streams") as database:
        ((run,), _) = list_runs(database)
        streams = read_partials(database, run.session_id, run.run_id)

    assert [(stream.kind, stream.tool_call_id is not None) for stream in streams] == [
        ("thinking", False),
        (None, True),
        ("text", False),
    ]
    assert streams[0].text == "用户想要季度汇总表。"
    assert streams[2].text is not None
    assert streams[2].text.endswith("¥1,204.50")
    assert streams[1].after_event_id == "toolop_4c9be05decd01217bff8a02b379e1c8c_dispatch"


def test_requests_without_an_answer_say_of_what_kind(recorded: Path) -> None:
    """A question and a request to leave the sandbox wait for a person."""
    with opened(recorded, "interaction-pending") as database:
        runs, _ = list_runs(database)
        waiting = [one for run in runs for one in read_interactions(database, run.session_id, run.run_id)]
    assert sorted(request.kind for request in waiting) == ["question", "sandbox_boundary"]
    assert all(json.loads(request.record)["requestId"] == request.request_id for request in waiting)


def test_claims_say_whether_the_continuation_began(recorded: Path) -> None:
    """A claim without a start event was only made."""
    with opened(recorded, "continuations") as database:
        claims = read_claims(database)
        listed = {run.run_id for run in list_runs(database)[0]}

    assert {claim.start_kind for claim in claims} == {None, "runtime_admission", "claim_repair"}
    assert all((claim.start_event_id is None) == (claim.start_kind is None) for claim in claims)
    assert all(claim.target_run_id in listed for claim in claims if claim.start_event_id is not None)
    assert any(claim.target_run_id not in listed for claim in claims)


def test_spawns_lead_from_a_call_to_a_session(recorded: Path) -> None:
    """Helper sessions name the run and the call that started them."""
    with opened(recorded, "child-runs") as database:
        spawns = read_spawns(database)
        parents = {session.session_id: session.parent_session_id for session in read_sessions(database)[0]}
    assert len(spawns) == 2
    assert all(parents[spawn.child_session_id] == spawn.parent_session_id for spawn in spawns)


def test_append_order_holds_every_event_of_a_session(recorded: Path) -> None:
    """With ordinals and, in a database of the time before them, without."""
    for name in ("code-mode-hidden", "release-v0.1.2"):
        with opened(recorded, name) as database:
            for session in read_sessions(database)[0]:
                order = read_append_order(database, session.session_id)
                runs = [run for run in list_runs(database)[0] if run.session_id == session.session_id]
                for run in runs:
                    rows = rows_of(database, run.session_id, run.run_id)
                    ids = [row.event_id for row in rows if isinstance(row, EventRow)]
                    assert [event_id for event_id in order if event_id in set(ids)] == ids
                assert len(order) == sum(run.events for run in runs)


def test_a_refused_row_stands_where_it_is(recorded: Path) -> None:
    """A blob in place of a payload has a finding with its key."""
    with opened(recorded, "payload-damage") as database:
        rows = [row for run in list_runs(database)[0] for row in rows_of(database, run.session_id, run.run_id)]
    (blob,) = [row for row in rows if isinstance(row, EventRow) and damaged_payload(row)]
    assert place_of(blob) == "runtime_events rowid 17, event 602395d5-8c85-485e-a5c6-7f24d0daa027"
