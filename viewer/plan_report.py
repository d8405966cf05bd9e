"""The decision on one run as plain lines: the fact first, then what to do, then the calls, then the codes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from core import (
    CallFacts,
    Finding,
    Inspection,
    ToolOperation,
    Verdict,
    absolute_time,
    ago,
    call_facts,
    directive,
    explain_operation,
    header_line,
    headline,
    prefix_line,
    printable,
    printable_lines,
    summarize,
)

from .output import Line
from .styles import DISPOSITIONS, MAY_BE_RUNNING, STATUSES, UNREADABLE, decision_look

_VALUE_LINES: Final = 12
_VALUE_WIDTH: Final = 400
_SETTLED: Final = 20
_TONES: Final = {"indeterminate": "doubt", "corruption": "evidence"}


def plan_lines(
    inspection: Inspection, title: str | None, *, what_if: bool, whole: Inspection, event_index: int | None = None
) -> Iterator[Line]:
    """Give the decision on one prefix; `whole` is that on the whole ledger, which is never hidden by a what-if."""
    ledger = inspection.ledger
    name = f"{title} › {ledger.run_id}  ({ledger.session_id})" if title else f"{ledger.session_id} › {ledger.run_id}"
    yield Line(printable(name, limit=400), "strong")
    yield from _verdict(whole)
    yield Line(f"  {directive(whole)}", "strong")
    if what_if:
        would = DISPOSITIONS[inspection.plan.disposition].word
        yield Line(f"WHAT-IF after event {inspection.high_water:,} of {len(ledger):,}: would be {would}", "live")
    if event_index is not None:
        yield from _event(inspection, event_index)
    for doubt in inspection.doubts:
        yield Line("")
        yield from _operation(inspection, doubt)
    for witness in inspection.witnesses:
        if witness.tool_call_id is None:
            yield Line(printable(f"Also seen (decides nothing): {witness.says}", limit=400), "muted")
    yield Line("")
    yield from _codes(inspection)
    yield from _settled(inspection)
    yield from finding_lines(inspection.findings)


def _verdict(whole: Inspection) -> Iterator[Line]:
    look = decision_look(whole.plan.disposition, whole.verdict)
    if whole.verdict is Verdict.MAY_BE_RUNNING:
        age = ago(whole.last_write_age_ms or 0)
        said = f"{MAY_BE_RUNNING.glyph} {MAY_BE_RUNNING.word}  last write {age}; if it died now: {look.word}"
        yield Line(said, "live")
    else:
        settled = "evidence" if whole.verdict is Verdict.UNREADABLE else "settled"
        yield Line(f"{look.glyph} {look.word}", "doubt" if whole.plan.blocked else settled)
    said = headline(whole)
    if said:
        facts = call_facts(whole.ledger, whole.doubts[0]) if whole.doubts and said.endswith(":") else None
        call = f"  {facts.tool_name}  {facts.summary}" if facts else ""
        tone = {Verdict.MAY_HAVE_RUN: "doubt", Verdict.MAY_BE_RUNNING: "live"}.get(whole.verdict, "evidence")
        yield Line(printable(f"  {said}{call}", limit=400), tone)


def _event(inspection: Inspection, index: int) -> Iterator[Line]:
    row = inspection.ledger.rows[index]
    event = inspection.ledger.event_at(row)
    said = summarize(event) if event is not None else row.finding.message if row.finding is not None else ""
    when = f"  {absolute_time(row.ts)}" if row.ts is not None else ""
    number = f"event {row.number:,}" if row.number is not None else f"row {index + 1:,}, not counted"
    yield Line(printable(f"  {number}:{when}  {row.kind.word}  {said}", limit=400), "live")


def _operation(inspection: Inspection, operation: ToolOperation) -> Iterator[Line]:
    look = STATUSES[operation.status]
    facts, why = call_facts(inspection.ledger, operation), explain_operation(operation)
    number = f"event {facts.number:,}" if facts.number is not None else "no call recorded"
    head = f"{look.glyph} {look.word}"
    name = printable(f"{facts.tool_name}   {number}   {facts.tool_call_id}", limit=300)
    yield Line(f"{head}   {name}", _TONES.get(operation.status, "strong"), len(head))
    yield from _facts(facts, inspection.now_ms)
    yield Line(f"  The ledger proves: {why.proves}")
    if why.not_shown:
        yield Line(f"  The ledger does not show {why.not_shown}", "strong")
    seen = inspection.witnesses_for(operation)
    if seen:
        yield Line("  Also seen (decides nothing):", "muted")
    for witness in seen:
        at = f", event {witness.event_index + 1:,}" if witness.event_index is not None else ""
        yield Line(printable(f"    {witness.says}{at}", limit=400), "muted")
    if why.to_do:
        yield Line("  Before anyone acts:", "strong")
    for place, step in enumerate(why.to_do, start=1):
        yield Line(f"    {place} {step}", "strong")


def _facts(facts: CallFacts, now_ms: float | None) -> Iterator[Line]:
    names = [printable(name, limit=60) for name, _ in facts.arguments]
    width = max([6, *(len(name) for name in names if len(name) <= 20)])
    for name, (_, value) in zip(names, facts.arguments, strict=True):
        yield from _value(name, value, width)
    if facts.cwd is not None:
        yield Line(printable(f"  {'in':<{width}}  {facts.cwd}", limit=1000))
    if facts.ts is not None:
        age = f", {ago(now_ms - facts.ts)}" if now_ms is not None and now_ms >= facts.ts else ""
        yield Line(f"  {'called':<{width}}  {absolute_time(facts.ts)}{age}")


def _value(name: str, value: str, width: int) -> Iterator[Line]:
    """Write an argument; what is left out of a long one is counted."""
    shown = list(islice(printable_lines(value, limit=_VALUE_WIDTH), _VALUE_LINES + 1))
    for place, line in enumerate(shown[:_VALUE_LINES] or [""]):
        yield Line(f"  {name if not place else '':<{width}}  {line}")
    if len(shown) > _VALUE_LINES or any(len(line) == _VALUE_WIDTH and line[-1] == "…" for line in shown):
        yield Line(f"  {'':<{width}}  … cut here: {len(value):,} characters in all, --json has them", "muted")


def _codes(inspection: Inspection) -> Iterator[Line]:
    yield Line(f"{prefix_line(inspection)}. {printable(header_line(inspection), limit=200)}.", "muted")
    if inspection.plan.rejection_reasons:
        yield Line(f"reasons: {', '.join(inspection.plan.rejection_reasons)}", "muted")
    for diagnostic in inspection.plan.diagnostics:
        at = f" at event {diagnostic.event_index + 1:,}" if diagnostic.event_index is not None else ""
        call = f", {diagnostic.tool_name or ''} {diagnostic.tool_call_id}" if diagnostic.tool_call_id else ""
        detail = "".join(f", {key} {value}" for key, value in (diagnostic.detail or {}).items())
        yield Line(printable(f"diagnostic: {diagnostic.code}{at}{call}{detail}", limit=600), "muted")


def _settled(inspection: Inspection) -> Iterator[Line]:
    count = len(inspection.operations) + len(inspection.nested_operations) - len(inspection.doubts)
    if count <= 0:
        return
    yield Line(f"settled {count:,}")
    operations = (*inspection.operations, *inspection.nested_operations) if count <= _SETTLED else inspection.operations
    settled = (operation for operation in operations if operation.settled)
    for operation in islice(settled, _SETTLED):
        look, summary = STATUSES[operation.status], call_facts(inspection.ledger, operation).summary
        yield Line(printable(f"  {look.glyph} {look.word}  {operation.tool_name}  {summary}", limit=200), "muted")
    if count > _SETTLED:
        yield Line(f"  and {count - _SETTLED:,} more, --json has them", "muted")


def finding_lines(findings: Iterable[Finding]) -> Iterator[Line]:
    """Give one line a remark on the storage, with its place."""
    for finding in findings:
        places = [finding.place] if finding.place else []
        places += [f"length {finding.length:,}"] if finding.length is not None else []
        rest = [part for part in (finding.field, finding.detail, finding.path) if part]
        said = "  ".join([finding.code, *([", ".join(places)] if places else []), finding.message, *rest])
        yield Line(printable(f"{UNREADABLE.glyph} {said}", limit=1000), "evidence")
