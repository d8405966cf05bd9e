"""An opened SQLite database: one read-only snapshot of it, how it was opened, and what was remarked on its storage."""

from __future__ import annotations

import re
import sqlite3
import weakref
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from ..errors import WorkspaceError
from ..storage.beside import Owner
from ..storage.findings import Finding
from .copy import ReadStopped
from .files import DatabaseFiles, look
from .schema import Schema

_STEPS_BETWEEN_STOPS: Final = 20_000
"""Instructions of SQLite's machine, about a millisecond, between two questions whether to stop."""

_HALVES: Final = re.compile("[\ud800-\udfff]")

LARGEST_VALUE: Final = 128 << 20
"""Bytes. A longer value is located and not read: it cannot exhaust the memory."""


class Way(StrEnum):
    """How a database was opened."""

    COPY = "copy"
    """From a private copy."""
    CLONE = "clone"
    """From a private copy that shares its bytes with the original."""
    IN_PLACE = "in_place"
    """Where it lies, with its log, beside writers."""
    IMMUTABLE = "immutable"
    """Where it lies, the main file alone."""
    NONE = "none"
    """Nothing of it can be read."""


class DatabaseClosed(WorkspaceError):
    """A question to a workspace that was closed."""

    code = "workspace_closed"


class Database:
    """A database as it stood at one moment; a context manager. Everything is given back when it is closed or collected.

    Threads may share it. Where nothing can be read (`way` is NONE) the schema is empty and queries are not allowed.
    """

    def __init__(
        self,
        files: DatabaseFiles,
        way: Way,
        connection: sqlite3.Connection | None,
        schema: Schema,
        findings: Sequence[Finding],
        owner: Owner,
        give_back: Sequence[Callable[[], None]],
    ) -> None:
        self.files = files
        """The originals, as they stood when they were read."""
        self.way = way
        self.schema = schema
        self.findings = tuple(findings)
        """Remarks on the storage as a whole."""
        self.owner = owner
        """Whether a process had it open when it was read."""
        self.copy: Path | None = None
        """The main file of the private copy that is read; None where none is."""
        self._connection = connection
        self._finalizer = weakref.finalize(self, _close, connection, tuple(give_back))

    def __repr__(self) -> str:
        return f"Database({str(self.files.main)!r}, {self.way})"

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def path(self) -> str:
        """The original main file."""
        return str(self.files.main)

    @property
    def readable(self) -> bool:
        """Whether any table can be read."""
        return self._connection is not None

    def execute(self, query: str, parameters: Sequence[object] = ()) -> sqlite3.Cursor:
        """Run a query; text comes as bytes. Halves of a character in parameters stand for what is stored for them.

        Raises sqlite3.Error for damage, ReadStopped when told to stop, DatabaseClosed once it is closed.
        """
        connection = self._connection
        if connection is None:
            raise DatabaseClosed("the workspace is closed", path=self.path)
        try:
            return connection.execute(query, [_as_stored(value) for value in parameters])
        except sqlite3.OperationalError as error:
            raise_if_stopped(error)
            raise
        except sqlite3.ProgrammingError as error:
            raise DatabaseClosed("the workspace was closed while it was read", path=self.path) from error

    def close(self) -> None:
        """Close it and remove its private copy; closing twice is harmless."""
        self._connection = None
        self._finalizer()

    def is_steady(self) -> bool:
        """Tell whether everything read so far is of one state. Raises WorkspaceError where the original is gone.

        A copy always is. In place only a writer that was there before us waits for us: one that comes later may change
        pages under our hands, and then the database must be opened again.
        """
        if self.way in (Way.COPY, Way.CLONE, Way.NONE) or (self.way is Way.IN_PLACE and self.owner.alive):
            return True
        return not self.changed()

    def changed(self) -> bool:
        """Tell whether the originals changed since they were read; opens no file. Raises WorkspaceError."""
        now = look(self.files.main)
        return (now.main_stamp, now.wal_stamp, now.journal_stamp) != (
            self.files.main_stamp,
            self.files.wal_stamp,
            self.files.journal_stamp,
        )


def _as_stored(value: object) -> object:
    """Write a text as it is written to a database: UTF-8 has no halves of a character, a sign takes their place."""
    return _HALVES.sub("\ufffd", value) if isinstance(value, str) else value


def raise_if_stopped(error: sqlite3.Error) -> None:
    """Raise ReadStopped where SQLite was interrupted on our wish."""
    if error_code(error) == sqlite3.SQLITE_INTERRUPT:
        raise ReadStopped("reading the database was stopped") from error


def error_code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code; 0 where the error did not come from SQLite itself."""
    code: Any = getattr(error, "sqlite_errorcode", 0)
    return int(code) & 0xFF


class _Connection(sqlite3.Connection):
    """Tells damage as an error of SQLite's also where sqlite3 stumbles over a name in it that is no text."""

    def execute(self, *query: Any) -> sqlite3.Cursor:
        """Run a query."""
        try:
            return super().execute(*query)
        except UnicodeDecodeError as error:
            told = sqlite3.DatabaseError("database disk image is malformed")
            told.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise told from error


def connect(uri: str, stop: Callable[[], bool], patience: float) -> sqlite3.Connection:
    """Connect with everything off that could write, grow or run code of the file. `patience` is in seconds.

    Raises sqlite3.Error.
    """
    connection = sqlite3.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, timeout=patience, factory=_Connection
    )
    try:
        connection.text_factory = bytes
        connection.set_progress_handler(stop, _STEPS_BETWEEN_STOPS)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
        for setting in ("trusted_schema=OFF", "temp_store=MEMORY", "cell_size_check=ON", "mmap_size=0"):
            connection.execute(f"PRAGMA {setting}")
    except BaseException:
        connection.close()
        raise
    return connection


def begin(connection: sqlite3.Connection) -> None:
    """Take one snapshot for everything that follows. Raises sqlite3.Error."""
    connection.execute("PRAGMA query_only=ON")
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _close(connection: sqlite3.Connection | None, give_back: tuple[Callable[[], None], ...]) -> None:
    if connection is not None:
        connection.close()
    for step in give_back:
        step()
