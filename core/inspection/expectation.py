"""An expected high-water beside the one that is there: a reason of its own, whatever the tool calls are like."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from ..storage.ledger import Ledger, LedgerChanged
from ..storage.rows import RowKind
from .summary import size_text, summarize

_READ_AT_MOST: Final = 256 << 10
"""Bytes. A longer row is named by its size."""


class Expectation(Struct, frozen=True):
    """How many committed events somebody expects, and what is there."""

    expected: int
    found: int
    first_difference: int | None
    """1-based number of the first event that is there or expected, but not both; None where the numbers agree."""
    row: int | None
    """0-based row of that event, or of the last one before it; None where there is none."""
    says: str
    """The first difference in words; hostile until printed safely."""
    brief: str = ""
    """The same in a few words, for a line that has room for no more."""

    @property
    def agrees(self) -> bool:
        """Whether as many events are there as are expected."""
        return self.expected == self.found


def expectation(ledger: Ledger, expected: int) -> Expectation:
    """Compare an expected number of committed events with a ledger. Reads one row at most."""
    found = len(ledger)
    if expected == found:
        return Expectation(expected, found, None, None, "as many events are committed as expected")
    first = min(expected, found) + 1
    if expected > found:
        missing = f"event {first:,} is" if expected == first else f"events {first:,} to {expected:,} are"
        end = f"the ledger ends after event {found:,}" if found else "the ledger holds no event"
        row = found - 1 if found else None
        return Expectation(
            expected, found, first, row, f"{end}; {missing} not there", f"event {first:,} is the first missing"
        )
    more = f"; {found - first:,} more follow" if found > first else ""
    beyond = f"event {first:,} is the first beyond"
    return Expectation(expected, found, first, first - 1, f"{beyond}: {_named(ledger, first - 1)}{more}", beyond)


def _named(ledger: Ledger, index: int) -> str:
    kind = RowKind(ledger.rows.kinds[index]).word
    if ledger.rows.lengths[index] > _READ_AT_MOST:
        return f"{kind} of {size_text(ledger.rows.lengths[index])}"
    try:
        return f"{kind} {summarize(ledger[index])}"
    except LedgerChanged:
        return kind
