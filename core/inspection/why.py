"""Why a run, or one operation of it, is judged as it is: every fact with the row that shows it.

A value for screens and for documents to write down; it holds words of the workspace as they are, hostile until they
are printed safely.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from datetime import UTC, tzinfo
from enum import StrEnum
from typing import Final

from msgspec import Struct

from ..decision.diagnostics import Diagnostic
from ..decision.operations import OperationStatus, ToolOperation
from ..decision.resume import OFFSET_MISMATCH
from ..records.events import Actions
from ..storage.ledger import LedgerChanged
from .brief import ACTS, seen_briefly
from .expectation import expectation
from .explain import absolute_time, ago, call_facts, explain_operation, short_time
from .glossary import entry
from .inspect import Inspection
from .summary import counted
from .times import zone_name
from .witnesses import Witness, run_witnesses, torn_fragment

_REPLAY_IS_NO_CHECK: Final = (
    "whether any effect is really there; a replay runs no tool, undoes nothing, checks no target."
)


class WhySection(StrEnum):
    """What a section speaks of, in the order in which a person needs it."""

    FACTS = "facts"
    PROVES = "proves"
    NOT_SHOWN = "not_shown"
    ALSO_SEEN = "also_seen"
    TO_DO = "to_do"
    DIAGNOSTICS = "diagnostics"
    STORAGE = "storage"
    REASON = "reason"


class WhyLine(Struct, frozen=True):
    """One statement."""

    text: str
    name: str = ""
    """What the statement is about, where it is a value with a name."""
    row: int | None = None
    """The row that shows it, 0-based among all rows of the ledger."""


class Why(Struct, frozen=True):
    """The whole answer. Empty sections are left out."""

    status: OperationStatus | None
    """Status of the operation; None for the run as a whole."""
    codes: tuple[str, ...]
    """The stable codes behind the answer, the most telling first."""
    tool_name: str
    tool_call_id: str
    row: int | None
    """The call's row."""
    sections: dict[WhySection, tuple[WhyLine, ...]]
    seen: str = ""
    """What was also seen, in a few words."""
    act: str = ""
    """What to do before anyone acts, in one sentence that follows these words; empty where there is nothing to do."""

    def lines(self, section: WhySection) -> tuple[WhyLine, ...]:
        """Return the statements of a section."""
        return self.sections.get(section, ())


def why_operation(inspection: Inspection, operation: ToolOperation, zone: tzinfo | None = UTC) -> Why:
    """Say why one operation has its status. Reads rows of the ledger and what lies beside it.

    Times are written in `zone`; None is the zone of this machine.
    """
    found = entry(operation.status, "status") if operation.settled else None
    found = found or explain_operation(operation)
    own = [diagnostic for diagnostic in inspection.plan.diagnostics if _is_about(operation, diagnostic.event_index)]
    proves = [WhyLine(found.proves, row=operation.call_index)]
    for code in (operation.reason, *operation.issues):
        more = entry(code, "reason", "issue")
        if more is not None and more.proves != found.proves:
            proves.append(WhyLine(more.proves))
    # That a later run went on from here is news about every call that is not settled.
    later = () if operation.settled else run_witnesses(inspection.ledger)
    witnesses = (*inspection.witnesses_for(operation), *later)
    others = [d for d in inspection.plan.diagnostics if not _is_about(operation, d.event_index)]
    return Why(
        operation.status,
        tuple(dict.fromkeys((str(operation.status), *(diagnostic.code for diagnostic in own)))),
        operation.tool_name,
        operation.tool_call_id,
        operation.call_index,
        _present(
            {
                WhySection.FACTS: _operation_facts(inspection, operation, zone),
                WhySection.PROVES: proves,
                WhySection.NOT_SHOWN: _not_shown([found.not_shown]),
                WhySection.ALSO_SEEN: _outcomes(witnesses, zone),
                WhySection.TO_DO: map(WhyLine, found.to_do),
                WhySection.DIAGNOSTICS: _diagnostics(inspection, others),
                WhySection.REASON: _reason(operation),
            }
        ),
        seen="; ".join(seen_briefly(witnesses)),
        act=ACTS.get(operation.status, ""),
    )


