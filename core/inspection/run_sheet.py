"""Everything about a run beside its events: header, relatives, storage, what waits for a person. It decides nothing.

Words of the workspace are in it as they are: hostile until printed safely.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, tzinfo
from typing import Any, Final

import msgspec
from msgspec import Struct

from ..storage.beside import PendingInteraction
from ..storage.ledger import Ledger
from ..storage.lineage import ContinuationClaim, Lineage, RunLink
from .explain import absolute_time, ago, header_line, terminal_status
from .glossary import entry
from .inspect import HeaderState, Inspection
from .summary import size_text, value_text

_TIMES: Final = frozenset({"createdAt", "updatedAt", "completedAt"})


class SheetLine(Struct, frozen=True):
    """One fact."""

    text: str
    name: str = ""
    row: int | None = None
    """The row of the ledger that it leads to, 0-based among all rows."""
    run: RunLink | None = None
    """The run that it leads to."""
    contradicts: bool = False
    """Whether it says that header and ledger contradict each other, or that something could not be read."""


class SheetSection(Struct, frozen=True):
    """Facts of one kind."""

    title: str
    lines: tuple[SheetLine, ...]


def run_sheet(inspection: Inspection, zone: tzinfo | None = UTC) -> tuple[SheetSection, ...]:
    """Collect the facts. Reads what lies beside the ledger, other headers included."""
    ledger = inspection.ledger
    sections = (
        SheetSection("Header and ledger", tuple(_state(inspection, zone))),
        SheetSection("Other runs", tuple(_relatives(ledger.session_id, ledger.beside.lineage()))),
        SheetSection("Waits for a person", tuple(_waits(ledger.beside.interactions(), zone))),
        SheetSection("Remarks on the storage", tuple(_findings(inspection))),
        SheetSection("Storage", tuple(_storage(inspection, zone))),
        SheetSection("Header", tuple(_header(ledger, zone))),
    )
    return tuple(section for section in sections if section.lines)


def _state(inspection: Inspection, zone: tzinfo | None) -> Iterator[SheetLine]:
    state = inspection.header_state
    bad = state in (HeaderState.DISAGREES, HeaderState.MISSING)
    yield SheetLine(f"{header_line(inspection)}.", contradicts=bad)
    explained = _STATES.get(state)
    if state is HeaderState.UNFINISHED and _ended(inspection):
        explained = "The header says that the run ended. How it ended may stand in what could not be read."
    if explained:
        yield SheetLine(explained)
    index = inspection.terminal_index
    if index is not None:
        status = terminal_status(inspection)
        yield SheetLine(f"event {index + 1:,}, {status}", "terminal fact", row=index)
        if index + 1 < len(inspection.ledger):
            behind = len(inspection.ledger) - index - 1
            yield SheetLine(f"{behind:,} event{'s' if behind > 1 else ''} behind the terminal fact", row=index + 1)
    if inspection.last_write_ms is not None:
        age = inspection.last_write_age_ms
        said = absolute_time(inspection.last_write_ms, zone)
        yield SheetLine(f"{said}, {ago(age)}" if age is not None else said, "last write")


_STATES: Final = {
    HeaderState.UNFINISHED: "The header says that the run was still going, and no event says how it ended.",
    HeaderState.DISAGREES: "The header says one thing and the ledger another. The ledger decides.",
    HeaderState.MISSING: "Without a header nobody knows to which run these rows belong.",
}


def _ended(inspection: Inspection) -> bool:
    """Tell whether the header says that the run ended."""
    header = inspection.ledger.header
    return header is not None and header.status in ("completed", "failed", "cancelled")


def _relatives(session_id: str, lineage: Lineage) -> Iterator[SheetLine]:
    if lineage.parent:
        yield _link("started by", lineage.parent)
    for child in lineage.children:
        yield _link("started", child)
    if lineage.continuation_of:
        yield _link("continues", lineage.continuation_of)
    for later in lineage.continued_by:
        yield _link("continued by", later)
    for claim in lineage.claims:
        yield _claim(claim)
    for name, run_ids in (
        ("resumed from", (lineage.resumed_from,)),
        ("resumed by", lineage.resumed_by),
        ("retries", (lineage.retry_of,)),
        ("retried by", lineage.retried_by),
    ):
        for run_id in run_ids:
            if run_id:
                yield SheetLine(run_id, name, run=RunLink(session_id, run_id))
    if lineage == Lineage():
        yield SheetLine("No other run is linked to this one.")


def _link(name: str, run: RunLink) -> SheetLine:
    call = f", call {run.tool_call_id}" if run.tool_call_id else ""
    return SheetLine(f"{run.run_id}{call}", name, run=run)


def _claim(claim: ContinuationClaim) -> SheetLine:
    high_water = "" if claim.source_high_water is None else f" from {claim.source_high_water:,.0f} events"
    began = "" if claim.start_event_id else ", never began"
    target = RunLink(claim.target_session_id, claim.target_run_id)
    return SheetLine(f"{claim.target_run_id}{high_water}{began}", "claimed by", run=target)


def _waits(interactions: tuple[PendingInteraction, ...], zone: tzinfo | None) -> Iterator[SheetLine]:
    for waiting in interactions:
        asked = f", asked {absolute_time(waiting.created_at, zone)}" if waiting.created_at is not None else ""
        call = f", call {waiting.tool_call_id}" if waiting.tool_call_id else ""
        yield SheetLine(f"{waiting.request_id}{call}{asked}; no answer is recorded", waiting.kind)


def _findings(inspection: Inspection) -> Iterator[SheetLine]:
    ledger = inspection.ledger
    rows_of = {finding: row for row, finding in ledger.rows.findings.items()}
    if inspection.being_written is not None:
        rows_of[inspection.being_written] = len(ledger.rows) - 1
    for finding in inspection.findings:
        found = entry(finding.code, "finding")
        place = ledger.place(finding.line, finding.offset)
        place += f", {finding.length:,} bytes" if finding.length is not None else ""
        said = " ".join(part for part in (finding.field, finding.message) if part)
        where = f"{place}: " if place else ""
        title = f"{found.title}; " if found else ""
        bad = finding.code not in ("torn_tail", "being_written")  # a row without an end decides nothing
        yield SheetLine(f"{where}{title}{said}", finding.code, rows_of.get(finding), contradicts=bad)
    if not ledger.findings:
        yield SheetLine("None.")


def _storage(inspection: Inspection, zone: tzinfo | None) -> Iterator[SheetLine]:
    ledger = inspection.ledger
    if ledger.path is not None:
        yield SheetLine(ledger.path, "ledger")
    yield SheetLine(f"{len(ledger):,} committed of {len(ledger.rows):,}", "rows")
    yield SheetLine(f"{ledger.committed_bytes:,} bytes committed, {size_text(ledger.size)} read", "size")
    if ledger.modified_ms is not None:
        yield SheetLine(absolute_time(ledger.modified_ms, zone), "written")
    owner = ledger.beside.owner()
    if owner.alive:
        yield SheetLine(f"process {owner.pid} has it open" if owner.pid else "a process has it open", "open in")
    elif ledger.keyed and not owner.known:
        yield SheetLine("this system cannot tell whether a process has it open", "open in")


def _header(ledger: Ledger, zone: tzinfo | None) -> Iterator[SheetLine]:
    if ledger.header is None:
        return
    document: dict[str, Any] = msgspec.to_builtins(ledger.header)
    for name, value in document.items():
        yield SheetLine(absolute_time(value, zone) if name in _TIMES else value_text(value), name)
