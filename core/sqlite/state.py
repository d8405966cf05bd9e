"""One database held open for all runs of a workspace, and what is read of it once for all of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from ..errors import HeaderDecodeError, WorkspaceError
from ..records.codec import decode_run_header
from ..records.headers import RunHeader
from ..storage.beside import Owner
from ..storage.findings import Finding
from ..storage.lineage import RunKey
from .database import Database
from .files import DatabaseFiles, look
from .heads import read_heads
from .in_place import is_held
from .owner import find_owner
from .schema import Schema
from .sessions import RunEntry, list_runs, read_header, read_headers

Header: TypeAlias = tuple[RunHeader | None, tuple[Finding, ...]]
"""A header, or None and what is wrong with it."""

T = TypeVar("T")

_TRIES: Final = 3


class SqliteState:
    """Answers questions from one state of a database; one that changes under our hands is opened again.

    `open_database` opens it, now and later. Threads may share it. Raises what `open_database` raises.
    """

    def __init__(self, open_database: Callable[[], Database]) -> None:
        self._open = open_database
        self._opening = threading.Lock()
        self._database = open_database()
        self._closed = False
        self._heads: bytes | None = None
        self._sure = False
        self.opened = 1
        """How often the database was opened."""

    def ask(self, question: Callable[[Database], T]) -> tuple[T, bool]:
        """Return the answer to a question, and whether all of it is of one state. Raises WorkspaceError."""
        for _ in range(_TRIES):
            database = self._database
            answer = question(database)
            if _is_steady(database):
                return answer, True
            if not self._opened_again(database):
                break
        return answer, False

    def read(self, question: Callable[[Database], T]) -> T:
        """Return the answer to a question that decides nothing. Raises WorkspaceError."""
        return self.ask(question)[0]

    def refresh(self, now_ns: int) -> int:
        """Open the database again if it may hold something else by now; return how often it was opened so far.

        Where nothing was written, and the same process has it open, its files are only looked at. `now_ns` is the
        time, nanoseconds since 1970. Raises WorkspaceError where it cannot be opened; what was read before stays.
        """
        with self._opening:
            files = look(self._database.files.main)
            heads = read_heads(files)
            written = self._heads != heads or not self._sure or self._database.changed()
            if written or _owner(files) not in (None, self._database.owner):
                self._database = self._open()
                self._heads, self._sure = heads, files.settled(now_ns)
                self.opened += 1
                for name in ("listed", "headers"):
                    self.__dict__.pop(name, None)
        return self.opened

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Remarks on the storage as a whole, as it was opened last."""
        return self._database.findings

    @property
    def copied(self) -> tuple[Path, DatabaseFiles] | None:
        """The private copy that is read, and the originals as they stood then; None where none is read."""
        database = self._database
        return None if database.copy is None else (database.copy, database.files)

    @property
    def owner(self) -> Owner:
        """Whether a process had the database open when it was opened last."""
        return self._database.owner

    @property
    def path(self) -> str:
        """The original main file."""
        return self._database.path

    @property
    def size(self) -> int:
        """Bytes of the database."""
        return self._database.files.size

    @property
    def schema(self) -> Schema:
        """Its tables and versions."""
        return self._database.schema

    @cached_property
    def listed(self) -> tuple[tuple[RunEntry, ...], tuple[Finding, ...]]:
        """Every run that the database holds something of, and what was wrong with the lists of them."""
        return self.read(list_runs)

    def header(self, session_id: str, run_id: str) -> Header:
        """Return a run's header as the database has it."""
        known = self.headers.get((session_id, run_id))
        if known is not None:
            return known
        record, findings = self.read(lambda database: read_header(database, session_id, run_id))
        return _decoded(record, (session_id, run_id), self.path) if record is not None else (None, findings)

    @cached_property
    def headers(self) -> Mapping[RunKey, Header]:
        """The headers of all runs but those whose row cannot be fetched with the others."""
        records = self.read(read_headers)
        return {key: _decoded(record, key, self.path) for key, record in records.items()}

    def close(self) -> None:
        """Close the database and remove its private copy; closing twice is harmless."""
        self._closed = True
        self._database.close()

    def _opened_again(self, seen: Database) -> bool:
        """Open the database again unless another thread has done so; tell whether there is another now."""
        with self._opening:
            if self._database is seen and not self._closed:
                try:
                    self._database = self._open()
                except WorkspaceError:
                    return False
            return self._database is not seen


def _owner(files: DatabaseFiles) -> Owner | None:
    """Ask who has a database open; None where it is open in place, for asking would drop our locks."""
    if files.main_stamp is None or is_held(files.main_stamp.identity):
        return None
    return find_owner(files)


def _is_steady(database: Database) -> bool:
    try:
        return database.is_steady()
    except WorkspaceError:
        return False


def _decoded(record: bytes, key: RunKey, path: str) -> Header:
    where = f"core_agent_runs, run {key[1]}"
    try:
        header = decode_run_header(record)
    except HeaderDecodeError as error:
        place = f"{where}, byte {error.offset:,}" if error.offset is not None else where
        return None, (Finding("header_unreadable", error.message, field=error.field, detail=place, path=path),)
    wrong = "$.sessionId" if header.session_id != key[0] else "$.runId" if header.run_id != key[1] else None
    if wrong is not None:
        said = "the header names another run than its place"
        return None, (Finding("header_unreadable", said, field=wrong, detail=where, path=path),)
    return header, ()
