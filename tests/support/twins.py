"""The runs of a state root of JSONL files, written into a database with the same rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.errors import EventDecodeError
from core.records.codec import decode_event
from core.records.json_text import classify
from core.storage.line_reader import is_blank
from tests.support.databases import SCHEMA, Statement, plain, write_database

_TABLES = """
CREATE TABLE core_agent_run_events (session_id TEXT NOT NULL, run_id TEXT NOT NULL, sequence INTEGER NOT NULL,
    event_ts INTEGER, record_json TEXT NOT NULL, PRIMARY KEY (session_id, run_id, sequence));
CREATE TABLE runtime_partial_snapshots (stream_key TEXT PRIMARY KEY, session_id TEXT NOT NULL, run_id TEXT NOT NULL,
    after_event_id TEXT, payload_json TEXT NOT NULL, text_content TEXT NOT NULL, updated_at INTEGER NOT NULL)
"""


def as_database(root: Path, main: Path) -> Path:
    """Write every run under `root` into a new database at `main`, torn rows left out, and return it."""
    # Files may hold an id twice, which Maka's own tables would refuse.
    loose = [
        made.replace(" PRIMARY KEY,", ",", 1).replace(", UNIQUE (invocation_id, event_seq)", "") for made in SCHEMA
    ]
    statements = [*plain(*loose[:1], *SCHEMA[1:]), *plain(*_TABLES.strip().split(";"))]
    for folder in sorted(root.glob("sessions/*/runs/*")):
        statements += _run(folder, folder.parent.parent.name, folder.name)
    return write_database(main, statements)


def _run(folder: Path, session_id: str, run_id: str) -> Iterator[Statement]:
    header = folder / "run.json"
    if header.exists():
        record = header.read_text(encoding="utf-8", errors="replace")
        yield "INSERT INTO core_agent_runs VALUES (?,?,?,?)", (session_id, run_id, 1, record)
    ledger = folder / "runtime-events.jsonl"
    if ledger.exists():
        rows = [row for row in _whole(ledger.read_bytes()).split(b"\n") if not is_blank(row)]
        for number, row in enumerate(rows, start=1):
            yield from _event(row, number, session_id, run_id)
    trace = folder / "events.jsonl"
    if trace.exists():
        for number, line in enumerate(trace.read_text(encoding="utf-8").splitlines()):
            values = (session_id, run_id, number, 1, line)
            yield "INSERT INTO core_agent_run_events VALUES (?,?,?,?,?)", values
    for partial in sorted(path for path in (folder / "runtime-partials").glob("*.partial") if path.is_file()):
        head, _, streamed = partial.read_text(encoding="utf-8", errors="replace").partition("\n")
        yield from _partial(partial.name, head, streamed, session_id, run_id)


def _whole(ledger: bytes) -> bytes:
    """Leave out a torn last row: a database holds a row or it does not."""
    head, line_feed, last = ledger.rpartition(b"\n")
    return head + line_feed if classify(last.decode("utf-8", "replace")) == "incomplete-prefix" else ledger


def _event(row: bytes, number: int, session_id: str, run_id: str) -> Iterator[Statement]:
    """Yield a row; one that is no event gets columns of which nothing is known."""
    event_id, invocation_id, turn_id = f"row-{number}", run_id, "turn"
    try:
        event = decode_event(row)
        event_id, invocation_id, turn_id = event.id, event.invocation_id, event.turn_id
    except EventDecodeError:
        pass
    text = row.decode("utf-8", "replace")
    values = (event_id, session_id, invocation_id, run_id, turn_id, number, "text", text, 1)
    yield "INSERT INTO runtime_events VALUES (?,?,?,?,?,?,?,?,?)", values


def _partial(name: str, head: str, streamed: str, session_id: str, run_id: str) -> Iterator[Statement]:
    try:
        value: Any = json.loads(head)
        event, anchor = json.dumps(value["event"]), value.get("afterEventId")
    except (ValueError, TypeError, KeyError):
        return
    values = (f"{run_id}/{name}", session_id, run_id, anchor, event, streamed, 1)
    yield "INSERT INTO runtime_partial_snapshots VALUES (?,?,?,?,?,?,?)", values
