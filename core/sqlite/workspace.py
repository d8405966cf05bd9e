"""A workspace in a SQLite database: its sessions and runs, and what is remarked on its storage (format: tables).

Until the middle of 2026 Maka kept parts of a workspace in files beside the database: headers, traces and names of
sessions, in the oldest of these versions whole ledgers. They are read where the database does not hold them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Final

from ..errors import WorkspaceError
from ..records.headers import RunHeader
from ..storage.findings import COMMITS_LOST, Finding
from ..storage.jsonl_workspace import jsonl_run, session_title, subfolders
from ..storage.lineage import Family, RunKey
from ..storage.run import Run, Surroundings
from ..storage.session import Session
from .beside import read_claims, read_spawns
from .events import holds_events, no_events, read_append_order
from .opening import open_database
from .payloads import damaged_payloads
from .reading import EVENT_TABLE, HEADER_TABLE, SESSION_TABLE, damaged_tables
from .run import SqliteRunStorage, files_of_run
from .sessions import SessionRow, read_sessions
from .state import SqliteState

SESSIONS_FILE: Final = "sessions.sqlite"
"""Where the oldest versions kept their sessions."""

PAYLOADS_WALKED: Final = 16 << 20
"""Bytes of a database up to which the remarks on it name every damaged payload; in a larger one its run does."""

FIRST_ALONE: Final = 5
"""Version of the runtime tables since which the database alone holds the ledgers."""

_OF_EVERY_RUN: Final = COMMITS_LOST | {"states_mixed", "still_changing"}


class SqliteWorkspace:
    """The parts of a workspace that lies in the database at `main`. Raises as `open_database` when it is made."""

    def __init__(self, main: Path, copy_limit: int, stop: Callable[[], bool], state: SqliteState | None = None) -> None:
        """Open the database, or go on with one that is open already."""
        self._main = main
        self._root = main.parent
        self._limits = (copy_limit, stop)
        self._open = partial(open_database, copy_limit=copy_limit, stop=stop)
        self._state = state or SqliteState(partial(self._open, main))
        self._family = Family(
            self._headers, lambda: self._state.read(read_spawns), lambda: self._state.read(read_claims)
        )

    @cached_property
    def sessions(self) -> tuple[Session, ...]:
        """Every session that the database names or has runs of, in the order in which they were made."""
        rows = {row.session_id: row for row in self._session_rows[0]}
        runs: dict[str, list[Run]] = {session_id: [] for session_id in rows}
        for session_id, run_id in self._keys:
            runs.setdefault(session_id, []).append(self._run(session_id, run_id))
        return tuple(self._session(session_id, rows.get(session_id), own) for session_id, own in runs.items())

    def findings(self) -> tuple[Finding, ...]:
        """Return the remarks on the storage as a whole, damaged headers and payloads included."""
        state = self._state
        found = [*state.findings, *state.read(damaged_tables), *self._session_rows[1], *state.listed[1]]
        found += (finding for run in self._runs() for finding in run.findings if finding.code == "header_unreadable")
        if state.size <= PAYLOADS_WALKED:
            found += state.read(damaged_payloads)
        if state.schema.tables and not holds_events(state.schema) and not self._ledgers_in_files:
            found.append(no_events(state.path))
        found += self._ledgers_beside()
        return tuple(dict.fromkeys(found))

    @property
    def opened(self) -> int:
        """What `state` returned last, or would have."""
        return self._state.opened

    def state(self) -> int:
        """Return a number that changes whenever the database may hold something else. Raises WorkspaceError."""
        return self._state.refresh(time.time_ns())

    def again(self) -> SqliteWorkspace:
        """Return the workspace as the database holds it now; both share it, and closing one closes it for both."""
        return SqliteWorkspace(self._main, *self._limits, self._state)

    def close(self) -> None:
        """Close the database and remove its private copy; closing twice is harmless."""
        self._state.close()

    def find(self, key: RunKey) -> Run | None:
        """Return a run by its session and id; None where there is none."""
        return self._run(*key) if key in self._keys else None

    def _runs(self) -> Iterator[Run]:
        return (run for session in self.sessions for run in session.runs)

    def _headers(self) -> Iterable[tuple[str, str, RunHeader]]:
        return [(run.session_id, run.run_id, run.header) for run in self._runs() if run.header is not None]

    @cached_property
    def _session_rows(self) -> tuple[tuple[SessionRow, ...], tuple[Finding, ...]]:
        older = self._root / SESSIONS_FILE
        if self._state.schema.has(SESSION_TABLE) or not older.is_file():
            return self._state.read(read_sessions)
        try:
            with self._open(older) as database:
                rows, findings = read_sessions(database)
                return rows, (*database.findings, *findings)
        except WorkspaceError as error:
            said = f"the names of the sessions cannot be read: {error.message}"
            return (), (Finding("table_unreadable", said, path=str(older)),)

    @cached_property
    def _in_files(self) -> dict[RunKey, None]:
        """Session and id of every run that has its header in a file; none where the database holds the headers."""
        if not self._state.schema.has(EVENT_TABLE) or any(entry.has_header for entry in self._state.listed[0]):
            return {}
        return dict.fromkeys(_runs_in_files(self._root))

    @cached_property
    def _keys(self) -> tuple[RunKey, ...]:
        """Session and id of every run, the oldest first, those in files alone at last."""
        keys = [(entry.session_id, entry.run_id) for entry in self._state.listed[0]]
        return tuple(dict.fromkeys((*keys, *self._in_files)))

    def _run(self, session_id: str, run_id: str) -> Run:
        key = (session_id, run_id)
        files = files_of_run(self._root, *key) if key in self._in_files else None
        around = Surroundings(self.state, lambda: self.again().find(key))
        if files is not None and self._ledgers_in_files and key not in self._with_events:
            return jsonl_run(files.folder, lineage=self._family.of, surroundings=around)
        lost = [finding for finding in self._state.findings if finding.code in _OF_EVERY_RUN]
        if key in self._astray:
            said = "rows of this run have a damaged id and cannot be told from those of others"
            lost.append(Finding("rows_missing", said, detail=f"{self._astray[key]:,} in all", path=self._state.path))
        return Run(*key, SqliteRunStorage(self._state, *key, files), tuple(lost), self._family.of, around)

    @cached_property
    def _astray(self) -> dict[RunKey, int]:
        """How many rows of a run cannot be asked for, by its session and id."""
        return {(entry.session_id, entry.run_id): entry.astray for entry in self._state.listed[0] if entry.astray}

    @property
    def _ledgers_in_files(self) -> bool:
        """Whether this was written by a version that kept its ledgers in files, unless it was told otherwise."""
        schema = self._state.schema
        return 0 < schema.user_version < FIRST_ALONE and not schema.has(HEADER_TABLE)

    @cached_property
    def _with_events(self) -> frozenset[RunKey]:
        return frozenset((entry.session_id, entry.run_id) for entry in self._state.listed[0] if entry.events)

    def _session(self, session_id: str, row: SessionRow | None, runs: Iterable[Run]) -> Session:
        return Session(
            session_id,
            lambda: row.title if row else self._title_in_file(session_id),
            tuple(runs),
            preview=row.preview if row else None,
            parent_session_id=row.parent_session_id if row else None,
            event_order=lambda: self._state.read(lambda database: read_append_order(database, session_id)),
        )

    def _title_in_file(self, session_id: str) -> str | None:
        known = any(session_id == session for session, _ in self._in_files)
        return session_title(self._root / "sessions" / session_id) if known else None

    def _ledgers_beside(self) -> Iterator[Finding]:
        """Say that there are ledgers in files which Maka no longer reads."""
        if self._ledgers_in_files:
            return
        for session_id, run_id in _runs_in_files(self._root):
            files = files_of_run(self._root, session_id, run_id)
            if files is not None and os.path.lexists(files.folder.ledger):
                said = "ledgers in JSONL files lie beside the database: they are stale and not shown"
                yield Finding("jsonl_beside", said, path=str(self._root / "sessions"))
                return


def _runs_in_files(root: Path) -> Iterator[RunKey]:
    sessions, _ = subfolders(root / "sessions")
    for session_id in sessions:
        runs, _ = subfolders(root / "sessions" / session_id / "runs")
        yield from ((session_id, run_id) for run_id in runs)