def why_run(inspection: Inspection, zone: tzinfo | None = UTC) -> Why:
    """Say why the prefix as a whole is judged as it is; otherwise as `why_operation`."""
    plan = inspection.plan
    handed = {doubt.call_index for doubt in inspection.doubts if doubt.dispatch_index is not None}
    entries = [
        entry(_told_code(diagnostic, handed), "rejection", "issue", "diagnostic", "reason")
        for diagnostic in plan.diagnostics
    ]
    found = list(dict.fromkeys(one for one in entries if one is not None))
    proves = [WhyLine(one.proves) for one in found] if plan.blocked else _replayable(inspection)
    not_shown = [one.not_shown for one in found] if plan.blocked else [_REPLAY_IS_NO_CHECK]
    steps = tuple(dict.fromkeys(step for one in found for step in one.to_do))
    seen = tuple(_beside(inspection, zone))
    return Why(
        None,
        tuple(dict.fromkeys((*plan.rejection_reasons, *(diagnostic.code for diagnostic in plan.diagnostics)))),
        "",
        "",
        None,
        _present(
            {
                WhySection.FACTS: _expected(inspection),
                WhySection.PROVES: proves,
                WhySection.NOT_SHOWN: _not_shown(not_shown),
                WhySection.ALSO_SEEN: seen,
                WhySection.TO_DO: map(WhyLine, steps),
                WhySection.DIAGNOSTICS: _diagnostics(inspection, plan.diagnostics),
                WhySection.STORAGE: _storage(inspection),
            }
        ),
        seen="; ".join(line.text for line in seen),
        act=" ".join(steps),
    )


def _expected(inspection: Inspection) -> Iterator[WhyLine]:
    """Say how many events were expected where others are there: a reason that no tool call has a part in."""
    for diagnostic in inspection.plan.diagnostics:
        if diagnostic.code == OFFSET_MISMATCH and diagnostic.detail:
            found = expectation(inspection.ledger, diagnostic.detail["expectedRuntimeEventHighWater"])
            yield WhyLine(f"{found.expected:,} committed events", "expected")
            yield WhyLine(f"{found.found:,} committed events", "found")
            yield WhyLine(found.says, "differs", found.row)


def _present(sections: dict[WhySection, Iterable[WhyLine]]) -> dict[WhySection, tuple[WhyLine, ...]]:
    return {section: found for section, lines in sections.items() if (found := tuple(lines))}


def _is_about(operation: ToolOperation, event_index: int | None) -> bool:
    return event_index is not None and event_index in operation.event_indexes


def _told_code(diagnostic: Diagnostic, handed: Container[int | None]) -> str:
    """Return the code whose words are told; a call that was handed to its tool is known to have started."""
    if diagnostic.code == "pending_tool_result" and diagnostic.event_index in handed:
        return "dispatch_without_response"
    return str((diagnostic.detail or {}).get("issueCode", diagnostic.code))


def _not_shown(sentences: Iterable[str]) -> list[WhyLine]:
    return [WhyLine(said[0].upper() + said[1:]) for said in dict.fromkeys(sentences) if said]


def _operation_facts(inspection: Inspection, operation: ToolOperation, zone: tzinfo | None) -> Iterator[WhyLine]:
    facts = call_facts(inspection.ledger, operation)
    for name, value in facts.arguments:
        yield WhyLine(value, name)
    if facts.cwd is not None:
        yield WhyLine(facts.cwd, "in")
    if facts.ts is not None and facts.ts == facts.ts:
        now = inspection.now_ms
        age = f", {ago(now - facts.ts)}" if now is not None and now >= facts.ts else ""
        yield WhyLine(absolute_time(facts.ts, zone) + age, "called", operation.call_index)
    if operation.dispatch_index is not None:
        mode = f"event {operation.dispatch_index + 1:,}, recovery mode {operation.recovery_mode}"
        yield WhyLine(mode, "dispatched", operation.dispatch_index)
    if operation.response_index is not None:
        outcome = "an error" if operation.response_is_error else "no error"
        yield WhyLine(f"event {operation.response_index + 1:,}, {outcome}", "response", operation.response_index)
    if operation.hidden:
        yield WhyLine(f"a tool, {operation.parent_tool_call_id or 'whose call is not named'}", "called by")


