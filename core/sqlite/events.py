"""The event rows of a run in a SQLite database, damaged ones located, missing ones counted (format: tables)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..records.events import RuntimeEvent
from ..storage.findings import Finding
from .database import Database
from .reading import EVENT_TABLE, Lost, Selection, Values, read_batches, read_rows, text
from .schema import Schema

COLUMNS: Final = ("event_id", "invocation_id", "turn_id", "event_seq", "typeof(payload_json)", "payload_json")
"""What is read of a row of a run, behind its key and in this order."""


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
    payload: bytes
    """The event as JSON text, in UTF-8 where it is sound."""
    stored_as: str
    """`text` for a row that is as it should be."""


def holds_events(schema: Schema) -> bool:
    """Tell whether a database has a table whose rows can be told by their run; without it nothing is known of any."""
    return schema.has(EVENT_TABLE, "session_id", "run_id")


def no_events(path: str) -> Finding:
    """Say of a database without such a table that it is damaged: every version of Maka has it."""
    return Finding(
        "table_unreadable", f"there is no table {EVENT_TABLE} as Maka makes it: no event can be read", path=path
    )


def event_batches(database: Database, session_id: str, run_id: str, after: int = 0) -> Iterator[list[Values] | Lost]:
    """Yield the rows of a run in the order of its timeline (format: order), some at a time. Raises ReadStopped.

    A row is its key and `COLUMNS`. Those whose number is not greater than `after` are left out, but for 0.
    """
    wanted = {"session_id": session_id, "run_id": run_id}
    behind = f"event_seq > {after}" if after else "1"
    order = ("event_seq", "event_id")
    return read_batches(database, Selection(EVENT_TABLE, COLUMNS, wanted, behind, order, listing=("event_seq",)))


def as_row(values: Values, session_id: str, run_id: str) -> EventRow:
    """Return a row with its parts named."""
    rowid, event_id, invocation_id, turn_id, sequence, stored_as, payload = values
    return EventRow(
        rowid,
        text(event_id),
        session_id,
        run_id,
        text(invocation_id),
        text(turn_id),
        sequence if isinstance(sequence, int) else 0,
        payload if isinstance(payload, bytes) else text(payload).encode(),
        text(stored_as),
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


def place_of(row: EventRow) -> str:
    """Say for a person which row it is."""
    return f"{EVENT_TABLE} rowid {row.rowid}, event {row.event_id}"


def damaged_payload(row: EventRow, event: RuntimeEvent | None = None) -> Finding | None:
    """Say, without its place in the run, what is wrong with a row that its payload alone does not show."""
    said = None
    if row.stored_as != "text":
        said, field = f"it is stored as {row.stored_as}, not as text", None
    elif event is not None and (field := contradiction(row, event)) is not None:
        said = "it names another id than the columns beside it"
    return None if said is None else Finding("payload_damaged", f"the payload is damaged: {said}", field=field)


def first_invocation(database: Database, session_id: str, run_id: str) -> str | None:
    """Return the invocation of a run's first event; None without one. Raises ReadStopped."""
    wanted = {"session_id": session_id, "run_id": run_id}
    for row in read_rows(database, Selection(EVENT_TABLE, ("invocation_id",), wanted, order=("event_seq",))):
        if not isinstance(row, Lost):
            return text(row[1])
    return None


def count_events(database: Database, session_id: str, run_id: str, up_to: int | None = None) -> int | None:
    """Return how many rows a run has by the index that its timeline is read from; None where that is damaged.

    With `up_to` only those count whose number is not greater.
    """
    behind = "" if up_to is None else f" AND event_seq <= {up_to}"
    return _count(database, _OF_RUN + behind, (session_id, run_id))


def count_missing(database: Database, session_id: str, run_id: str, invocation_id: str) -> int:
    """Return how many rows of a run the timeline's index does not know, by all else that the database holds.

    A page that was lost or replaced may take rows out of an index without any error; an index of its own then still
    knows them. Raises ReadStopped.
    """
    known = count_events(database, session_id, run_id)
    if known is None or known == _count(database, _OF_INVOCATION, (invocation_id,)):
        return 0
    precise = (_count(database, f"{EVENT_TABLE} NOT INDEXED {_WHERE_RUN}", (session_id, run_id)),)
    if precise == (None,):
        both = (invocation_id, session_id, run_id)
        precise = (_count(database, f"{_OF_INVOCATION} AND +session_id = ? AND +run_id = ?", both),)
    return max(0, (precise[0] or 0) - known)


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
_WHERE_RUN: Final = "WHERE session_id = ? AND run_id = ?"
_OF_RUN: Final = f"{EVENT_TABLE} {_WHERE_RUN}"
_OF_INVOCATION: Final = f"{EVENT_TABLE} WHERE invocation_id = ?"


def _count(database: Database, source: str, parameters: tuple[str, ...]) -> int | None:
    try:
        row = database.execute(f"SELECT count(*) FROM {source}", parameters).fetchone()
    except sqlite3.Error:
        return None
    return int(row[0])
