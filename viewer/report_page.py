"""A report laid out: headings, paragraphs, points and listings, before anybody says in which format.

Of every piece of text it is known whose it is: a plain string is ours, `Code` is a word of the workspace, or a code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from core import (
    Diagnostic,
    DoubtReport,
    Finding,
    Report,
    RunReport,
    TimelineRow,
    Why,
    WhyLine,
    WhySection,
    absolute_time,
    ago,
    counted,
    printable,
    printable_lines,
)

from .styles import MAY_BE_RUNNING, STATUSES, TORN_ROW, UNREADABLE, VERDICTS, decision_look

_VALUE_LIMIT: Final = 4000
"""Characters of one argument; the JSON report has all of it."""

_LINE_LIMIT: Final = 200
"""Characters of a value that stands on one line."""

_LINES_LIMIT: Final = 60
_STALE: Final = "Stale: Maka reads only the database beside these files. What happened since is not in them."
_SUMMARY_LIMIT: Final = 160
_OURS: Final = re.compile(r"[A-Za-z0-9 ,.:;'()$_-]*")


class Code(Struct, frozen=True):
    """A word that is not ours, or a code: shown as it is, printed safely."""

    text: str


Part = str | Code
Parts = tuple[Part, ...]
Arguments = tuple[tuple[str, str], ...]


class Heading(Struct, frozen=True):
    """A heading; level 1 is the greatest."""

    level: int
    parts: Parts
    tone: str = ""
    """`doubt`, `evidence`, `live`, `settled` or nothing."""


class Paragraph(Struct, frozen=True):
    """Some text."""

    parts: Parts
    strong: bool = False


class Points(Struct, frozen=True):
    """A list."""

    items: tuple[Parts, ...]
    ordered: bool = False


class Listing(Struct, frozen=True):
    """Lines that keep their spaces, printed safely already."""

    lines: tuple[str, ...]
    marked: frozenset[int] = frozenset()
    """Places of the lines that matter most."""


Block = Heading | Paragraph | Points | Listing

_TONES: Final = {
    "may_have_run": "doubt",
    "unreadable": "evidence",
    "contradictory": "evidence",
    "may_be_running": "live",
    "replayable": "settled",
    "indeterminate": "doubt",
    "corruption": "evidence",
}
_SECTIONS: Final = (
    (WhySection.PROVES, "The ledger proves"),
    (WhySection.NOT_SHOWN, "The ledger does not show"),
    (WhySection.ALSO_SEEN, "Also seen (decides nothing)"),
    (WhySection.TO_DO, "Before anyone acts"),
)


def page(report: Report) -> Iterator[Block]:
    """Lay a report out."""
    if report.counts is not None:
        yield Heading(1, ("Runs of ", Code(report.path)))
        if report.stale:
            yield Paragraph((_STALE,), strong=True)
        counts = tuple((_count(verdict, count),) for verdict, count in report.counts if count)
        yield Points(counts or (("No runs: nothing to resume.",),))
    if report.findings:
        yield Paragraph(("Storage",), strong=True)
        yield Points(tuple(map(_finding, report.findings)))
    level = 1 if report.counts is None else 2
    for run in report.runs:
        yield from _run(run, level, report.made_ms)
    yield Paragraph((f"Made {absolute_time(report.made_ms)} by {report.made_by}; read-only. Read: ", Code(report.path)))


def _run(run: RunReport, level: int, now_ms: float) -> Iterator[Block]:
    facts = run.verdict
    look = decision_look(facts.disposition, facts.verdict)
    decided = f"{look.glyph} {look.word}"
    said = f"{MAY_BE_RUNNING.glyph} {MAY_BE_RUNNING.word}" if facts.live else decided
    yield Heading(level, (f"{said}: run ", Code(run.run_id)), _TONES.get(facts.verdict, ""))
    if facts.live:
        yield Paragraph((f"Last write {ago(facts.last_write_age_ms or 0)}; if it died now: {look.word}.",))
    if facts.headline:
        call = facts.call if facts.unresolved else None
        more = (" ", Code(f"{call.tool_name}  {call.summary}".strip())) if call is not None else ()
        yield Paragraph((*_said(facts.headline), *more))
    yield Paragraph((facts.directive,), strong=True)
    yield Points(tuple(_run_facts(run)))
    if not run.doubts:
        yield from _sections(run.why)
    yield from _evidence(run)
    for place, doubt in enumerate(run.doubts, start=1):
        yield from _doubt(doubt, place, level + 1, run.cwd, now_ms)
    if run.more_doubts:
        yield Paragraph((f"{run.more_doubts:,} more unresolved calls are not told here.",), strong=True)
    if not run.doubts and run.end:
        yield Heading(level + 1, ("The last rows, times in UTC",))
        yield _timeline(run.end)


def _run_facts(run: RunReport) -> Iterator[Parts]:
    facts = run.verdict
    yield "session ", Code(run.session_id), *((" ", Code(run.title)) if run.title else ())
    if run.cwd is not None and not run.doubts:
        yield "in ", Code(run.cwd)
    yield (f"{facts.prefix}.",)
    yield (f"{facts.header}.",)
    if facts.codes:
        yield (Code(facts.codes),)
    yield (f"unresolved {len(run.doubts) + run.more_doubts:,}, settled {run.settled:,}",)
    of = "" if run.rows == run.events else f" of {counted(run.rows, 'row')}"
    yield (f"{counted(run.events, 'committed event')}{of}, {run.committed_bytes:,} bytes",)
    if run.last_write_ms is not None:
        yield (f"last write {absolute_time(run.last_write_ms)}",)
    if run.storage_path is not None:
        yield "read from ", Code(run.storage_path)


def _count(verdict: str, count: int) -> str:
    look = VERDICTS[verdict]
    return f"{look.glyph} {look.word}: {count:,}"


def _evidence(run: RunReport) -> Iterator[Block]:
    if run.doubts and run.witnesses:
        yield Paragraph(("Also seen of the run (decides nothing)",), strong=True)
        yield Points(tuple(_said(witness.says) for witness in run.witnesses))
    if run.diagnostics:
        yield Paragraph(("Diagnostics",), strong=True)
        yield Points(tuple(map(_diagnostic, run.diagnostics[:_LINES_LIMIT])))
        if len(run.diagnostics) > _LINES_LIMIT:
            yield Paragraph((f"{len(run.diagnostics) - _LINES_LIMIT:,} more diagnostics are not told here.",))
    if run.findings:
        yield Paragraph(("Storage",), strong=True)
        yield Points(tuple(map(_finding, run.findings[:_LINES_LIMIT])))
        if len(run.findings) > _LINES_LIMIT:
            yield Paragraph((f"{len(run.findings) - _LINES_LIMIT:,} more findings are not told here.",))


def _doubt(doubt: DoubtReport, place: int, level: int, cwd: str | None, now_ms: float) -> Iterator[Block]:
    look, facts, row = STATUSES[doubt.status], doubt.facts, doubt.row
    name = (Code(facts.tool_name), " ", Code(facts.tool_call_id))
    yield Heading(level, (f"{place}. {look.glyph} {look.word}: ", *name), _TONES.get(doubt.status, ""))
    points: list[Parts] = []
    if facts.ts is not None:
        age = f", {ago(now_ms - facts.ts)}" if now_ms >= facts.ts else ""
        points.append((f"called {absolute_time(facts.ts)}{age}",))
    where = f"{row.place}, {row.length:,} bytes, "
    points.append((f"event {facts.number or 0:,}: {where}", Code(doubt.event_id)))
    points += [("in ", Code(cwd))] if cwd is not None else []
    points.append((Code(f"{doubt.status} · {doubt.reason}"),))
    short, long = _parted(facts.arguments)
    yield Points((*points, *((Code(name), ": ", Code(value)) for name, value in short)))
    yield from _long_values(long)
    yield from _sections(doubt.why)
    yield Paragraph(("The rows around it, times in UTC",), strong=True)
    yield _timeline(doubt.timeline)


def _parted(arguments: Arguments) -> tuple[Arguments, Arguments]:
    """Part what fits on a line from what does not."""
    short = tuple(one for one in arguments if "\n" not in one[1] and len(one[1]) <= _LINE_LIMIT)
    return short, tuple(one for one in arguments if one not in short)


def _long_values(arguments: Arguments) -> Iterator[Block]:
    for name, value in arguments:
        yield Paragraph((Code(name), ":"))
        lines = tuple(printable_lines(value[:_VALUE_LIMIT]))
        yield Listing(lines[:_LINES_LIMIT])
        if len(value) > _VALUE_LIMIT or len(lines) > _LINES_LIMIT:
            yield Paragraph((f"This is the beginning of {len(value):,} characters.",))


def _sections(why: Why) -> Iterator[Block]:
    for section, title in _SECTIONS:
        if lines := why.lines(section):
            yield Paragraph((title,), strong=True)
            yield Points(tuple(_line(line, section) for line in lines), ordered=section is WhySection.TO_DO)


def _line(line: WhyLine, section: WhySection) -> Parts:
    return _said(line.text) if section is WhySection.ALSO_SEEN else (line.text,)


def _diagnostic(found: Diagnostic) -> Parts:
    detail = found.detail or {}
    parts: list[Part] = [Code(found.code)]
    if "issueCode" in detail:
        parts += [" ", Code(str(detail["issueCode"]))]
    if found.event_index is not None:
        parts.append(f" at event {found.event_index + 1:,}")
    if found.line is not None:
        parts.append(f" at line {found.line:,}, byte {found.offset or 0:,}")
    parts += [part for text in (found.tool_name, found.tool_call_id, found.field) if text for part in (" ", Code(text))]
    if "callToolName" in detail:
        parts += [", its call names ", Code(str(detail["callToolName"]))]
    return (*parts, ": ", *_said(str(detail["message"]))) if "message" in detail else tuple(parts)


def _finding(finding: Finding) -> Parts:
    look = TORN_ROW if finding.code == "torn_tail" else UNREADABLE if _blocks(finding.code) else None
    place = [finding.place] if finding.place else []
    place += [f"{finding.length:,} bytes"] if finding.length is not None else []
    rest = [part for text in (finding.field, finding.detail, finding.path) if text for part in (" ", Code(text))]
    mark = f"{look.glyph} {look.word} " if look else ""
    where = f" {', '.join(place)}" if place else ""
    return (mark, Code(finding.code), f"{where}: ", *_said(finding.message), *rest)


def _blocks(code: str) -> bool:
    return code.startswith(("row_", "header_", "ledger_unreadable"))


def _timeline(rows: Iterable[TimelineRow]) -> Listing:
    lines, marked = [], set()
    for place, row in enumerate(rows):
        if row.about or row.finding:
            marked.add(place)
        number = f"{row.number:,}" if row.number is not None else "–"
        when = absolute_time(row.ts).removesuffix(" UTC") if row.ts is not None else ""
        sign = ">" if row.about else "!" if row.finding else " "
        text = printable(f"{row.kind:<10}  {row.summary}", limit=_SUMMARY_LIMIT)
        lines.append(f"{sign} {number:>6}  {when:<23}  {text}".rstrip())
    return Listing(tuple(lines), frozenset(marked))


def _said(text: str) -> Parts:
    """Take a sentence that may hold words of the workspace: where it does, all of it is shown as code."""
    return (text,) if _OURS.fullmatch(text) else (Code(text),)
