"""Which tables and columns a database has. Versions are reported; they never decide how something is read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct, field

from ..storage.findings import Finding

KNOWN_USER_VERSION: Final = 12
"""The version of the runtime tables that this reader was written for (format: versions)."""

KNOWN_SCOPES: Final[Mapping[str, int]] = {
    "runtime": 12,
    "session_metadata": 28,
    "core_execution": 4,
    "workflow": 9,
    "usage": 5,
    "artifact": 1,
    "automation": 1,
    "operational": 2,
}
"""Scopes of the registry of migrations and the newest version of each that is known."""

_REGISTRY: Final = "operational_schema_migrations"


class Schema(Struct, frozen=True):
    """What a database was found to hold; empty where nothing of it can be read."""

    user_version: int = 0
    tables: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Columns by table, in lower case, as SQLite sees no difference; views, virtual tables and tables in which
    `rowid` is no key are left out."""
    scopes: Mapping[str, int] = field(default_factory=dict)
    """Versions by scope, as the registry of migrations gives them."""

    def has(self, table: str, *columns: str) -> bool:
        """Tell whether there is such a table with all these columns."""
        return table in self.tables and self.tables[table].issuperset(columns)


def read_schema(connection: sqlite3.Connection) -> Schema:
    """Read tables, columns and versions. Raises sqlite3.Error where the schema itself is damaged."""
    names = [_text(name) for (name,) in connection.execute(_TABLES)]
    tables = {name.lower(): columns for name in names if (columns := _columns(connection, name)) is not None}
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return Schema(version, tables, _scopes(connection) if _REGISTRY in tables else {})


def schema_findings(schema: Schema, path: str) -> Iterator[Finding]:
    """Say where a schema is not the one that this reader was written for."""
    if not schema.tables:
        return
    newer = [
        f"{scope} {version}" for scope, version in schema.scopes.items() if version > KNOWN_SCOPES.get(scope, version)
    ]
    if schema.user_version > KNOWN_USER_VERSION and not schema.scopes.get("runtime", 0) > KNOWN_USER_VERSION:
        newer.insert(0, f"user_version {schema.user_version}")
    if newer:
        yield Finding(
            "schema_newer",
            "the database was written by a newer Maka than this reader knows; what it knows is read",
            detail=", ".join(newer),
            path=path,
        )
    if 0 < schema.user_version < KNOWN_USER_VERSION:
        yield Finding(
            "schema_older",
            "the database was written by an older Maka",
            detail=f"user_version {schema.user_version}, current {KNOWN_USER_VERSION}",
            path=path,
        )
    unknown = sorted(schema.scopes.keys() - KNOWN_SCOPES.keys())
    if unknown:
        yield Finding(
            "schema_unknown_scope",
            "the registry of migrations names a scope that this reader does not know",
            detail=", ".join(unknown),
            path=path,
        )


_TABLES: Final = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"


def _columns(connection: sqlite3.Connection, table: str) -> frozenset[str] | None:
    """Return the columns of a table; None where one of them hides the key of its rows."""
    query = "SELECT lower(name), upper(type), pk FROM pragma_table_info(?)"
    columns = [(_text(name), _text(kind), key) for name, kind, key in connection.execute(query, (table,))]
    keys = sum(key > 0 for _, _, key in columns)
    hidden = any(name == "rowid" and (kind, key, keys) != ("INTEGER", 1, 1) for name, kind, key in columns)
    return None if hidden else frozenset(name for name, _, _ in columns)


def _scopes(connection: sqlite3.Connection) -> dict[str, int]:
    try:
        rows = connection.execute(f"SELECT scope, version FROM {_REGISTRY} ORDER BY rowid").fetchall()
    except sqlite3.DatabaseError:
        return {}
    return {_text(scope): version for scope, version in rows if isinstance(version, int)}


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
