"""A report laid out: headings, paragraphs, points and listings, before anybody says in which format.

Of every piece of text it is known whose it is: a plain string is ours, `Code` is a word of the workspace, or a code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from core import (
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
    printable,
    printable_lines,
)

from .styles import DISPOSITIONS, MAY_BE_RUNNING, STATUSES, UNREADABLE, VERDICTS

_VALUE_LIMIT: Final = 4000
"""Characters of one argument; the JSON report has all of it."""

_LINES_LIMIT: Final = 60
_SUMMARY_LIMIT: Final = 160
_OURS: Final = re.compile(r"[A-Za-z0-9 ,.:;'()$_-]*")


@dataclass(frozen=True, slots=True)
class Code:
    """A word that is not ours, or a code: shown as it is, printed safely."""

    text: str


Part = str | Code
Parts = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the greatest."""

    level: int
    parts: Parts
    tone: str = ""
    """`doubt`, `evidence`, `live`, `settled` or nothing."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some text."""

    parts: Parts
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Points:
    """A list."""

    items: tuple[Parts, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
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
        counts = tuple((_count(verdict, count),) for verdict, count in report.counts if count)
        yield Points(counts or (("No runs: nothing to resume.",),))
    level = 1 if report.counts is None else 2
    for run in report.runs:
        yield from _run(run, level, report.made_ms)
    if report.findings:
        yield Heading(2, ("Storage",))
        yield Points(tuple(map(_finding, report.findings)))
    yield Paragraph((f"Made {absolute_time(report.made_ms)} by {report.made_by}; read-only. Read: ", Code(report.path)))


def _run(run: RunReport, level: int, now_ms: float) -> Iterator[Block]:
    facts = run.verdict
    look = DISPOSITIONS[facts.disposition]
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
    if run.cwd is not None:
        yield "in ", Code(run.cwd)
    yield (f"{facts.prefix}.",)
    yield (f"{facts.header}.",)
    if facts.codes:
        yield (Code(facts.codes),)
    yield (f"unresolved {len(run.doubts) + run.more_doubts:,}, settled {run.settled:,}",)
    counted = "" if run.rows == run.events else f" of {run.rows:,} rows"
    yield (f"{run.events:,} committed events{counted}, {run.committed_bytes:,} bytes",)
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
        yield Points(tuple(_line(line) for line in run.why.lines(WhySection.DIAGNOSTICS)[:_LINES_LIMIT]))
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
    where = f"line {row.line:,}, byte {row.offset:,}, {row.length:,} bytes, "
    points.append((f"event {facts.number or 0:,}: {where}", Code(doubt.event_id)))
    points += [("in ", Code(cwd))] if cwd is not None else []
    points += [(Code(f"{doubt.status} · {doubt.reason}"),)]
    yield Points(tuple(points))
    yield from _arguments(facts.arguments)
    yield from _sections(doubt.why)
    yield Paragraph(("The rows around it, times in UTC",), strong=True)
    yield _timeline(doubt.timeline)


def _arguments(arguments: tuple[tuple[str, str], ...]) -> Iterator[Block]:
    short = [(name, value) for name, value in arguments if "\n" not in value and len(value) <= _VALUE_LIMIT]
    if short:
        yield Points(tuple((Code(name), ": ", Code(value)) for name, value in short))
    for name, value in arguments:
        if (name, value) in short:
            continue
        yield Paragraph((Code(name),))
        lines = list(printable_lines(value[:_VALUE_LIMIT]))
        yield Listing(tuple(lines[:_LINES_LIMIT]))
        shown = sum(len(line) + 1 for line in lines[:_LINES_LIMIT])
        if shown < len(value):
            yield Paragraph((f"This is the beginning of {len(value):,} characters.",))


def _sections(why: Why) -> Iterator[Block]:
    for section, title in _SECTIONS:
        if lines := why.lines(section):
            yield Paragraph((title,), strong=True)
            yield Points(tuple(map(_line, lines)), ordered=section is WhySection.TO_DO)


def _line(line: WhyLine) -> Parts:
    return (Code(line.name), ": ", *_said(line.text)) if line.name and line.text else _said(line.text or line.name)


def _finding(finding: Finding) -> Parts:
    place = [f"line {finding.line:,}"] if finding.line is not None else []
    place += [f"byte {finding.offset:,}"] if finding.offset is not None else []
    place += [f"{finding.length:,} bytes"] if finding.length is not None else []
    rest = [Code(text) for text in (finding.field, finding.detail, finding.path) if text]
    where = f" {', '.join(place)}" if place else ""
    more = [part for one in rest for part in (" ", one)]
    return (f"{UNREADABLE.glyph} ", Code(finding.code), f"{where}: ", *_said(finding.message), *more)


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
