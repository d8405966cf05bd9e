"""The event rows of a run in a SQLite database, one by one, damaged ones located (format: tables)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Final, NamedTuple

from .events import RuntimeEvent
from .findings import Finding
from .sqlite_database import Database
from .sqlite_reading import EVENT_TABLE, Lost, Selection, number, read_rows, text

_COLUMNS: Final = (
    "event_id",
    "invocation_id",
    "turn_id",
    "event_seq",
    "event_kind",
    "committed_at",
    "typeof(payload_json)",
    "payload_json",
)


class EventRow(NamedTuple):
    """One row of `runtime_events`. The ids repeat what the payload says; they may differ from it."""

    rowid: int
    event_id: str
    session_id: str
    run_id: str
    invocation_id: str
    turn_id: str
    sequence: int
    """From 1 within the invocation."""
    kind: str
    committed_at: float | None
    """Milliseconds since 1970."""
    payload: bytes
    """The event as JSON text, in UTF-8 where it is sound."""
    finding: Finding | None
    """Why the payload may not be decoded; None for a row that is as it should be."""


def read_events(database: Database, session_id: str, run_id: str) -> Iterator[EventRow | Lost]:
    """Yield the rows of a run in the order of its timeline (format: order). Raises ReadStopped."""
    selection = Selection(
        EVENT_TABLE,
        _COLUMNS,
        match={"session_id": session_id, "run_id": run_id},
        order=("event_seq", "event_id"),
        listing=("event_seq",),
    )
    for row in read_rows(database, selection):
        if isinstance(row, Lost):
            yield row
            continue
        rowid, event_id, invocation_id, turn_id, sequence, kind, committed_at, payload_type, payload = row
        sound = payload_type == b"text"
        yield EventRow(
            rowid,
            text(event_id),
            session_id,
            run_id,
            text(invocation_id),
            text(turn_id),
            sequence if isinstance(sequence, int) else 0,
            text(kind),
            number(committed_at),
            payload if isinstance(payload, bytes) else text(payload).encode(),
            None if sound else _not_text(database, rowid, text(event_id), text(payload_type)),
        )


def event_payload(database: Database, rowid: int) -> bytes | None:
    """Fetch the payload of one row again; None where it is no longer to be had. Raises ReadStopped."""
    try:
        row = database.execute(f"SELECT payload_json FROM {EVENT_TABLE} WHERE rowid = ?", (rowid,)).fetchone()
    except sqlite3.Error:
        return None
    if row is None:
        return None
    return row[0] if isinstance(row[0], bytes) else text(row[0]).encode()


def payload_damaged(database: Database, row: EventRow, complaint: str, field: str | None = None) -> Finding:
    """Return the finding for a payload that the decoder refused."""
    said = f"the payload of an event is damaged: {complaint}"
    return Finding("payload_damaged", said, field=field, detail=_place(row.rowid, row.event_id), path=database.path)


def contradiction(row: EventRow, event: RuntimeEvent) -> str | None:
    """Return the JSON path of the first id in an event that is not the one in its row's columns, or None."""
    if event.id != row.event_id:
        return "$.id"
    if event.session_id != row.session_id:
        return "$.sessionId"
    if event.invocation_id != row.invocation_id:
        return "$.invocationId"
    if event.run_id != row.run_id:
        return "$.runId"
    if event.turn_id != row.turn_id:
        return "$.turnId"
    return None


def read_append_order(database: Database, session_id: str) -> tuple[str, ...]:
    """Return the ids of a session's events in the order in which they were written (format: order).

    Where the database keeps no ordinals, rows are in the order of their keys. Raises ReadStopped; damage ends the list.
    """
    if database.schema.has(_ORDINALS, "session_id", "ordinal", "event_id"):
        query = f"SELECT event_id FROM {_ORDINALS} WHERE session_id = ? ORDER BY ordinal"
    elif database.schema.has(EVENT_TABLE):
        query = f"SELECT event_id FROM {EVENT_TABLE} WHERE session_id = ? ORDER BY rowid"
    else:
        return ()
    ids: list[str] = []
    try:
        ids.extend(text(event_id) for (event_id,) in database.execute(query, (session_id,)))
    except sqlite3.DatabaseError:
        return tuple(ids)
    return tuple(ids)


_ORDINALS: Final = "runtime_session_event_ordinals"


def _not_text(database: Database, rowid: int, event_id: str, found: str) -> Finding:
    said = f"the payload of an event is damaged: it is stored as {found}, not as text"
    return Finding("payload_damaged", said, detail=_place(rowid, event_id), path=database.path)


def _place(rowid: int, event_id: str) -> str:
    return f"{EVENT_TABLE} rowid {rowid}, event {event_id}"
