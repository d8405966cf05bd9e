"""Sessions, runs and run headers of a SQLite database (format: tables)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from ..records.json_text import JsonError, parse
from ..storage.findings import Finding
from ..storage.session import as_title
from .database import Database
from .reading import (
    EVENT_TABLE,
    HEADER_TABLE,
    SESSION_TABLE,
    Lost,
    Selection,
    damage,
    number,
    read_rows,
    text,
    text_or_none,
)

CONTROL_SESSION: Final = "maka_workspace_authority"
"""A stream of control events that is no session of a user and has no run header."""


class SessionRow(Struct, frozen=True):
    """One session."""

    session_id: str
    title: str | None
    preview: str | None
    """The beginning of its last message."""
    created_at: float | None
    """Milliseconds since 1970, as are the next two."""
    last_used_at: float | None
    last_message_at: float | None
    archived: bool
    parent_session_id: str | None
    """The session whose run spawned this one."""
    damaged: bool
    """Whether the session's own record is."""


class RunEntry(Struct, frozen=True):
    """A run that the database holds something of."""

    session_id: str
    run_id: str
    has_header: bool
    created_at: float | None
    """Milliseconds since 1970: of the header, or of the first event where there is no header."""
    events: int
    """Event rows by the index; what can be read of them may be less."""
    astray: int = 0
    """How many of these have an id that is no sound text: a question for the run does not find them."""


def read_sessions(database: Database) -> tuple[tuple[SessionRow, ...], tuple[Finding, ...]]:
    """Return every session, oldest first, and what was wrong with their rows. Raises ReadStopped."""
    previews = dict(_previews(database))
    sessions: list[SessionRow] = []
    findings: list[Finding] = []
    for row in read_rows(database, Selection(SESSION_TABLE, _SESSION_COLUMNS, order=("created_at",))):
        if isinstance(row, Lost):
            findings.append(row.finding)
            continue
        _, raw_id, kind, raw_payload, name, created, used, message, archived, parent = row
        session_id = text(raw_id)
        payload = _object(raw_payload) if kind == b"text" else None
        if payload is None or payload.get("id") != session_id:
            payload = None
            said = "the record of a session is damaged; its title comes from the column beside it"
            findings.append(Finding("session_row_damaged", said, detail=f"session {session_id}", path=database.path))
        recorded = payload.get("name") if payload else None
        title = recorded if isinstance(recorded, str) else text_or_none(name)
        sessions.append(
            SessionRow(
                session_id,
                None if title is None else as_title(title),
                previews.get(session_id),
                number(created),
                number(used),
                number(message),
                bool(archived),
                text_or_none(parent),
                payload is None,
            )
        )
    return tuple(sessions), tuple(findings)


def list_runs(database: Database) -> tuple[tuple[RunEntry, ...], tuple[Finding, ...]]:
    """Return every run that has a header or an event, oldest first, and what was wrong. Raises ReadStopped.

    The target of a continuation claim that never started is no run: it has neither.
    """
    findings: list[Finding] = []
    headers = dict(_header_times(database, findings))
    counts = _event_counts(database, findings)
    entries = []
    for session_id, run_id in headers.keys() | counts.keys():
        key = (session_id, run_id)
        if session_id == CONTROL_SESSION:
            continue
        created = headers[key] if key in headers else first_committed_at(database, session_id, run_id)
        entries.append(RunEntry(session_id, run_id, key in headers, created, *counts.get(key, (0, 0))))
    return tuple(sorted(entries, key=lambda run: (run.created_at or 0.0, run.session_id, run.run_id))), tuple(findings)


def read_headers(database: Database) -> dict[tuple[str, str], bytes]:
    """Return the headers of all runs as JSON text, by session and run; those that are damaged are left out.

    Raises ReadStopped.
    """
    selection = Selection(HEADER_TABLE, ("session_id", "run_id", "typeof(record_json)", "record_json"))
    return {
        (text(row[1]), text(row[2])): row[4]
        for row in read_rows(database, selection)
        if not isinstance(row, Lost) and row[3] == b"text"
    }


