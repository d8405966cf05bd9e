"""What the screen of one run has read by threads: whole values, so that the screen itself never reads a file.

Everything here may take long and touches no widget.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import UTC, tzinfo
from typing import Final

from msgspec import Struct

from core import (
    CoreError,
    Doubts,
    EventLinks,
    Inspection,
    Ledger,
    OperationIndex,
    PartialSnapshot,
    RequestError,
    Row,
    RowFact,
    Run,
    VerdictFacts,
    Why,
    doubts_of,
    inspect,
    locate,
    partial_facts,
    raw_text,
    row_facts,
    torn_line,
    verdict_facts,
    why_operation,
    why_run,
)

from .memory import RunPlace
from .reading_apart import Helpers

Progress = Callable[[int, int], None]
Reader = Callable[[Run, Progress], tuple[Ledger, EventLinks]]

REMEMBERED_AT_MOST: Final = 1 << 20
"""Bytes. A longer row is not read only to find a place again."""

RAW_AT_MOST: Final = 64 << 10
"""Bytes of a row that are shown beside the timeline; the pager has all of them."""


class Decided(Struct, frozen=True):
    """One prefix and everything that is said about it."""

    inspection: Inspection
    facts: VerdictFacts
    operations: OperationIndex
    doubts: Doubts

    @property
    def end(self) -> int:
        """Number of its events."""
        return self.inspection.high_water


class Opened(Struct, frozen=True):
    """A ledger that was read and decided."""

    ledger: Ledger
    whole: Decided
    links: EventLinks
    torn: str
    """What the torn row starts like."""
    at: int | None = None
    """The row that was asked for."""
    amiss: str = ""
    """Why there is no such row, where one was asked for."""
    was: int | None = None
    """The row where one was last time, if the ledger is as it was then."""
    page: str = ""
    """The page that was open then."""


class Chosen(Struct, frozen=True):
    """What is under the cursor: a row, or an unfinished stream, and the operation that it belongs to."""

    key: Hashable
    row: int | None = None
    partial: PartialSnapshot | None = None
    number: int | None = None
    """The operation."""


class Detail(Struct, frozen=True):
    """What is said about what is under the cursor."""

    chosen: Chosen
    decided: Decided
    why: Why
    facts: tuple[RowFact, ...]
    raw: RawRow | None = None
    """The bytes of the row; None where it is no row, or it is gone."""


class RawRow(Struct, frozen=True):
    """The bytes of a row as text, the beginning of them where they are many."""

    row: Row
    place: str
    """Where it lies in its storage."""
    text: str
    left_out: int
    """Bytes that are not in the text."""


def open_run(
    run: Run,
    now_ms: float,
    expected_high_water: int | None,
    progress: Progress,
    at: str | None = None,
    place: RunPlace | None = None,
    read: Reader = lambda run, progress: Helpers().read(run, progress),
) -> Opened:
    """Read and decide a run. What `progress` raises comes through, and nothing is left open.

    `at` names a row to begin at, as `core.locate` reads it; `place` is where one was last time; `read` reads the ledger
    and the links of its events.
    """
    ledger, links = read(run, progress)
    try:
        whole = decide(ledger, now_ms, expected_high_water=expected_high_water)
        progress(1, 1)
        row, amiss = _located(ledger, at, progress)
        was = _was(ledger, place) if at is None else None
        page = place.page if was is not None and place is not None else ""
        return Opened(ledger, whole, links, torn_line(ledger), row, amiss, was, page)
    except BaseException:
        ledger.close()
        raise


def _located(ledger: Ledger, at: str | None, progress: Progress) -> tuple[int | None, str]:
    if at is None:
        return None, ""

    def look_up() -> bool:
        progress(1, 1)
        return False

    try:
        return locate(ledger, at, stop=look_up), ""
    except RequestError as error:
        return None, error.message


def _was(ledger: Ledger, place: RunPlace | None) -> int | None:
    """Return the row of a remembered place; None where the ledger is another one by now."""
    if place is None or place.events != len(ledger) or not 0 < place.number <= len(ledger):
        return None
    row = place.number - 1
    if ledger.rows.lengths[row] > REMEMBERED_AT_MOST:
        return None
    try:
        return row if ledger[row].id == place.event else None
    except CoreError:
        return None


def decide(
    ledger: Ledger, now_ms: float, *, high_water: int | None = None, expected_high_water: int | None = None
) -> Decided:
    """Decide a prefix of a ledger, by default all of it."""
    inspection = inspect(ledger, high_water=high_water, expected_high_water=expected_high_water, now_ms=now_ms)
    operations = OperationIndex(ledger.tool_ledger, inspection.high_water, ledger.__getitem__)
    return Decided(inspection, verdict_facts(inspection), operations, doubts_of(inspection, operations))


def read_detail(decided: Decided, chosen: Chosen, zone: tzinfo | None = UTC) -> Detail:
    """Read what is said about a row and its operation; where the storage changed, that is what is said.

    Times are written in `zone`; None is the zone of this machine.
    """
    inspection, number = decided.inspection, chosen.number
    try:
        if number is not None and decided.operations.holds(number):
            why = why_operation(inspection, decided.operations.operation(number), zone)
        else:
            why = why_run(inspection, zone)
    except CoreError:
        why = why_run(inspection, zone)
    return Detail(chosen, decided, why, _facts(decided, chosen, zone), _raw(inspection.ledger, chosen))


def _raw(ledger: Ledger, chosen: Chosen) -> RawRow | None:
    if chosen.row is None:
        return None
    row = ledger.rows[chosen.row]
    shown = min(row.length, RAW_AT_MOST)
    try:
        payload = ledger.raw(row.index) if shown == row.length else ledger.source.read_row(row.offset, shown)
    except CoreError:
        return None
    text = raw_text(payload, whole=shown == row.length)
    return RawRow(row, ledger.place(row.line, row.offset), text, row.length - shown)


def _facts(decided: Decided, chosen: Chosen, zone: tzinfo | None) -> tuple[RowFact, ...]:
    if chosen.partial is not None:
        return partial_facts(chosen.partial, zone)
    if chosen.row is None:
        return (RowFact("row", "the end of the committed prefix: no event"),)
    try:
        return row_facts(decided.inspection.ledger, chosen.row, decided.inspection.now_ms, zone)
    except CoreError as error:
        return (RowFact("row", "it can no longer be read"), RowFact("complaint", str(error)))
