"""`maka-ledger diff`: what changed between two prefixes of a run, or between two runs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Final

from core import (
    Diagnostic,
    Difference,
    Inspection,
    Ledger,
    Relation,
    RowKind,
    ToolOperation,
    Workspace,
    compare,
    counted,
    diff_document,
    inspect,
    ledger_together,
    open_workspace,
    printable,
    summarize,
)

from .evidence_targets import read_side
from .output import Line, Output
from .styles import DISPOSITIONS, STATUSES
from .targets import only_run, parse_target

_SHOWN: Final = 40
"""Events and calls that are listed, of each sort; the document has all of them."""


def diff(options: argparse.Namespace, out: Output, now_ms: float) -> int:
    """Compare and write; 0, whether something differs or not. Raises RequestError where a prefix does not exist."""
    with ExitStack() as held:
        sides = _Sides(held, now_ms)
        difference = compare(sides.inspect(options.before), sides.inspect(options.after))
        if options.json:
            out.document(diff_document(difference, options.before, options.after))
        else:
            out.lines(diff_lines(difference))
    return 0


class _Sides:
    """Opens each workspace and reads each ledger once, though both sides may be of the same."""

    def __init__(self, held: ExitStack, now_ms: float) -> None:
        self._held = held
        self._now_ms = now_ms
        self._workspaces: dict[str, Workspace] = {}
        self._ledgers: dict[tuple[str, str, str], Ledger] = {}

    def inspect(self, text: str) -> Inspection:
        """Inspect the prefix that a text names."""
        target = parse_target(text)
        workspace = self._workspaces.get(target.path)
        if workspace is None:
            workspace = self._workspaces[target.path] = self._held.enter_context(open_workspace(target.path))
        side = read_side(target, workspace)
        run = only_run(workspace, side.run_id)
        name = (target.path, run.session_id, run.run_id)
        ledger = self._ledgers.get(name)
        if ledger is None:
            ledger = self._ledgers[name] = ledger_together(run)
            self._held.callback(ledger.close)
        return inspect(ledger, high_water=side.high_water, now_ms=self._now_ms)


def diff_lines(difference: Difference) -> Iterator[Line]:
    """Give the decisions, how the events relate, and what was added, removed or changed."""
    yield _side("before", difference.before)
    yield _side("after ", difference.after)
    yield Line(f"  {_RELATIONS[difference.relation].format(common=counted(difference.common, 'event'))}")
    first = difference.first_difference
    if first is not None:
        differs = f"differ in {', '.join(first.differs)}" if first.differs else "are equal"
        yield Line(f"  first difference: event {first.before + 1:,} and event {first.after + 1:,} {differs}")
    yield from _events("+", difference.after, difference.added)
    yield from _events("-", difference.before, difference.removed)
    changed = difference.changed
    for pair in changed[:_SHOWN]:
        yield Line(f"* event {pair.before + 1:,} and event {pair.after + 1:,} differ in {', '.join(pair.differs)}")
    yield from _more(len(changed), "changed events")
    yield from _operations(difference)
    for sign, diagnostics in zip("+-", difference.diagnostics, strict=True):
        yield from (_diagnostic(sign, found) for found in diagnostics[:_SHOWN])
        yield from _more(len(diagnostics), "diagnostics")


_RELATIONS: Final = {
    Relation.SAME: "the same {common}",
    Relation.EXTENDED: "the first is a prefix of the second: {common} in common",
    Relation.SHORTENED: "the second is a prefix of the first: {common} in common",
    Relation.DIVERGED: "neither is a prefix of the other: {common} in common",
}


def _side(name: str, inspection: Inspection) -> Line:
    ledger, plan = inspection.ledger, inspection.plan
    look = DISPOSITIONS[plan.disposition]
    end, length = inspection.high_water, len(ledger)
    decided = f"{look.glyph} {look.word}  {counted(length, 'event')}"
    if inspection.what_if:
        decided = f"WHAT-IF after event {end:,} of {length:,}: would be {look.word}"
    codes = ", ".join(dict.fromkeys(found.code for found in plan.diagnostics))
    reasons = f"  {codes} ({', '.join(plan.rejection_reasons)})" if codes else ""
    tone = "live" if inspection.what_if else "doubt" if plan.blocked else "settled"
    return Line(printable(f"{name}  {ledger.run_id}  {decided}{reasons}", limit=600), tone)


def _events(sign: str, inspection: Inspection, indexes: Sequence[int]) -> Iterator[Line]:
    for index in indexes[:_SHOWN]:
        kind = RowKind(inspection.ledger.rows.kinds[index]).word
        said = summarize(inspection.ledger[index])
        yield Line(printable(f"{sign} event {index + 1:,}  {kind}  {said}", limit=200))
    yield from _more(len(indexes), "events")


def _operations(difference: Difference) -> Iterator[Line]:
    changes = difference.operations
    for change in changes[:_SHOWN]:
        known, before, after = change.known, _status(change.before), _status(change.after)
        tone = "doubt" if change.after is not None and not change.after.settled else ""
        yield Line(printable(f"  {known.tool_name}  {known.tool_call_id}:  {before} → {after}", limit=300), tone)
    yield from _more(len(changes), "changed calls")
    if difference.unchanged:
        yield Line(f"  {difference.unchanged:,} call{'s' if difference.unchanged > 1 else ''} as before", "muted")


def _status(operation: ToolOperation | None) -> str:
    if operation is None:
        return "not there"
    look = STATUSES[operation.status]
    return f"{look.glyph} {look.word} ({operation.reason})"


def _diagnostic(sign: str, found: Diagnostic) -> Line:
    issue = f" {found.detail['issueCode']}" if found.detail and "issueCode" in found.detail else ""
    at = f" at event {found.event_index + 1:,}" if found.event_index is not None else ""
    return Line(
        printable(f"{sign} diagnostic {found.code}{issue}{at}  {found.tool_name or ''}".rstrip(), limit=300), "muted"
    )


def _more(count: int, what: str) -> Iterator[Line]:
    if count > _SHOWN:
        yield Line(f"  and {count - _SHOWN:,} more {what}; --json has all of them", "muted")