def read_header(database: Database, session_id: str, run_id: str) -> tuple[bytes | None, tuple[Finding, ...]]:
    """Return a run's header as JSON text, or None and why. Raises ReadStopped."""
    where = f"{HEADER_TABLE}, run {run_id}"
    wanted = {"session_id": session_id, "run_id": run_id}
    selection = Selection(HEADER_TABLE, ("typeof(record_json)", "record_json"), wanted)
    for row in read_rows(database, selection):
        if isinstance(row, Lost):
            said = f"the header cannot be read: {row.finding.message}"
            return None, (Finding("header_unreadable", said, detail=row.finding.detail, path=database.path),)
        _, kind, record = row
        if kind != b"text":
            said = f"the header is stored as {text(kind)}, not as text"
            return None, (Finding("header_unreadable", said, detail=where, path=database.path),)
        return record, ()
    return None, (Finding("header_missing", "the run has no header", detail=where, path=database.path),)


def first_committed_at(database: Database, session_id: str, run_id: str) -> float | None:
    """Return when the first event of a run was committed, milliseconds since 1970."""
    return _committed_at(database, session_id, run_id, "ASC")


def last_committed_at(database: Database, session_id: str, run_id: str) -> float | None:
    """Return when the last event of a run was committed, milliseconds since 1970."""
    return _committed_at(database, session_id, run_id, "DESC")


_SESSION_COLUMNS: Final = (
    "session_id",
    "typeof(payload_json)",
    "payload_json",
    "name",
    "created_at",
    "last_used_at",
    "last_message_at",
    "is_archived",
    "subagent_parent_session_id",
)


def _object(payload: bytes) -> Mapping[str, Any] | None:
    try:
        value = parse(payload.decode("utf-8", "replace"))
    except JsonError:
        return None
    return value if isinstance(value, dict) else None


def _previews(database: Database) -> Iterator[tuple[str, str]]:
    selection = Selection("session_catalog_projection", ("session_id", "last_message_preview"))
    for row in read_rows(database, selection):
        if not isinstance(row, Lost) and row[2] is not None:
            yield text(row[1]), as_title(text(row[2]))


def _header_times(database: Database, findings: list[Finding]) -> Iterator[tuple[tuple[str, str], float | None]]:
    # These columns are all in one index, so that a damaged page of the table hides no run.
    selection = Selection(
        HEADER_TABLE, ("session_id", "run_id", "created_at"), order=("session_id", "created_at", "run_id")
    )
    for row in read_rows(database, selection):
        if isinstance(row, Lost):
            findings.append(row.finding)
        else:
            yield (text(row[1]), text(row[2])), number(row[3])


def _event_counts(database: Database, findings: list[Finding]) -> dict[tuple[str, str], tuple[int, int]]:
    """Count the rows of each run, and those of them that no question for it finds."""
    if not database.schema.has(EVENT_TABLE, "session_id", "run_id"):
        return {}
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    try:
        for row in database.execute(_COUNTS):
            _count(counts, *row)
    except sqlite3.DatabaseError as error:
        findings.append(damage(database, error, f"index of {EVENT_TABLE}"))
        counts = {}
        for values in read_rows(database, Selection(EVENT_TABLE, _OF_RUN)):
            if not isinstance(values, Lost):
                _count(counts, *values[1:], 1)
    return counts


def _count(counts: dict[tuple[str, str], tuple[int, int]], session: object, run: object, *more: object) -> None:
    """Add rows to the count of their run; `more` is how the two ids are stored, and how many rows they are."""
    *stored, rows = more
    key = text(session), text(run)
    found = stored == [b"text", b"text"] and (key[0].encode(), key[1].encode()) == (session, run)
    number = rows if isinstance(rows, int) else 0
    known, astray = counts.get(key, (0, 0))
    counts[key] = known + number, astray + (0 if found else number)


_OF_RUN: Final = ("session_id", "run_id", "typeof(session_id)", "typeof(run_id)")
_COUNTS: Final = f"SELECT {', '.join(_OF_RUN)}, count(*) FROM {EVENT_TABLE} GROUP BY session_id, run_id"


def _committed_at(database: Database, session_id: str, run_id: str, direction: str) -> float | None:
    if not database.schema.has(EVENT_TABLE, "committed_at"):
        return None
    query = (
        f"SELECT committed_at FROM {EVENT_TABLE} WHERE session_id = ? AND run_id = ? "
        f"ORDER BY event_seq {direction} LIMIT 1"
    )
    try:
        row = database.execute(query, (session_id, run_id)).fetchone()
    except sqlite3.DatabaseError:
        return None
    return number(row[0]) if row else None
