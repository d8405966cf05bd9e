"""One line about every run of a workspace: what is in doubt, most urgent first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from msgspec import Struct

from ..decision.operations import OperationStatus
from ..errors import CoreError
from ..storage.findings import COMMITS_LOST
from ..storage.ledger import Ledger
from ..storage.run import Progress, Run
from ..workspace import Workspace
from .brief import brief
from .explain import ago, call_line, headline
from .inspect import Inspection, Verdict, inspect
from .summary import size_text

URGENCY: Final = {verdict: place for place, verdict in enumerate(Verdict)}
"""Verdicts by urgency; the most urgent has the smallest number."""


_UNREAD: Final = frozenset({"runtime_ledger_unreadable", "source_run_unreadable"})


class RunSummary(Struct, frozen=True):
    """What a list of runs says about one of them. Words of the workspace in it are hostile until printed safely."""

    session_id: str
    run_id: str
    title: str | None
    """The session's name."""
    verdict: Verdict
    disposition: str
    """`safe_replay` or `blocked`."""
    reasons: tuple[str, ...] = ()
    diagnostics: tuple[str, ...] = ()
    tool_name: str | None = None
    """The tool of the most urgent unsettled call."""
    call_summary: str | None = None
    called_ms: float | None = None
    """When that call was made, milliseconds since 1970."""
    stands: str = ""
    """How the run stands, in a sentence: what the ledger shows and what it does not."""
    seen: tuple[str, ...] = ()
    """What was also seen about that call; it decides nothing."""
    act: str = ""
    """What to do before anyone acts, to follow these words; empty where there is nothing to do."""
    note: str | None = None
    """What else a person should know: the damaged row, a torn tail, a permission that was never answered."""
    unresolved: int = 0
    """Calls that are not settled, nested ones included."""
    events: int = 0
    """Committed events that count."""
    rows: int = 0
    """All rows, readable or not."""
    last_event_ms: float | None = None
    last_write_ms: float | None = None
    header_status: str | None = None
    cwd: str | None = None
    started_ms: float | None = None
    """When the run began: its header's time, else that of its first event."""
    parent_session_id: str | None = None
    parent_run_id: str | None = None
    """The run that started this one."""
    continuation_of: str | None = None
    continued_by: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    """Codes of the findings on the run's storage."""

    @property
    def blocked(self) -> bool:
        """Whether the plan is blocked."""
        return self.disposition == "blocked"

    @property
    def unreadable(self) -> bool:
        """Whether something that the decision needs could not be read."""
        return self.verdict is Verdict.UNREADABLE or not _UNREAD.isdisjoint(self.reasons)

    @property
    def replayable(self) -> bool:
        """Whether the history may be replayed, and nothing that was read says that there was more of it."""
        return not self.blocked and not self.unreadable

    @property
    def order(self) -> tuple[int, float, str, str]:
        """What sorts runs: most urgent first, newest first within each."""
        return (URGENCY[self.verdict], -(self.last_event_ms or 0.0), self.session_id, self.run_id)

    def as_document(self) -> dict[str, object]:
        """Return plain JSON types; absent facts are absent keys."""
        facts: dict[str, object] = {
            "sessionId": self.session_id,
            "runId": self.run_id,
            "title": self.title,
            "verdict": str(self.verdict),
            "disposition": self.disposition,
            "rejectionReasons": list(self.reasons),
            "diagnosticCodes": list(self.diagnostics),
            "toolName": self.tool_name,
            "callSummary": self.call_summary,
            "calledAt": self.called_ms,
            "stands": self.stands,
            "alsoSeen": list(self.seen),
            "toDo": self.act,
            "note": self.note,
            "unresolvedCalls": self.unresolved,
            "committedEvents": self.events,
            "rows": self.rows,
            "lastEventTs": self.last_event_ms,
            "lastWriteMs": self.last_write_ms,
            "headerStatus": self.header_status,
            "cwd": self.cwd,
            "startedAt": self.started_ms,
            "parentSessionId": self.parent_session_id,
            "parentRunId": self.parent_run_id,
            "continuationOf": self.continuation_of,
            "continuedBy": list(self.continued_by),
            "findingCodes": list(self.findings),
        }
        return {key: value for key, value in facts.items() if value is not None}


def triage(workspace: Workspace, now_ms: float | None = None) -> Iterator[RunSummary]:
    """Yield a summary of every run, in the workspace's order, reading one ledger at a time."""
    for session in workspace.sessions:
        for run in session.runs:
            yield summarize_run(run, session.title, now_ms)


