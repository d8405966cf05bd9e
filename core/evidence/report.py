"""A report on a run, or on every run in doubt of a workspace: one value of plain facts, fit for an incident ticket.

It is read once and holds nothing open. Words of the workspace in it are as they are: hostile until printed safely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from ..decision.diagnostics import Diagnostic
from ..decision.operations import OperationStatus, ToolOperation
from ..errors import CoreError
from ..inspection.explain import CallFacts, call_facts
from ..inspection.inspect import Inspection, Verdict, inspect
from ..inspection.summary import summarize
from ..inspection.triage import RunSummary, most_urgent_first, triage
from ..inspection.uncounted import torn_line
from ..inspection.verdict_facts import VerdictFacts, verdict_facts
from ..inspection.why import Why, why_operation, why_run
from ..inspection.witnesses import Witness, run_witnesses
from ..storage.findings import Finding
from ..storage.ledger import Ledger, LedgerChanged
from ..storage.rows import RowKind
from ..storage.run import Run
from ..workspace import Workspace
from .documents import RawJson, arguments_json

AROUND: Final = 4
"""Rows that are shown before a call in doubt, and after it."""

_MOST_DOUBTS: Final = 50
"""Calls that are told in full, at most; whoever has more of them has one cause to find, not fifty."""

_MOST_ABOUT: Final = 40
"""Rows about one call that are shown, at most; a call that was repeated a thousand times has no more to say."""


class TimelineRow(Struct, frozen=True):
    """One row of a ledger, in one line."""

    number: int | None
    """1-based number of the event; None for a row that does not count."""
    line: int
    """1-based."""
    offset: int
    """Bytes from the start of the file; the row's key in a database."""
    place: str
    """Line and offset in words."""
    length: int
    """Bytes."""
    kind: str
    ts: float | None
    """Milliseconds since 1970."""
    summary: str
    about: bool
    """Whether it speaks of the call in doubt."""
    finding: str | None
    """Code of what is wrong with it."""


class DoubtReport(Struct, frozen=True):
    """One unsettled call: when, where, with what, and what is known about it."""

    status: OperationStatus
    reason: str
    hidden: bool
    facts: CallFacts
    event_id: str
    row: TimelineRow
    """The call's own row."""
    arguments: RawJson | None
    why: Why
    diagnostics: tuple[Diagnostic, ...]
    witnesses: tuple[Witness, ...]
    """What was also seen; it decides nothing."""
    timeline: tuple[TimelineRow, ...]
    """The call's row with those around it, and every other row that speaks of it."""


class RunReport(Struct, frozen=True):
    """One run."""

    session_id: str
    run_id: str
    title: str | None
    verdict: VerdictFacts
    storage_path: str | None
    """The file that was read."""
    cwd: str | None
    events: int
    """Committed events."""
    rows: int
    committed_bytes: int
    committed_prefix: str
    failpoints: tuple[str, ...]
    """Ids of the failpoints with the same committed prefix."""
    reasons: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    why: Why
    doubts: tuple[DoubtReport, ...]
    """The unsettled calls, most urgent first; the first 50 of them."""
    more_doubts: int
    """How many unsettled calls are left out."""
    settled: int
    """Calls with an outcome, nested ones included."""
    findings: tuple[Finding, ...]
    witnesses: tuple[Witness, ...]
    """What was also seen about the run as a whole."""
    end: tuple[TimelineRow, ...]
    """The last rows of the ledger."""
    last_write_ms: float | None
    """Milliseconds since 1970, whole ones: file systems do not agree on more."""


class Report(Struct, frozen=True):
    """A report, and when and by what it was made."""

    path: str
    """What was asked about."""
    storage: str
    stale: bool
    made_by: str
    """Name and version of the tool."""
    made_ms: float
    """Milliseconds since 1970."""
    findings: tuple[Finding, ...]
    """Remarks on the storage as a whole."""
    counts: tuple[tuple[Verdict, int], ...] | None
    """How many runs have each verdict, most urgent first; None in a report on one run."""
    runs: tuple[RunReport, ...]


def report_on_run(workspace: Workspace, run: Run, path: str, made_by: str, now_ms: float) -> Report:
    """Report on one run, whatever its verdict."""
    title = next((session.title for session in workspace.sessions if session.session_id == run.session_id), None)
    found = _run_report(run, title, now_ms)
    return _report(workspace, path, made_by, now_ms, None, (found,))


