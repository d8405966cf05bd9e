"""A database to which a test writes one run, as Maka does, while something else reads it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing as closing_of
from pathlib import Path
from typing import Any

from tests.support.databases import SCHEMA
from tests.support.runs import header


class LiveDatabase:
    """Writes runs row by row and commits each change. `closing` ends the connection and its log after every change."""

    def __init__(self, root: Path, journal_mode: str = "wal", *, closing: bool = False) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.path = root / "runtime.sqlite"
        self.closing = closing
        self.journal_mode = journal_mode
        self._numbers: dict[str, int] = {}
        self._open: sqlite3.Connection | None = None
        if not self.path.exists():
            self.change(*((statement, ()) for statement in SCHEMA))
        else:
            self._count()

    def change(self, *statements: tuple[str, tuple[object, ...]]) -> None:
        """Run statements in one transaction."""
        if self._open is None:
            self._open = sqlite3.connect(self.path, isolation_level=None)
            self._open.execute(f"PRAGMA journal_mode={self.journal_mode}")
        self._open.execute("BEGIN IMMEDIATE")
        for statement, parameters in statements:
            self._open.execute(statement, parameters)
        self._open.execute("COMMIT")
        if self.closing:
            self.close()

    def _count(self) -> None:
        with closing_of(sqlite3.connect(self.path)) as connection:
            query = "SELECT run_id, max(event_seq) FROM runtime_events GROUP BY run_id"
            self._numbers.update(connection.execute(query).fetchall())

    def rows_of(self, run_id: str) -> int:
        """Return how many rows a run has."""
        return self._numbers.get(run_id, 0)

    def head(self, **changes: Any) -> None:
        """Write the header of a run, anew if it is there."""
        document = header(**changes)
        values = (document["sessionId"], document["runId"], document["createdAt"], json.dumps(document))
        self.change(("INSERT OR REPLACE INTO core_agent_runs VALUES (?,?,?,?)", values))

    def add(self, *rows: dict[str, Any], payload: str | None = None) -> None:
        """Append events to their runs; `payload` takes the place of what each of them says."""
        statements = []
        for row in rows:
            number = self._numbers[row["runId"]] = self._numbers.get(row["runId"], 0) + 1
            values = (
                *(row["id"], row["sessionId"], row["invocationId"], row["runId"], row["turnId"], number, "text"),
                *(json.dumps(row) if payload is None else payload, 1000 + number),
            )
            statements.append(("INSERT INTO runtime_events VALUES (?,?,?,?,?,?,?,?,?)", values))
        self.change(*statements)

    def take_back(self, run_id: str, rows: int) -> None:
        """Delete the last rows of a run."""
        left = max(0, self._numbers.get(run_id, 0) - rows)
        self._numbers[run_id] = left
        self.change(("DELETE FROM runtime_events WHERE run_id = ? AND event_seq > ?", (run_id, left)))

    def close(self) -> None:
        """Close the connection; SQLite then moves its log into the main file."""
        if self._open is not None:
            self._open.close()
            self._open = None
