"""Writes the workspaces that are measured, always the same ones, and nothing that is there already."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from tests.bench.events import Event, RunIds, Script
from tests.support.databases import SCHEMA

_SEED: Final = 7
_BLOCK: Final = 2_000
_WHOLE: Final = ".whole"
"""A file of this name stands beside data that was written to its end."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured."""

    name: str
    events: int
    """Of the large ledger."""
    results: int
    """Of 50 KB each, in a ledger of 3.4 times as many events."""
    runs: int
    run_events: int
    database_events: int

    def as_document(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return asdict(self)


FULL: Final = Sizes("full", 1_000_000, 10_000, 5_000, 200, 100_000)
SMALL: Final = Sizes("small", 6_000, 60, 40, 50, 2_000)


@dataclass(frozen=True, slots=True)
class Data:
    """Where the workspaces are; each is written when somebody first asks for it."""

    folder: Path
    sizes: Sizes

    def mixed(self, share: float = 1.0) -> Path:
        """Return the folder of a run with that share of the large ledger's events; it may be more than all."""
        count = max(20, int(self.sizes.events * share))
        return self._made(f"mixed-{count}", lambda root: _write_run(root, Script(_SEED).events(count)))

    def results(self) -> Path:
        """Return the folder of a run with large results."""
        count, script = self.sizes.results, Script(_SEED, dispatched=False)
        return self._made(f"results-{count}", lambda root: _write_run(root, script.large_results(count, 50_000)))

    def runs(self) -> Path:
        """Return a state root of many runs."""
        name = f"runs-{self.sizes.runs}-{self.sizes.run_events}"
        return self._made(name, lambda root: _write_runs(root, self.sizes.runs, self.sizes.run_events))

    def database(self) -> Path:
        """Return a state root with one run in a SQLite database."""
        count = self.sizes.database_events
        return self._made(f"database-{count}", lambda root: _write_database(root, Script(_SEED).events(count)))

    def _made(self, name: str, write: Any) -> Path:
        place = self.folder / name
        if not (place / _WHOLE).exists():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            write(place)
            (place / _WHOLE).touch()
        return place


def ledger_of(folder: Path) -> Path:
    """Return the ledger file of a run's folder."""
    return folder / "runtime-events.jsonl"


def rows_of(events: Iterator[Event]) -> Iterator[bytes]:
    """Yield the rows of events, with their line feeds."""
    return (orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE) for event in events)


def header_of(ids: RunIds) -> dict[str, Any]:
    """Return a run's header."""
    return {
        "runId": ids.run,
        "invocationId": ids.invocation,
        "sessionId": ids.session,
        "turnId": ids.turn,
        "status": "running",
        "backendKind": "ai-sdk",
        "llmConnectionSlug": "main",
        "modelId": "model",
        "cwd": "/home/dev/projects/harbor",
        "permissionMode": "ask",
        "createdAt": 1_784_365_200_000,
        "updatedAt": 1_784_365_200_000,
    }


def _write_run(folder: Path, events: Iterator[Event], ids: RunIds | None = None) -> None:
    (folder / "run.json").write_bytes(orjson.dumps(header_of(ids or RunIds())))
    with ledger_of(folder).open("wb") as file:
        file.writelines(rows_of(events))


def _write_runs(root: Path, runs: int, events: int) -> None:
    per_session = 50
    for number in range(runs):
        session = f"sess-{number // per_session:04}"
        ids = RunIds(f"run-{number:05}", session, f"turn-{number:05}", f"inv-{number:05}")
        folder = root / "sessions" / session / "runs" / ids.run
        folder.mkdir(parents=True)
        _write_run(folder, Script(_SEED + number, ids, dispatched=number % 2 == 0).events(events), ids)


def _write_database(root: Path, events: Iterator[Event]) -> None:
    ids = RunIds()
    with closing(sqlite3.connect(root / "runtime.sqlite", isolation_level=None)) as connection:
        for statement in SCHEMA:
            connection.execute(statement)
        connection.execute("BEGIN")
        header = orjson.dumps(header_of(ids)).decode()
        connection.execute("INSERT INTO core_agent_runs VALUES (?,?,?,?)", (ids.session, ids.run, 1, header))
        insert = "INSERT INTO runtime_events VALUES (?,?,?,?,?,?,?,?,?)"
        connection.executemany(insert, (_database_row(number, event) for number, event in enumerate(events, 1)))
        connection.execute("COMMIT")


def _database_row(number: int, event: Event) -> tuple[object, ...]:
    ids = (event["id"], event["sessionId"], event["invocationId"], event["runId"], event["turnId"])
    return (*ids, number, "event", orjson.dumps(event).decode(), int(event["ts"]))
