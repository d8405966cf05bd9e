"""The decision as plain lines of text, for pipes and logs. Nothing here needs a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from core import (
    RUNTIME_RESUME_FAILPOINTS,
    CallFacts,
    Checked,
    Finding,
    Inspection,
    RunSummary,
    ToolOperation,
    Workspace,
    absolute_time,
    ago,
    call_facts,
    directive,
    explain_operation,
    header_line,
    headline,
    inspect,
    most_urgent_first,
    prefix_line,
    printable,
    short_time,
    summarize_run,
)

from .styles import DISPOSITIONS, MAY_BE_RUNNING, STATUSES, UNREADABLE, VERDICTS

_COLOURS: Final = {
    "doubt": "1;31",
    "evidence": "33",
    "live": "36",
    "settled": "32",
    "muted": "2",
    "strong": "1",
    "": "",
}
_TONES: Final = {
    "may_have_run": "doubt",
    "unreadable": "evidence",
    "contradictory": "evidence",
    "may_be_running": "live",
    "replayable": "settled",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line; the words of a workspace in it are printed safely when it is made."""

    text: str
    tone: str = ""


def render(line: Line, *, colour: bool, encoding: str | None) -> str:
    """Return the line as the stream can hold it."""
    text = encodable(line.text, encoding)
    code = _COLOURS[line.tone]
    return f"\x1b[{code}m{text}\x1b[0m" if colour and code else text


def encodable(text: str, encoding: str | None) -> str:
    """Replace what the stream's encoding cannot hold."""
    name = encoding or "utf-8"
    return text.encode(name, "replace").decode(name)


def workspace_lines(workspace: Workspace, now_ms: float) -> Iterator[Line]:
    """Give the list of runs, then the whole decision on every run in doubt."""
    titles = {session.session_id: session.title for session in workspace.sessions}
    read = [(run, summarize_run(run, titles.get(run.session_id), now_ms)) for run in workspace.runs()]
    summaries = most_urgent_first(summary for _, summary in read)
    yield from runs_lines(workspace, summaries)
    for summary in summaries:
        if summary.blocked:
            yield Line("")
            run = next(run for run, known in read if known is summary)
            inspection = inspect(run.ledger(), now_ms=now_ms)
            yield from plan_lines(inspection, summary.title, what_if=False, whole=inspection)


def runs_lines(workspace: Workspace, summaries: Sequence[RunSummary]) -> Iterator[Line]:
    """Give one line a run, most urgent first."""
    yield Line(printable(f"{workspace.root}  read-only  {len(summaries):,} runs"), "strong")
    yield from _findings(workspace.findings)
    if not summaries:
        yield Line("No runs: nothing to resume.")
    for summary in summaries:
        look = VERDICTS[summary.verdict]
        call = f"{summary.tool_name}  {summary.call_summary}" if summary.tool_name else ""
        what = "  ".join(printable(part, limit=160) for part in (call, summary.note or "") if part)
        events = f"{summary.events:,}" if summary.events == summary.rows else f"{summary.events:,} of {summary.rows:,}"
        when = short_time(summary.last_event_ms) if summary.last_event_ms is not None else "no event"
        run = printable(f"{summary.session_id}/{summary.run_id}", limit=120)
        header = printable(summary.header_status or "no header")
        line = f"{look.glyph} {look.word:<15} {run}  {header}  {events} events  {when}"
        yield Line(f"{line}  {what}" if what else line, _TONES.get(summary.verdict, ""))


def plan_lines(inspection: Inspection, title: str | None, *, what_if: bool, whole: Inspection) -> Iterator[Line]:
    """Give the decision on one prefix: verdict first, then what to do, then every doubtful call, then the codes."""
    ledger = inspection.ledger
    crumbs = " › ".join(printable(part, limit=120) for part in (title or ledger.session_id, ledger.run_id))
    yield Line(crumbs, "strong")
    yield from _verdict(whole)
    if what_if:
        would = DISPOSITIONS[inspection.plan.disposition].word
        yield Line(f"WHAT-IF after event {inspection.high_water:,} of {len(ledger):,}: would be {would}", "live")
    yield Line(f"  {directive(inspection)}", "strong")
    yield Line(f"  {prefix_line(inspection)}.  {printable(header_line(inspection))}.")
    if inspection.plan.rejection_reasons:
        yield Line(f"  reasons: {', '.join(inspection.plan.rejection_reasons)}")
    for doubt in inspection.doubts:
        yield Line("")
        yield from _operation(inspection, doubt)
    yield from _codes(inspection)
    yield from _settled(inspection)
    yield from _findings(inspection.findings)
    for witness in inspection.witnesses:
        if witness.tool_call_id is None:
            yield Line(printable(f"  also seen (decides nothing): {witness.says}"), "muted")


