"""Small SQLite databases with Maka's tables, written by real SQLite; crashed ones by a process that is killed."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from core.sqlite.database import Database
from core.sqlite.events import EventRow, as_row, event_batches
from core.sqlite.reading import Lost

Statement = tuple[str, Sequence[object]]

_TABLES = """
CREATE TABLE runtime_events (event_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, invocation_id TEXT NOT NULL,
    run_id TEXT NOT NULL, turn_id TEXT NOT NULL, event_seq INTEGER NOT NULL, event_kind TEXT NOT NULL,
    payload_json TEXT NOT NULL, committed_at INTEGER NOT NULL, UNIQUE (invocation_id, event_seq));
CREATE INDEX runtime_events_by_run ON runtime_events(session_id, run_id, event_seq);
CREATE TABLE core_agent_runs (session_id TEXT NOT NULL, run_id TEXT NOT NULL, created_at INTEGER NOT NULL,
    record_json TEXT NOT NULL, PRIMARY KEY (session_id, run_id));
CREATE INDEX core_agent_runs_session_order ON core_agent_runs(session_id, created_at, run_id);
CREATE TABLE session_metadata (session_id TEXT PRIMARY KEY, payload_json TEXT NOT NULL, name TEXT NOT NULL,
    created_at INTEGER NOT NULL);
CREATE TABLE operational_schema_migrations (scope TEXT PRIMARY KEY, version INTEGER NOT NULL);
INSERT INTO operational_schema_migrations VALUES ('runtime', 12);
PRAGMA user_version = 12
"""

SCHEMA = tuple(statement.strip() for statement in _TABLES.split(";"))
"""Enough of Maka's tables for one run; as of its version 12."""

_CHILD = """
import json, sqlite3, sys
path, statements = json.loads(sys.stdin.readline())
connection = sqlite3.connect(path, isolation_level=None)
for statement, parameters in statements:
    connection.execute(statement, parameters).fetchall()
print("written", flush=True)
sys.stdin.readline()
"""


def plain(*statements: str) -> list[Statement]:
    """Return statements without parameters."""
    return [(statement, ()) for statement in statements]


def add_event(number: int, *, run: str = "run-1", session: str = "sess-1", payload: str | None = None) -> Statement:
    """Return the statement that adds the event `number` of a run; its payload names the same ids."""
    event_id = f"{run}-event-{number}"
    text = json.dumps({"id": event_id, "sessionId": session, "runId": run}) if payload is None else payload
    values = (event_id, session, run, run, "turn-1", number, "text", text, 1000 + number)
    return "INSERT INTO runtime_events VALUES (?,?,?,?,?,?,?,?,?)", values


def add_header(run: str = "run-1", *, session: str = "sess-1", created_at: int = 1) -> Statement:
    """Return the statement that adds a run's header."""
    record = json.dumps({"runId": run, "sessionId": session, "status": "running"})
    return "INSERT INTO core_agent_runs VALUES (?,?,?,?)", (session, run, created_at, record)


def add_session(session: str = "sess-1", *, name: str = "A title", payload: str | None = None) -> Statement:
    """Return the statement that adds a session."""
    text = json.dumps({"id": session, "name": name}) if payload is None else payload
    return "INSERT INTO session_metadata VALUES (?,?,?,?)", (session, text, name, 1)


def run_of(events: int, *, run: str = "run-1", session: str = "sess-1") -> list[Statement]:
    """Return the statements that add a run of so many events, its header first."""
    return [add_header(run, session=session), *(add_event(n, run=run, session=session) for n in range(1, events + 1))]


def write_database(path: Path, statements: Iterable[Statement], journal_mode: str = "wal") -> Path:
    """Write a database and close it: no log is left beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA journal_mode={journal_mode}")
        for statement, parameters in statements:
            connection.execute(statement, parameters).fetchall()
    return path


def crash_database(path: Path, statements: Iterable[Statement], journal_mode: str = "wal") -> Path:
    """Let a process write a database, kill it, and return the database as it was left."""
    with LiveWriter(path, statements, journal_mode):
        pass
    return path


class LiveWriter:
    """A process that has written a database and still has it open; leaving the context kills it."""

    def __init__(self, path: Path, statements: Iterable[Statement], journal_mode: str = "wal") -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        work = [*plain(f"PRAGMA journal_mode={journal_mode}"), *statements]
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([str(path), work]) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "written\n"

    def __enter__(self) -> LiveWriter:
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.communicate()


def rows_of(database: Database, session: str = "sess-1", run: str = "run-1") -> list[EventRow | Lost]:
    """Return all rows of a run, those that are lost included."""
    found: list[EventRow | Lost] = []
    for batch in event_batches(database, session, run):
        found += [batch] if isinstance(batch, Lost) else [as_row(values, session, run) for values in batch]
    return found


def log_of(main: Path) -> Path:
    """Return the log beside a main file."""
    return main.with_name(main.name + "-wal")


def index_of(main: Path) -> Path:
    """Return the shared-memory index beside a main file."""
    return main.with_name(main.name + "-shm")


def flip(path: Path, offset: int, mask: int = 0xFF) -> None:
    """Change one byte of a file."""
    data = bytearray(path.read_bytes())
    data[offset] ^= mask
    path.write_bytes(data)


def cut(path: Path, size: int) -> None:
    """Cut a file to a size."""
    path.write_bytes(path.read_bytes()[:size])


def twin(main: Path, folder: Path) -> Path:
    """Copy a database with its log and index into a new folder, with file times, and return its main file."""
    shutil.copytree(main.parent, folder)
    return folder / main.name