def report_on_workspace(workspace: Workspace, path: str, made_by: str, now_ms: float) -> Report:
    """Report on a workspace: how many runs have which verdict, and every blocked run, most urgent first."""
    summaries = most_urgent_first(triage(workspace, now_ms))
    counts = Counter(summary.verdict for summary in summaries)
    found: list[RunReport] = []
    lost: list[Finding] = []
    for summary in summaries:
        if summary.blocked:
            try:
                run = workspace.run(summary.run_id, summary.session_id)
                found.append(_run_report(run, summary.title, now_ms))
            except CoreError as error:
                lost.append(_lost(summary, error))
    # Nobody expects a length here, so that no run can have another one.
    counted = tuple((verdict, counts[verdict]) for verdict in Verdict if verdict is not Verdict.OTHER_LENGTH)
    return _report(workspace, path, made_by, now_ms, counted, tuple(found), lost)


def _lost(summary: RunSummary, error: CoreError) -> Finding:
    said = f"run {summary.run_id} of session {summary.session_id} cannot be read: {error.message}"
    return Finding(error.code, said, error.line, error.offset, error.length, error.field, path=error.path)


def _report(
    workspace: Workspace,
    path: str,
    made_by: str,
    now_ms: float,
    counts: tuple[tuple[Verdict, int], ...] | None,
    runs: tuple[RunReport, ...],
    lost: Iterable[Finding] = (),
) -> Report:
    findings = (*workspace.findings, *lost)
    return Report(path, workspace.storage, workspace.stale, made_by, now_ms, findings, counts, runs)


def _run_report(run: Run, title: str | None, now_ms: float) -> RunReport:
    ledger = run.ledger()
    try:
        return run_report(inspect(ledger, now_ms=now_ms), title)
    finally:
        ledger.close()


def run_report(inspection: Inspection, title: str | None = None) -> RunReport:
    """Report on one run, inspected as a whole."""
    ledger, plan = inspection.ledger, inspection.plan
    rows = len(ledger.rows)
    operations = len(inspection.operations) + len(inspection.nested_operations)
    return RunReport(
        session_id=ledger.session_id,
        run_id=ledger.run_id,
        title=title,
        verdict=verdict_facts(inspection),
        storage_path=ledger.path,
        cwd=ledger.header.cwd if ledger.header else None,
        events=len(ledger),
        rows=rows,
        committed_bytes=ledger.committed_bytes,
        committed_prefix=str(inspection.committed_prefix),
        failpoints=tuple(failpoint.id for failpoint in inspection.failpoints),
        reasons=plan.rejection_reasons,
        diagnostics=plan.diagnostics,
        why=why_run(inspection),
        doubts=tuple(_doubt(inspection, doubt) for doubt in inspection.doubts[:_MOST_DOUBTS]),
        more_doubts=max(0, len(inspection.doubts) - _MOST_DOUBTS),
        settled=operations - len(inspection.doubts),
        findings=inspection.findings,
        witnesses=run_witnesses(ledger),
        end=tuple(_row(ledger, index) for index in range(max(0, rows - 2 * AROUND), rows)),
        last_write_ms=None if inspection.last_write_ms is None else round(inspection.last_write_ms),
    )


def _doubt(inspection: Inspection, doubt: ToolOperation) -> DoubtReport:
    ledger, call = inspection.ledger, doubt.call_index
    witnesses = inspection.witnesses_for(doubt)
    seen = {witness.event_index for witness in witnesses if witness.event_index is not None}
    about = frozenset([*doubt.event_indexes[:_MOST_ABOUT], *seen])
    near = range(max(0, call - AROUND), min(len(ledger.rows), call + AROUND + 1))
    return DoubtReport(
        status=doubt.status,
        reason=doubt.reason,
        hidden=doubt.hidden,
        facts=call_facts(ledger, doubt),
        event_id=doubt.call_event_id,
        row=_row(ledger, call, about),
        arguments=arguments_json(ledger, doubt),
        why=why_operation(inspection, doubt),
        diagnostics=tuple(found for found in inspection.plan.diagnostics if found.event_index in doubt.event_indexes),
        witnesses=witnesses,
        timeline=tuple(_row(ledger, index, about) for index in sorted({*near, *about})),
    )


def _row(ledger: Ledger, index: int, about: frozenset[int] = frozenset()) -> TimelineRow:
    row = ledger.rows[index]
    return TimelineRow(
        number=row.number,
        line=row.line,
        offset=row.offset,
        place=ledger.place(row.line, row.offset),
        length=row.length,
        kind=row.kind.word,
        ts=row.ts,
        summary=_summary(ledger, index),
        about=index in about,
        finding=row.finding.code if row.finding else None,
    )


def _summary(ledger: Ledger, index: int) -> str:
    row = ledger.rows[index]
    if row.kind is RowKind.TORN:
        return f"not an event, not counted: {torn_line(ledger)}"
    if row.finding is not None:
        field = f"{row.finding.field} " if row.finding.field else ""
        return f"{field}{row.finding.message}"
    try:
        event = ledger.event_at(row)
    except LedgerChanged:
        event = None
    return summarize(event) if event is not None else "the row can no longer be read"