def _verdict(whole: Inspection) -> Iterator[Line]:
    look = DISPOSITIONS[whole.plan.disposition]
    if whole.live:
        age = ago(whole.last_write_age_ms or 0)
        yield Line(
            f"{MAY_BE_RUNNING.glyph} {MAY_BE_RUNNING.word}  last write {age}; if it died now: {look.word}", "live"
        )
    else:
        yield Line(f"{look.glyph} {look.word}", "doubt" if whole.plan.blocked else "settled")
    said = headline(whole)
    if said:
        facts = call_facts(whole.ledger, whole.doubts[0]) if whole.doubts else None
        call = f"  {facts.tool_name}  {facts.summary}" if facts else ""
        yield Line(printable(f"  {said}{call}", limit=400), "doubt" if whole.plan.blocked else "")


def _operation(inspection: Inspection, operation: ToolOperation) -> Iterator[Line]:
    look, facts, why = (
        STATUSES[operation.status],
        call_facts(inspection.ledger, operation),
        explain_operation(operation),
    )
    yield Line(
        printable(f"{look.glyph} {look.word}  {facts.tool_name}  {facts.tool_call_id}", limit=300), _tone(operation)
    )
    yield from _facts(facts, inspection.now_ms)
    yield Line(f"  The ledger proves: {why.proves}")
    if why.not_shown:
        yield Line(f"  The ledger does not show {why.not_shown}", "strong")
    for witness in inspection.witnesses_for(operation):
        number = f", event {witness.event_index + 1}" if witness.event_index is not None else ""
        yield Line(printable(f"  also seen (decides nothing): {witness.says}{number}"), "muted")
    for place, step in enumerate(why.to_do, start=1):
        yield Line(f"  before anyone acts, {place}: {step}", "strong")


def _facts(facts: CallFacts, now_ms: float | None) -> Iterator[Line]:
    for name, value in facts.arguments:
        yield Line(printable(f"  {name}: {value}", limit=2000))
    if facts.cwd is not None:
        yield Line(printable(f"  in: {facts.cwd}", limit=1000))
    if facts.ts is not None:
        age = f", {ago(now_ms - facts.ts)}" if now_ms is not None and now_ms >= facts.ts else ""
        yield Line(f"  called: {absolute_time(facts.ts)}{age}, event {facts.number:,}")


def _codes(inspection: Inspection) -> Iterator[Line]:
    if inspection.plan.diagnostics:
        yield Line("")
    for diagnostic in inspection.plan.diagnostics:
        at = f" at event {diagnostic.event_index + 1:,}" if diagnostic.event_index is not None else ""
        detail = "".join(f" {key}={value}" for key, value in (diagnostic.detail or {}).items())
        call = f" {diagnostic.tool_name or ''} {diagnostic.tool_call_id}" if diagnostic.tool_call_id else ""
        yield Line(printable(f"diagnostic {diagnostic.code}{at}{call}{detail}", limit=600), "muted")


def _settled(inspection: Inspection) -> Iterator[Line]:
    doubtful = set(inspection.doubts)
    settled = [operation for operation in inspection.operations if operation not in doubtful]
    if settled:
        yield Line(f"settled {len(settled):,}")
    for operation in settled[:20]:
        look = STATUSES[operation.status]
        summary = call_facts(inspection.ledger, operation).summary
        yield Line(printable(f"  {look.glyph} {look.word}  {operation.tool_name}  {summary}", limit=200), "muted")
    if len(settled) > 20:
        yield Line(f"  and {len(settled) - 20:,} more", "muted")


def _findings(findings: Iterable[Finding]) -> Iterator[Line]:
    for finding in findings:
        place = ", ".join(
            f"{name} {value:,}"
            for name, value in (("line", finding.line), ("byte", finding.offset), ("length", finding.length))
            if value is not None
        )
        rest = "  ".join(part for part in (finding.field, finding.detail, finding.path) if part)
        text = f"{UNREADABLE.glyph} {finding.code}  {place}  {finding.message}  {rest}"
        yield Line(printable(" ".join(text.split(" ")), limit=1000).rstrip(), "evidence")


def check_lines(checked: Sequence[Checked], exit_code: int) -> Iterator[Line]:
    """Give one line a run that is not replayable, then the sum."""
    summaries = [summary for one in checked for summary in one.summaries]
    for one in checked:
        yield from _findings(one.findings)
        for summary in most_urgent_first(one.summaries):
            if summary.blocked:
                look = VERDICTS[summary.verdict]
                what = " ".join(part for part in (summary.tool_name, summary.call_summary, summary.note) if part)
                text = f"{look.glyph} {look.word}  {one.path}  {summary.session_id}/{summary.run_id}  {what}"
                yield Line(printable(text, limit=600), _TONES.get(summary.verdict, ""))
    blocked = sum(summary.blocked for summary in summaries)
    unreadable = sum(summary.unreadable for summary in summaries)
    yield Line(
        f"{len(summaries):,} runs: {len(summaries) - blocked:,} replayable, {blocked:,} blocked, "
        f"{unreadable:,} of these unreadable; exit code {exit_code}"
    )


def failpoints_lines() -> Iterator[Line]:
    """Give the catalog, one line a failpoint."""
    for failpoint in RUNTIME_RESUME_FAILPOINTS:
        yield Line(f"{failpoint.id:<4} {failpoint.committed_prefix:<24} {failpoint.boundary}")


def _tone(operation: ToolOperation) -> str:
    return {"indeterminate": "doubt", "corruption": "evidence"}.get(operation.status, "")
