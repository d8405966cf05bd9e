"""Remarks on storage: what was damaged, missing, stale or lost, and where exactly."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

ROW_UNREADABLE: Final = frozenset(
    {
        "row_invalid_json",
        "row_invalid_event",
        "row_foreign_identity",
        "row_too_large",
        "ledger_unreadable",
        "ledger_shrank",
    }
)
"""Codes of rows that make the whole ledger unreadable (contract: Storage corruption is not a fact)."""

HEADER_UNREADABLE: Final = frozenset({"header_missing", "header_unreadable"})
"""Codes of headers that cannot be trusted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One remark on storage. It never turns a blocked plan into a replayable one."""

    code: str
    """A stable word for machines, such as `torn_tail`."""
    message: str
    """One sentence for a person, without the place."""
    line: int | None = None
    """1-based line of a JSONL file."""
    offset: int | None = None
    """Byte offset in the file."""
    length: int | None = None
    """Length in bytes of the damaged row or region."""
    field: str | None = None
    """JSON path of the field that the decoder complained of."""
    detail: str | None = None
    """Anything else worth knowing, for a person."""
    path: str | None = None
    """The file concerned."""

    def as_document(self) -> dict[str, object]:
        """Return plain JSON types; absent facts are absent keys."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) is not None}
