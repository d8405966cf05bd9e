"""What the screen of one run has read by threads: whole values, so that the screen itself never reads a file.

Everything here may take long and touches no widget.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from core import (
    CoreError,
    Doubts,
    EventLinks,
    Inspection,
    Ledger,
    OperationIndex,
    PartialSnapshot,
    RowFact,
    Run,
    VerdictFacts,
    Why,
    doubts_of,
    inspect,
    partial_facts,
    row_facts,
    torn_line,
    verdict_facts,
    why_operation,
    why_run,
)

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Decided:
    """One prefix and everything that is said about it."""

    inspection: Inspection = field(repr=False)
    facts: VerdictFacts
    operations: OperationIndex
    doubts: Doubts

    @property
    def end(self) -> int:
        """Number of its events."""
        return self.inspection.high_water


@dataclass(frozen=True, slots=True)
class Opened:
    """A ledger that was read and decided."""

    ledger: Ledger = field(repr=False)
    whole: Decided
    links: EventLinks
    torn: str
    """What the torn row starts like."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is under the cursor: a row, or an unfinished stream, and the operation that it belongs to."""

    key: Hashable
    row: int | None = None
    partial: PartialSnapshot | None = None
    number: int | None = None
    """The operation."""


@dataclass(frozen=True, slots=True)
class Detail:
    """What is said about what is under the cursor."""

    chosen: Chosen
    decided: Decided
    why: Why
    facts: tuple[RowFact, ...]


def open_run(run: Run, now_ms: float, expected_high_water: int | None, progress: Progress) -> Opened:
    """Read and decide a run. What `progress` raises comes through, and nothing is left open."""
    ledger = run.ledger(progress)
    try:
        whole = decide(ledger, now_ms, expected_high_water=expected_high_water)
        progress(1, 1)
        return Opened(ledger, whole, EventLinks(ledger), torn_line(ledger))
    except BaseException:
        ledger.close()
        raise


def decide(
    ledger: Ledger, now_ms: float, *, high_water: int | None = None, expected_high_water: int | None = None
) -> Decided:
    """Decide a prefix of a ledger, by default all of it."""
    inspection = inspect(ledger, high_water=high_water, expected_high_water=expected_high_water, now_ms=now_ms)
    operations = OperationIndex(ledger.tool_ledger, inspection.high_water, ledger.__getitem__)
    return Decided(inspection, verdict_facts(inspection), operations, doubts_of(inspection, operations))


def read_detail(decided: Decided, chosen: Chosen) -> Detail:
    """Read what is said about a row and its operation; where the storage changed, that is what is said."""
    inspection, number = decided.inspection, chosen.number
    try:
        if number is not None and decided.operations.holds(number):
            why = why_operation(inspection, decided.operations.operation(number))
        else:
            why = why_run(inspection)
    except CoreError:
        why = why_run(inspection)
    return Detail(chosen, decided, why, _facts(decided, chosen))


def _facts(decided: Decided, chosen: Chosen) -> tuple[RowFact, ...]:
    if chosen.partial is not None:
        return partial_facts(chosen.partial)
    if chosen.row is None:
        return (RowFact("row", "the end of the committed prefix: no event"),)
    try:
        return row_facts(decided.inspection.ledger, chosen.row, decided.inspection.now_ms)
    except CoreError as error:
        return (RowFact("row", "it can no longer be read"), RowFact("complaint", str(error)))