def _reason(operation: ToolOperation) -> Iterator[WhyLine]:
    for code in dict.fromkeys((operation.reason, *operation.issues)):
        found = entry(code, "reason", "issue")
        yield WhyLine(found.title if found else "", code)


def _outcomes(witnesses: Sequence[Witness], zone: tzinfo | None) -> Iterator[WhyLine]:
    """Leave out that a permission was asked for where it is said how that ended."""
    ended = {"permission_allowed", "permission_denied", "permission_unanswered"}
    answered = any(witness.code in ended for witness in witnesses)
    return (_witness(witness, zone) for witness in witnesses if not (answered and witness.code == "permission_asked"))


def _witness(witness: Witness, zone: tzinfo | None) -> WhyLine:
    place = ""
    if witness.event_index is not None:
        place = f", event {witness.event_index + 1:,}"
    elif witness.ts is not None:
        place = f", {short_time(witness.ts, zone, seconds=True)} {zone_name(witness.ts, zone)}"
    return WhyLine(witness.says + place, row=witness.event_index)


def _beside(inspection: Inspection, zone: tzinfo | None) -> Iterator[WhyLine]:
    yield from (_witness(witness, zone) for witness in run_witnesses(inspection.ledger))
    fragment = None if inspection.what_if else torn_fragment(inspection.ledger)
    if fragment is not None:
        said = "a row is being written, not an event yet" if inspection.being_written else "a torn row, not an event"
        yield WhyLine(f"{said}, not counted: {fragment.says}", row=len(inspection.ledger.rows) - 1)


def _diagnostics(inspection: Inspection, diagnostics: Iterable[Diagnostic]) -> Iterator[WhyLine]:
    rows_of = {finding.line: row for row, finding in inspection.ledger.rows.findings.items()}
    for diagnostic in diagnostics:
        detail, index, line = diagnostic.detail or {}, diagnostic.event_index, diagnostic.line
        words = [str(detail["issueCode"])] if "issueCode" in detail else []
        words += [diagnostic.tool_name] if diagnostic.tool_name else []
        words += [f"event {index + 1:,}"] if index is not None else []
        words += [inspection.ledger.place(line, diagnostic.offset or 0)] if line is not None else []
        words += [diagnostic.field] if diagnostic.field else []
        words += [str(detail["message"])] if "message" in detail else []
        words += [f"the call names {detail['callToolName']}"] if "callToolName" in detail else []
        if "expectedRuntimeEventHighWater" in detail:
            expected, actual = detail["expectedRuntimeEventHighWater"], detail["actualRuntimeEventHighWater"]
            words.append(f"expected {counted(expected, 'event')}, found {actual:,}")
        row = index if index is not None or line is None else rows_of.get(line)
        yield WhyLine("  ".join(words), diagnostic.code, row)


def _storage(inspection: Inspection) -> Iterator[WhyLine]:
    rows_of = {finding: row for row, finding in inspection.ledger.rows.findings.items()}
    if inspection.being_written is not None:
        rows_of[inspection.being_written] = len(inspection.ledger.rows) - 1
    for finding in inspection.findings:
        place = [finding.place] if finding.place else []
        place += [finding.field] if finding.field else []
        where = f"{', '.join(place)}: " if place else ""
        detail = f" ({finding.detail})" if finding.detail else ""
        yield WhyLine(f"{where}{finding.message}{detail}", finding.code, rows_of.get(finding))


def _replayable(inspection: Inspection) -> list[WhyLine]:
    count = len(inspection.operations) + len(inspection.nested_operations)
    if not inspection.high_water:
        return [WhyLine("Nothing to resume: the prefix holds no event.")]
    if not count:
        return [WhyLine("No tool was called in this prefix.")]
    calls = "The one tool call" if count == 1 else f"Each of the {count:,} tool calls"
    said = [WhyLine(f"{calls} of this prefix has a recorded outcome.")]
    index = inspection.terminal_index
    if index is not None and index < inspection.high_water:
        said.append(WhyLine(f"The run ended: {_ended(inspection, index)}.", row=index))
    return said


def _ended(inspection: Inspection, index: int) -> str:
    try:
        event = inspection.ledger[index]
    except LedgerChanged:
        return "its row can no longer be read"
    if event.status:
        return str(event.status)
    return "the invocation ended" if isinstance(event.actions, Actions) else "a terminal fact"
