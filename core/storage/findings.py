"""Remarks on storage: what was damaged, missing, stale or lost, and where exactly."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

ROW_UNREADABLE: Final = frozenset(
    {
        "row_invalid_json",
        "row_invalid_event",
        "row_foreign_identity",
        "row_too_large",
        "ledger_unreadable",
        "ledger_shrank",
        "ledger_rewritten",
        "page_corrupt",
        "payload_damaged",
        "rows_missing",
        "states_mixed",
        "still_changing",
        "table_unreadable",
    }
)
"""Codes of rows that make the whole ledger unreadable (contract: Storage corruption is not a fact).

The last six are of databases: rows that are lost or cannot be trusted, and pages that may be of two states."""

COMMITS_LOST: Final = frozenset({"wal_truncated", "wal_damaged", "wal_missing", "main_truncated"})
"""Codes of databases that have lost commits: what is left is a whole earlier state, and its runs say so."""

COMMITS_SURELY_LOST: Final = COMMITS_LOST - {"wal_missing"}
"""Those of them that prove a loss: a log that is not there may also mean that the database was closed in order."""

HEADER_UNREADABLE: Final = frozenset({"header_missing", "header_unreadable"})
"""Codes of headers that cannot be trusted."""


class Finding(Struct, frozen=True):
    """One remark on storage. It never turns a blocked plan into a replayable one."""

    code: str
    """A stable word for machines, such as `torn_tail`."""
    message: str
    """One sentence for a person, without the place."""
    line: int | None = None
    """1-based line of a JSONL file; of a row in a database, its position in the run."""
    offset: int | None = None
    """Byte offset in the file; of a row in a database, its key."""
    length: int | None = None
    """Length in bytes of the damaged row or region."""
    field: str | None = None
    """JSON path of the field that the decoder complained of."""
    detail: str | None = None
    """Anything else worth knowing, for a person."""
    path: str | None = None
    """The file concerned."""
    keyed: bool = False
    """Whether this is about a row of a database, so that `offset` is its key."""

    @property
    def place(self) -> str:
        """Where it is, in words; empty where that is not known."""
        return place_words(self.line, self.offset, keyed=self.keyed)

    def as_document(self) -> dict[str, object]:
        """Return plain JSON types; absent facts are absent keys."""
        facts = {name: getattr(self, name) for name in self.__struct_fields__ if name != "keyed"}
        return {key: value for key, value in facts.items() if value is not None}


def place_words(line: int | None, offset: int | None, *, keyed: bool) -> str:
    """Say where a row is: `line 4, byte 1,203`, or of a database's row `row 4, key 17`."""
    place, spot = ("row", "key") if keyed else ("line", "byte")
    words = [f"{place} {line:,}"] if line is not None else []
    # A row that is lost without a trace has no key, which is written as 0.
    words += [f"{spot} {offset:,}"] if offset is not None and (offset or not keyed) else []
    return ", ".join(words)
