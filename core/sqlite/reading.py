"""Reading rows of a table that may be damaged: what can be fetched is, and what cannot is located and never fatal.

Rows come in one query as long as that works. When it fails, their keys are listed from an index (or from the table
where the index is the damaged part) and each row is fetched alone.
"""

from __future__ import annotations

import math
import sqlite3
from array import array
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, TypeAlias

from msgspec import Struct, field

from ..storage.findings import Finding
from .database import Database, DatabaseClosed, error_code, raise_if_stopped

Values: TypeAlias = tuple[Any, ...]

EVENT_TABLE: Final = "runtime_events"
HEADER_TABLE: Final = "core_agent_runs"
SESSION_TABLE: Final = "session_metadata"

_BATCH: Final = 1 << 17
"""Bytes of last columns, about."""
_SMALL: Final = 256
_ROWID: Final = itemgetter(0)


class Lost(Struct, frozen=True):
    """A row that cannot be fetched."""

    rowid: int | None
    """Its key; None where not even that is known: then it stands for all rows that should follow."""
    finding: Finding
    """What is wrong, and what is known of the row."""


class Selection(Struct, frozen=True):
    """Which rows of a table to read."""

    table: str
    columns: Sequence[str]
    """Columns, or `typeof(column)`; one that the table does not have reads as NULL."""
    match: Mapping[str, object] = field(default_factory=dict)
    """Values by column that the rows must have; where such a column is missing there are no rows."""
    condition: str = "1"
    """A further condition in SQL."""
    order: Sequence[str] = ()
    """Columns to order by, the rowid last; one that the table does not have is left out."""
    listing: Sequence[str] = ()
    """Columns that order the rows as far as one index alone can; they also describe a row that is lost."""

    @property
    def where(self) -> str:
        """The whole condition in SQL."""
        return " AND ".join((*(f"{column} = ?" for column in self.match), self.condition))

    @property
    def parameters(self) -> tuple[object, ...]:
        """The values of its placeholders."""
        return tuple(self.match.values())


def read_rows(database: Database, selection: Selection) -> Iterator[Values | Lost]:
    """Yield the rows of a selection in order, each with its rowid first. Raises ReadStopped."""
    for batch in read_batches(database, selection):
        if isinstance(batch, Lost):
            yield batch
        else:
            yield from batch


def read_batches(database: Database, selection: Selection) -> Iterator[list[Values] | Lost]:
    """Yield the rows of a selection as `read_rows` does, some at a time. Raises ReadStopped.

    A batch is as small as its last column is large: it holds some hundred KiB and at most one large value.
    """
    if not database.schema.has(selection.table, *selection.match):
        return
    known = database.schema.tables[selection.table]
    fields = [name if name.removeprefix("typeof(").removesuffix(")") in known else "NULL" for name in selection.columns]
    start = f"SELECT rowid, {', '.join(fields)} FROM {selection.table}"
    order = ", ".join((*(name for name in selection.order if name in known), "rowid"))
    done = array("q")
    batch: list[Values] = []
    held = 0
    try:
        query = f"{start} WHERE {selection.where} ORDER BY {order}"
        for row in fetch(database, query, selection.parameters):
            batch.append(row)
            held += len(row[-1]) if type(row[-1]) is bytes else _SMALL
            if held > _BATCH:
                done.extend(map(_ROWID, batch))
                yield batch
                batch, held = [], 0
    except sqlite3.Error as error:
        done.extend(map(_ROWID, batch))
        yield batch
        for salvaged in _salvage(database, selection, start, set(done), error):
            yield salvaged if isinstance(salvaged, Lost) else [salvaged]
        return
    yield batch


def fetch(database: Database, query: str, parameters: Sequence[object]) -> Iterator[Values]:
    """Yield the rows of a query. Raises sqlite3.Error for damage, ReadStopped, DatabaseClosed."""
    cursor = database.execute(query, parameters)
    try:
        yield from cursor
    except sqlite3.OperationalError as error:
        raise_if_stopped(error)
        raise
    except sqlite3.ProgrammingError as error:
        raise DatabaseClosed("the workspace was closed while it was read", path=database.path) from error
    finally:
        cursor.close()


def damaged_tables(
    database: Database, tables: Sequence[str] = (EVENT_TABLE, HEADER_TABLE, SESSION_TABLE)
) -> list[Finding]:
    """Walk through the pages of tables, without their overflow pages, and say which tables are damaged.

    Raises ReadStopped. Fast enough for opening: about a millisecond for some thousand rows.
    """
    found = []
    for table in tables:
        if not database.schema.has(table):
            continue
        try:
            database.execute(f"SELECT count(*) FROM {table} NOT INDEXED").fetchone()
        except sqlite3.Error as error:
            found.append(damage(database, error, f"table {table}"))
    return found


def damage(database: Database, error: sqlite3.Error, what: str) -> Finding:
    """Return the finding for something that could not be fetched."""
    if error_code(error) == sqlite3.SQLITE_TOOBIG:
        return Finding("row_too_large", "too large to be read", detail=what, path=database.path)
    if error_code(error) == sqlite3.SQLITE_ERROR:
        return Finding("table_unreadable", f"the table cannot be read: {error}", detail=what, path=database.path)
    said = f"a page of the database is damaged: {error}"
    return Finding("page_corrupt", said, detail=what, path=database.path)


def text(value: object) -> str:
    """Return a value as text; bytes that are no UTF-8 become replacement characters."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def text_or_none(value: object) -> str | None:
    """Return a value as text, NULL as None."""
    return None if value is None else text(value)


def number(value: object) -> float | None:
    """Return a value if it is a number; an infinite one is none that a time or a count could be."""
    return value if isinstance(value, int | float) and math.isfinite(value) else None


def _salvage(
    database: Database, selection: Selection, start: str, done: set[int], first_error: sqlite3.Error
) -> Iterator[Values | Lost]:
    keys, complete = _list_keys(database, selection)
    for rowid, *described in keys:
        if rowid in done:
            continue
        known = ", ".join(f"{name} {text(value)}" for name, value in zip(selection.listing, described, strict=True))
        what = f"{selection.table} rowid {rowid}" + (f", {known}" if known else "")
        try:
            row = next(fetch(database, f"{start} WHERE rowid = ?", (rowid,)), None)
        except sqlite3.Error as error:
            yield Lost(rowid, damage(database, error, what))
            continue
        if row is None:
            said = "an index names a row that the table does not have"
            yield Lost(rowid, Finding("page_corrupt", said, detail=what, path=database.path))
        else:
            yield row
    if not complete:
        yield Lost(None, damage(database, first_error, f"{selection.table}: further rows may be lost"))


def _list_keys(database: Database, selection: Selection) -> tuple[list[Values], bool]:
    """Return the keys of all rows that any way of looking finds, and whether one way came to its end."""
    fields = ", ".join(("rowid", *selection.listing))
    found: dict[int, Values] = {}
    for source in (selection.table, f"{selection.table} NOT INDEXED"):
        complete = True
        query = f"SELECT {fields} FROM {source} WHERE {selection.where}"
        try:
            for row in fetch(database, query, selection.parameters):
                found[row[0]] = row
        except sqlite3.Error:
            complete = False
        if complete:
            break
    return sorted(found.values(), key=_in_order), complete


def _in_order(key: Values) -> tuple[Any, ...]:
    """Order keys by what describes them, then by rowid; values of different types by type, as SQLite does."""
    return (
        *((isinstance(value, bytes), value is not None, 0 if value is None else value) for value in key[1:]),
        key[0],
    )