def most_urgent_first(summaries: Iterable[RunSummary]) -> list[RunSummary]:
    """Sort summaries: most urgent first, newest first within each."""
    return sorted(summaries, key=lambda summary: summary.order)


def summarize_run(
    run: Run,
    title: str | None = None,
    now_ms: float | None = None,
    progress: Progress | None = None,
    read: Callable[[Run, Progress | None], Ledger] = Run.ledger,
) -> RunSummary:
    """Read one run and say what is in doubt. Damaged storage gives a summary, never an error.

    `read` is how its ledger is read.
    """
    try:
        ledger = read(run, progress)
        try:
            return summary_of(inspect(ledger, now_ms=now_ms), title, run)
        finally:
            ledger.close()
    except CoreError as error:
        # Also where a ledger was read and is no longer the same when its rows are asked for what they say.
        return RunSummary(
            run.session_id, run.run_id, title, Verdict.UNREADABLE, "blocked",
            reasons=("runtime_ledger_unreadable",), stands="The ledger could not be read.", note=error.message,
            findings=(error.code,),
        )  # fmt: skip


def summary_of(inspection: Inspection, title: str | None, run: Run) -> RunSummary:
    """Condense an inspection of a whole ledger to one line."""
    ledger, plan = inspection.ledger, inspection.plan
    header = ledger.header
    said = brief(inspection)
    doubt = inspection.doubts[0] if inspection.doubts else None
    call_summary, called_ms = call_line(ledger, doubt) if doubt else (None, None)
    rows = ledger.rows
    parent = run.lineage.parent
    last = next((rows.times[i] for i in range(len(rows) - 1, -1, -1) if rows.times[i] == rows.times[i]), None)
    return RunSummary(
        session_id=run.session_id,
        run_id=run.run_id,
        title=title,
        verdict=inspection.verdict,
        disposition=str(plan.disposition),
        reasons=tuple(str(reason) for reason in plan.rejection_reasons),
        diagnostics=tuple(dict.fromkeys(str(diagnostic.code) for diagnostic in plan.diagnostics)),
        tool_name=doubt.tool_name if doubt else None,
        call_summary=call_summary,
        called_ms=called_ms,
        stands=said.stands,
        seen=said.seen,
        act=said.act,
        note=_note(inspection),
        unresolved=len(inspection.doubts),
        events=len(ledger),
        rows=len(rows),
        last_event_ms=last,
        last_write_ms=inspection.last_write_ms,
        header_status=header.status if header else None,
        cwd=header.cwd if header else None,
        started_ms=header.created_at if header else next((ts for ts in rows.times if ts == ts), None),
        parent_session_id=parent.session_id if parent else None,
        parent_run_id=parent.run_id if parent else None,
        continuation_of=run.continuation_of,
        continued_by=run.continued_by,
        findings=tuple(dict.fromkeys(finding.code for finding in inspection.findings)),
    )


def _note(inspection: Inspection) -> str | None:
    notes = list(_notes(inspection))
    return "; ".join(notes) or None


def _notes(inspection: Inspection) -> Iterator[str]:
    if inspection.ledger.stale:
        yield "stale JSONL"
    elif inspection.verdict is Verdict.UNREADABLE or (inspection.plan.blocked and not inspection.doubts):
        yield headline(inspection)
    if inspection.verdict is Verdict.MAY_BE_RUNNING and inspection.last_write_age_ms is not None:
        yield f"last write {ago(inspection.last_write_age_ms)}"
    if inspection.doubts:
        first = inspection.doubts[0]
        if any(witness.code == "permission_unanswered" for witness in inspection.witnesses_for(first)):
            yield "(never answered)"
        if first.status is OperationStatus.PARKED:
            yield _PARKED.get(first.reason, first.reason)
        others = Counter(doubt.status for doubt in inspection.doubts[1:])
        if others:
            yield f"and {sum(others.values())} more"
    torn = inspection.ledger.torn_tail
    if inspection.being_written is not None:
        yield "a row is being written"
    elif torn is not None and not inspection.doubts:
        length = torn.length or 0
        yield f"torn row of {f'{length} bytes' if length < 1000 else size_text(length)}, not counted"
    if any(finding.code in COMMITS_LOST for finding in inspection.findings):
        yield "commits are lost" if inspection.commits_lost else "commits may be lost"
    if inspection.doubts and inspection.ledger.beside.interactions():
        yield "a request waits for a person"
    for run_id in inspection.ledger.beside.continued_by()[:1]:
        yield f"continued by {run_id}"


_PARKED: Final = {
    "reconcile_matches_prior_state": "target is as before",
    "reconcile_diverged": "target has diverged",
    "reconcile_unreadable": "target could not be read",
}
