"""What changed between two prefixes of a run, as paragraphs that lead to the events concerned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from textual.content import Content

from core import (
    CoreError,
    Diagnostic,
    Difference,
    Inspection,
    OperationChange,
    RowKind,
    arguments_line,
    printable,
    summarize,
)

from ..styles import DISPOSITIONS, STATUSES, Signs
from .lines import BLANK, Line

SHOWN: Final = 200
"""Events, calls and diagnostics that are listed, of each sort."""

_READ_AT_MOST: Final = 256 << 10
"""Bytes. A longer row is named by its kind alone."""


def change_lines(difference: Difference, signs: Signs) -> Iterator[Line]:
    """Give both decisions, then the calls that changed, the events, and the diagnostics."""
    yield _decision("marked", difference.before, signs)
    yield _decision("now", difference.after, signs)
    yield from _section("Calls that changed", [_call(one, difference, signs) for one in difference.operations[:SHOWN]],
                        len(difference.operations))  # fmt: skip
    for title, side, indexes in (
        ("Events added", difference.after, difference.added),
        ("Events left out", difference.before, difference.removed),
    ):
        yield from _section(title, [_event(side, index) for index in indexes[:SHOWN]], len(indexes))
    appeared, went = difference.diagnostics
    for title, found in (("Diagnostics that appeared", appeared), ("Diagnostics that went", went)):
        yield from _section(title, [_diagnostic(one) for one in found[:SHOWN]], len(found))
    if not (difference.operations or difference.added or difference.removed):
        yield BLANK
        yield Line(Content.styled("Nothing changed: both are the same events.", "$ink"))


def _section(title: str, lines: Sequence[Line], count: int) -> Iterator[Line]:
    if not count:
        return
    yield BLANK
    yield Line(Content.styled(f"{title}  {count:,}", "bold $ink"))
    yield from lines
    if count > len(lines):
        yield Line(Content.styled(f"  and {count - len(lines):,} more", "$muted"))


def _decision(name: str, inspection: Inspection, signs: Signs) -> Line:
    look = DISPOSITIONS[inspection.plan.disposition]
    codes = ", ".join(dict.fromkeys(found.code for found in inspection.plan.diagnostics))
    loud = inspection.plan.blocked and not inspection.what_if and not inspection.live
    would = "would be " if inspection.what_if else "if it died now: " if inspection.live else ""
    count = inspection.high_water
    return Line(
        Content.assemble(
            (f"{name:<8}{count:>7,} event{' ' if count == 1 else 's'}  ", "$muted"),
            (would, "$ink"),
            (f"{signs.of(look)} {look.word}", "bold $doubt" if loud else "bold $ink"),
            (f"  {printable(codes, limit=300)}" if codes else "", "$muted"),
        ),
        hang=19,
    )


def _call(change: OperationChange, difference: Difference, signs: Signs) -> Line:
    known, side = change.known, difference.after if change.after is not None else difference.before
    before = "not there" if change.before is None else STATUSES[change.before.status].word
    after = "not there" if change.after is None else STATUSES[change.after.status].word
    said = printable(_arguments(side, known.call_index), limit=120)
    unsettled = change.after is not None and not change.after.status.settled
    style = "$muted" if not unsettled else "bold $live" if side.live or side.what_if else "bold $doubt"
    number = f"#{known.call_index + 1:,}  " if known.call_index is not None else ""
    return Line(
        Content.assemble(
            (f"  {number}{printable(known.tool_name, limit=80)}  ", "$ink"),
            (f"{before} {signs.arrow} {after}", style),
            (f"  {said}" if said else "", "$muted"),
        ),
        hang=4,
        row=known.call_index,
    )


def _arguments(side: Inspection, index: int | None) -> str:
    if index is None or side.ledger.rows.lengths[index] > _READ_AT_MOST:
        return ""
    try:
        return arguments_line(side.ledger[index])
    except CoreError:
        return ""


def _diagnostic(found: Diagnostic) -> Line:
    words = [printable(found.code), printable(found.tool_name or "", limit=80)]
    words += [f"event {found.event_index + 1:,}"] if found.event_index is not None else []
    return Line(Content.styled(f"  {'  '.join(filter(None, words))}", "$muted"), row=found.event_index)


def _event(side: Inspection, index: int) -> Line:
    kind = RowKind(side.ledger.rows.kinds[index]).word
    said = "a long row"
    if side.ledger.rows.lengths[index] <= _READ_AT_MOST:
        try:
            said = summarize(side.ledger[index])
        except CoreError as error:
            said = error.message
    text = Content.assemble((f"  {index + 1:>6,}  {kind:<10} ", "$muted"), (printable(said, limit=300), "$ink"))
    return Line(text, hang=21, row=index)
