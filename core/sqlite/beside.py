"""What a SQLite database keeps beside its ledger (format: tables). It is shown, and decides nothing.

Nothing here raises on damage: what cannot be read is left out, as the runtime leaves out a bad snapshot.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from operator import itemgetter
from typing import Final

from ..records.json_text import JsonError, parse
from ..storage.beside import JournalRecord, PendingInteraction
from ..storage.lineage import ContinuationClaim, SubagentSpawn
from ..storage.partials import PartialSnapshot, make_snapshot
from ..storage.trace import TraceRecord, trace_record
from .database import Database
from .events import first_invocation
from .reading import Lost, Selection, Values, number, read_rows, text, text_or_none
from .sessions import last_committed_at


def read_partials(database: Database, session_id: str, run_id: str) -> tuple[PartialSnapshot, ...]:
    """Return the unfinished streams of a run; a bad one is skipped (format: tables). Raises ReadStopped."""
    wanted = Selection(
        _SNAPSHOTS,
        ("stream_key", "after_event_id", "payload_json", "text_content", "updated_at"),
        match={"session_id": session_id, "run_id": run_id},
        order=("updated_at", "stream_key"),
    )
    snapshots = []
    for _, key, anchor, payload, prefix, _ in _readable(database, wanted):
        try:
            event = parse(text(payload))
        except JsonError:
            continue
        streamed = text(prefix) + "".join(_segments(database, text(key)))
        snapshots.append(make_snapshot(text(key), event, streamed, text_or_none(anchor)))
    return tuple(snapshot for snapshot in snapshots if snapshot is not None)


def read_interactions(database: Database, session_id: str, run_id: str) -> tuple[PendingInteraction, ...]:
    """Return a run's requests to a person that have no outcome row. Raises ReadStopped."""
    answer = "SELECT 1 FROM core_interaction_outcomes AS o WHERE o.request_id = core_interaction_requests.request_id"
    answers = database.schema.has("core_interaction_outcomes", "request_id")
    wanted = Selection(
        "core_interaction_requests",
        ("request_id", "turn_id", "request_kind", "created_at", "record_json"),
        match={"session_id": session_id, "run_id": run_id},
        condition=f"NOT EXISTS ({answer})" if answers else "1",
        order=("created_at", "request_id"),
    )
    return tuple(
        PendingInteraction(
            text(request_id),
            session_id,
            run_id,
            text(turn_id),
            text(kind),
            number(created),
            text(record).encode(),
            _waiting_call(text(record)),
        )
        for _, request_id, turn_id, kind, created, record in _readable(database, wanted)
    )


def read_trace(database: Database, session_id: str, run_id: str) -> tuple[TraceRecord, ...]:
    """Return the operational trace of a run. Raises ReadStopped."""
    wanted = Selection(
        _TRACE,
        ("sequence", "record_json"),
        match={"session_id": session_id, "run_id": run_id},
        order=("sequence",),
        listing=("sequence",),
    )
    return tuple(
        trace_record(sequence + 1 if isinstance(sequence, int) else 0, text(record))
        for _, sequence, record in _readable(database, wanted)
    )


def read_journal(database: Database, session_id: str, run_id: str) -> tuple[JournalRecord, ...]:
    """Return what the database recorded of a run's operations, in order. Raises ReadStopped."""
    # By the invocation, since no index finds them by their run.
    invocation_id = first_invocation(database, session_id, run_id)
    operations = Selection(
        "tool_operations",
        ("operation_id", "provider_tool_call_id"),
        match={"invocation_id": invocation_id, "run_id": run_id},
    )
    found: list[tuple[int, JournalRecord]] = []
    for _, operation_id, call_id in _readable(database, operations):
        wanted = Selection(
            "tool_journal_events",
            ("state", "committed_at"),
            match={"operation_id": text(operation_id)},
            order=("journal_seq",),
        )
        for key, state, committed in _readable(database, wanted):
            found.append((key, JournalRecord(text(operation_id), text(state), number(committed), text(call_id))))
    return tuple(record for _, record in sorted(found, key=itemgetter(0)))


def read_claims(database: Database) -> tuple[ContinuationClaim, ...]:
    """Return every claim of one run to continue another, oldest first. Raises ReadStopped."""
    columns = (
        "claim_id",
        "source_session_id",
        "source_run_id",
        "source_event_high_water",
        "target_session_id",
        "target_run_id",
        "claimed_at",
        "start_event_id",
        "start_kind",
    )
    wanted = Selection("runtime_continuation_claims", columns, order=("claimed_at", "claim_id"))
    return tuple(
        ContinuationClaim(
            claim_id=text(row[1]),
            source_session_id=text(row[2]),
            source_run_id=text(row[3]),
            source_high_water=number(row[4]),
            target_session_id=text(row[5]),
            target_run_id=text(row[6]),
            claimed_at=number(row[7]),
            start_event_id=text_or_none(row[8]),
            start_kind=text_or_none(row[9]),
        )
        for row in _readable(database, wanted)
    )


def read_spawns(database: Database) -> tuple[SubagentSpawn, ...]:
    """Return which tool calls started which child sessions, oldest first. Raises ReadStopped."""
    columns = ("parent_session_id", "parent_run_id", "tool_call_id", "child_session_id", "initial_run_id", "claimed_at")
    wanted = Selection("subagent_spawns", columns, order=("claimed_at",))
    return tuple(
        SubagentSpawn(text(session), text(run), text(call), text(child), text(child_run), number(claimed))
        for _, session, run, call, child, child_run, claimed in _readable(database, wanted)
    )


def last_write_ms(database: Database, session_id: str, run_id: str) -> float | None:
    """Return the newest time that events, streams or the trace of a run carry, milliseconds since 1970."""
    times = [last_committed_at(database, session_id, run_id)]
    times += (_newest(database, table, column, session_id, run_id) for table, column in _TIMES)
    return max((time for time in times if time is not None), default=None)


_SNAPSHOTS: Final = "runtime_partial_snapshots"
_TRACE: Final = "core_agent_run_events"
_TIMES: Final = ((_SNAPSHOTS, "updated_at"), (_TRACE, "event_ts"))


def _waiting_call(record: str) -> str | None:
    """Return the call that a request names as waiting for it."""
    try:
        value = parse(record)
    except JsonError:
        return None
    request = value.get("request") if isinstance(value, dict) else None
    call_id = request.get("toolUseId") if isinstance(request, dict) else None
    return call_id if isinstance(call_id, str) else None


def _newest(database: Database, table: str, column: str, session_id: str, run_id: str) -> float | None:
    if not database.schema.has(table, column, "session_id", "run_id"):
        return None
    query = f"SELECT max({column}) FROM {table} WHERE session_id = ? AND run_id = ?"
    try:
        (newest,) = database.execute(query, (session_id, run_id)).fetchone()
    except sqlite3.DatabaseError:
        return None
    return number(newest)


def _segments(database: Database, stream_key: str) -> Iterator[str]:
    wanted = Selection(
        "runtime_partial_segments",
        ("text_content",),
        match={"stream_key": stream_key},
        order=("segment_seq",),
        listing=("segment_seq",),
    )
    return (text(content) for _, content in _readable(database, wanted))


def _readable(database: Database, selection: Selection) -> Iterator[Values]:
    return (row for row in read_rows(database, selection) if not isinstance(row, Lost))
