"""Where in a ledger the doubts are: rows that carry a mark, and the beginning of what is in doubt to the end."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from ..decision.operations import OperationStatus
from ..storage.rows import RowKind
from .inspect import Inspection
from .operation_index import OperationIndex

UNREADABLE: Final = "unreadable"
"""The mark of a row that could not be read; every other mark is the status of an operation."""


class Doubts(Struct, frozen=True):
    """The doubtful rows of one inspected prefix. Rows are 0-based among all rows of the ledger."""

    marks: Mapping[int, str]
    """Row -> `unreadable`, or the status of what its event is about; `corruption` for any row that contradicts."""
    start: int | None
    """The first event from which something stays in doubt up to the end of the prefix; None if nothing does."""
    rows: tuple[int, ...]
    """The rows that carry a mark, in order."""
    last_call: int | None
    """The row of the last call that is not settled."""

    def after(self, row: int) -> int | None:
        """Return the next doubtful row, from the beginning again after the last; None if there is none."""
        return self.rows[bisect_right(self.rows, row) % len(self.rows)] if self.rows else None

    def before(self, row: int) -> int | None:
        """Return the doubtful row before, from the end again before the first; None if there is none."""
        return self.rows[bisect_left(self.rows, row) - 1] if self.rows else None


def doubts_of(inspection: Inspection, operations: OperationIndex) -> Doubts:
    """Mark the rows of a prefix that a person must look at."""
    marks: dict[int, str] = {}
    start = None
    for diagnostic in inspection.plan.diagnostics:
        if diagnostic.event_index is not None:
            marks.setdefault(diagnostic.event_index, OperationStatus.CORRUPTION)
            start = diagnostic.event_index if start is None else min(start, diagnostic.event_index)
    last_call = None
    for number in operations.unresolved:
        brief = operations.brief(number)
        marks[brief.call_index] = brief.status
        last_call = max(last_call or 0, brief.call_index)
    rows = inspection.ledger.rows
    if not inspection.what_if:
        for index in rows.findings:
            if rows.kinds[index] == RowKind.UNREADABLE:
                marks[index] = UNREADABLE
    return Doubts(marks, start, tuple(sorted(marks)), last_call)
