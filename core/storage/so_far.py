"""The rows of a ledger that is still being read: there to be looked at, and nothing to decide by."""

from __future__ import annotations

from typing import Final

from ..records.events import RuntimeEvent
from .ledger import RowSource, decode_again
from .rows import Row, RowIndex


class RowsSoFar:
    """The first committed rows of a ledger whose reading goes on.

    They are the first rows of the ledger that comes of it. What that ledger says of them, of their calls or as a whole
    is not known yet: so this is no ledger, and nothing takes it for one.
    """

    def __init__(self, rows: RowIndex, count: int, source: RowSource, path: str, share: float) -> None:
        self.rows: Final = rows
        """The index, which may have grown since: look at no more than `len` says."""
        self.share: Final = share
        """How much of the ledger was read, from 0 to 1."""
        self._count = count
        self._source = source
        self._path = path

    def __len__(self) -> int:
        return self._count

    def event_at(self, row: Row) -> RuntimeEvent:
        """Return the event of a row. Raises LedgerChanged where another row stands there by now."""
        payload = self._source.read_row(row.offset, row.length)
        return decode_again(self.rows, row.index, payload, self._path)
