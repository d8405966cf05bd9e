"""The decision in sentences: the headline, what to do, and for one operation what is proved and what stays open.

Words from the workspace are in these sentences as they are: hostile until they are printed safely.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from ..decision.operations import OperationStatus, ToolOperation
from ..decision.resume import StorageFault
from ..records.events import FunctionCall
from ..storage.ledger import Ledger, LedgerChanged
from .inspect import HeaderState, Inspection, Verdict, storage_faults
from .summary import call_arguments, call_summary, counted

if TYPE_CHECKING:
    from .glossary import Entry

_LONGEST_AGE_MS: Final = 31_557_600_000.0 * 10_000
_LONGEST_DURATION_MS: Final = 86_400_000.0 * 100_000 - 86_400_000
_DURATION_WIDTH: Final = 6

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class CallFacts(Struct, frozen=True):
    """When, where and with what a call was made."""

    tool_name: str
    tool_call_id: str
    number: int | None
    """1-based number of the call's event; None where no call is recorded."""
    ts: float | None
    """Milliseconds since 1970."""
    cwd: str | None
    summary: str
    """The argument that says most."""
    arguments: tuple[tuple[str, str], ...]


def call_facts(ledger: Ledger, operation: ToolOperation) -> CallFacts:
    """Read when, where and with what an operation was called."""
    cwd = ledger.header.cwd if ledger.header is not None else None
    call, ts = _call(ledger, operation)
    summary, arguments = (call_summary(call), call_arguments(call)) if call is not None else ("", ())
    number = None if operation.call_index is None else operation.call_index + 1
    return CallFacts(operation.tool_name, operation.tool_call_id, number, ts, cwd, summary, arguments)


def call_line(ledger: Ledger, operation: ToolOperation) -> tuple[str, float | None]:
    """Read the argument that says most about a call, and when it was made, milliseconds since 1970."""
    call, ts = _call(ledger, operation)
    return (call_summary(call) if call is not None else "", ts)


def _call(ledger: Ledger, operation: ToolOperation) -> tuple[FunctionCall | None, float | None]:
    if operation.call_index is None:
        return None, None
    ts = ledger.rows.times[operation.call_index]
    try:
        content = ledger[operation.call_index].content
    except LedgerChanged:
        return None, ts
    return (content if isinstance(content, FunctionCall) else None), ts


def explain_operation(operation: ToolOperation) -> Entry:
    """Return what is proved and what stays open about one operation: by its reason, else by its status."""
    from .glossary import entry  # of a run without doubt nobody asks

    if operation.status is OperationStatus.CORRUPTION:
        found = entry(operation.reason, "issue")
    else:
        found = entry(operation.reason, "reason")
    found = found or entry(operation.status, "status")
    if found is None:
        raise AssertionError(operation.status)
    return found


def headline(inspection: Inspection) -> str:
    """Say in one line what is in doubt, as a screen's second line does; empty where the history may be replayed."""
    calls = unresolved_line(inspection)
    if inspection.verdict is Verdict.UNREADABLE or (storage_faults(inspection.ledger) and not calls):
        return _unreadable(inspection)
    if calls:
        return calls
    if not inspection.plan.blocked:
        return ""
    if "runtime_offset_mismatch" in inspection.plan.rejection_reasons:
        return offset_mismatch(inspection)
    first = inspection.plan.diagnostics[0]
    issue = str(first.detail["issueCode"]) if first.detail and "issueCode" in first.detail else first.code
    from .glossary import entry

    found = entry(issue, "issue", "diagnostic")
    return found.title if found else first.code


def unresolved_line(inspection: Inspection) -> str:
    """Say how many calls are not settled, and what that means; empty where all are.

    The most urgent of them belongs after the colon.
    """
    groups = _counts(inspection)
    return "; ".join(groups) + ":" if groups else ""


def offset_mismatch(inspection: Inspection) -> str:
    """Say which number of events was expected and which was found."""
    for diagnostic in inspection.plan.diagnostics:
        if diagnostic.code == "runtime_offset_mismatch" and diagnostic.detail:
            expected = diagnostic.detail["expectedRuntimeEventHighWater"]
            return f"expected {counted(expected, 'event')}, found {diagnostic.detail['actualRuntimeEventHighWater']:,}"
    return ""


def directive(inspection: Inspection) -> str:
    """Say what to do, in one line."""
    if inspection.verdict is Verdict.MAY_BE_RUNNING:
        return "A writer may be alive. Do not start anything on this run until it has ended."
    statuses = {doubt.status for doubt in inspection.doubts}
    if OperationStatus.INDETERMINATE in statuses or OperationStatus.CORRUPTION in statuses:
        many = len([doubt for doubt in inspection.doubts if doubt.status in _MAY_HAVE_RUN]) > 1
        return f"Do not run {'them' if many else 'it'} again until you have checked the target."
    if inspection.ledger.stale:
        return "Open the state root: Maka reads only its runtime.sqlite."
    if storage_faults(inspection.ledger):
        return "Keep a copy of the storage as it is. Do not resume this run."
    if OperationStatus.PARKED in statuses:
        return "Observed, not settled; a person decides."
    if OperationStatus.NOT_DISPATCHED in statuses:
        return "By this run's protocol it had not started. Replay stays blocked."
    if inspection.plan.blocked:
        return "Read the diagnostics below before anyone resumes this run."
    if inspection.commits_lost:
        return "Look for a whole copy of the database and its log. Do not resume this run."
    return "Runs no tool, undoes nothing, checks no target."


def header_line(inspection: Inspection) -> str:
    """Say how the run's header and its terminal fact fit together."""
    header = inspection.ledger.header
    state = inspection.header_state
    if header is None or state is HeaderState.MISSING:
        return "no header that can be trusted"
    status = terminal_status(inspection)
    fact = f"terminal fact {status}" if status else "no terminal fact"
    said = f"header {header.status}, {fact}"
    if state is HeaderState.DISAGREES:
        return f"{said}: DISAGREE"
    if state is HeaderState.UNFINISHED and header.status in ("completed", "failed", "cancelled"):
        return f"{said} in what could be read"
    return f"{said}: unfinished" if state is HeaderState.UNFINISHED else said


def terminal_status(inspection: Inspection) -> str | None:
    """Return the status of the ledger's first terminal fact, `ended` where it has none; None without such a fact."""
    if inspection.terminal_index is None:
        return None
    try:
        return str(inspection.ledger[inspection.terminal_index].status or "ended")
    except LedgerChanged:
        return "ended"


def prefix_line(inspection: Inspection, *, short: bool = False) -> str:
    """Say how long the prefix is and which failpoints have the same shape."""
    same = "same as" if short else "same committed prefix as"
    ids = " ".join(failpoint.id for failpoint in inspection.failpoints)
    plural = "s" if len(inspection.failpoints) > 1 else ""
    return (
        f"prefix {inspection.high_water:,} of {len(inspection.ledger):,}: {inspection.committed_prefix}, "
        f"{same} failpoint{plural} {ids}"
    )


def ago(age_ms: float) -> str:
    """Write an age for a person in ten characters at most: `14 s ago`, `2 h ago`, `3 d ago`, `4 y ago`."""
    if not age_ms < _LONGEST_AGE_MS:
        return ">9999y ago"
    seconds = int(max(age_ms, 0) // 1000)
    for size, least, unit in ((31_557_600, 86_400_000, "y"), (86_400, 0, "d"), (3_600, 0, "h"), (60, 0, "min")):
        if seconds >= max(size, least):
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"


def moment(ts_ms: float, zone: tzinfo | None = UTC) -> datetime | None:
    """Turn milliseconds since 1970 into a time; None where no calendar has it. A zone of None is this machine's."""
    try:
        return datetime.fromtimestamp(ts_ms / 1000, UTC).astimezone(zone)
    except (OverflowError, ValueError, OSError):
        return None


def absolute_time(ts_ms: float, zone: tzinfo | None = UTC) -> str:
    """Write `2026-11-29 12:00:21.704 UTC`; a time that no calendar has is written as its number."""
    at = moment(ts_ms, zone)
    if at is None:
        return f"{ts_ms:g} ms"
    return f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d} {at.tzname() or 'UTC'}"


def short_time(ts_ms: float, zone: tzinfo | None = UTC, *, seconds: bool = False) -> str:
    """Write `29 Nov 12:00`, or with seconds `29 Nov 12:00:21`; month names do not depend on the locale."""
    at = moment(ts_ms, zone)
    if at is None:
        return f"{ts_ms:g} ms"
    clock = f"{at:%H:%M:%S}" if seconds else f"{at:%H:%M}"
    return f"{at.day} {_MONTHS[at.month - 1]} {clock}"


def clock_time(ts_ms: float, zone: tzinfo | None = UTC) -> str:
    """Write `12:00:21.7`; a time that no calendar has is written as dashes."""
    at = moment(ts_ms, zone)
    return "--:--:--.-" if at is None else f"{at:%H:%M:%S}.{at.microsecond // 100_000}"


def day(ts_ms: float, zone: tzinfo | None = UTC) -> str:
    """Write `29 Nov 2026`; empty for a time that no calendar has."""
    at = moment(ts_ms, zone)
    return "" if at is None else f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


def duration_text(ms: float) -> str:
    """Write how long something took in at most six characters: `0.1s`, `14.2s`, `2m05`, `3h12`, `5d`, `-0.1s`.

    Times of a ledger are what its writer says: they may lie in any order, and farther apart than calendars reach.
    """
    if ms < 0:
        text = f"-{duration_text(-ms)}"
        return text if len(text) <= _DURATION_WIDTH else "<-999d"
    if not ms < _LONGEST_DURATION_MS:
        return ">9999d"
    seconds = ms / 1000
    if seconds < 99.95:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < 6000:
        return f"{whole // 60}m{whole % 60:02d}"
    if whole < 360_000:
        return f"{whole // 3600}h{whole % 3600 // 60:02d}"
    return f"{whole // 86_400}d"


_MAY_HAVE_RUN: Final = frozenset({OperationStatus.INDETERMINATE, OperationStatus.CORRUPTION})

_PHRASES: Final = (
    (OperationStatus.INDETERMINATE, "may have run"),
    (OperationStatus.CORRUPTION, "with contradictory rows"),
    (OperationStatus.PARKED, "parked"),
    (OperationStatus.NOT_DISPATCHED, "never dispatched"),
)


def _counts(inspection: Inspection) -> list[str]:
    groups: list[str] = []
    for status, phrase in _PHRASES:
        count = sum(doubt.status is status for doubt in inspection.doubts)
        if count:
            groups.append(
                f"{count} unresolved call{'s' if count > 1 else ''} {phrase}" if not groups else f"{count} {phrase}"
            )
    return groups


def _unreadable(inspection: Inspection) -> str:
    ledger = inspection.ledger
    if ledger.stale:
        return "stale JSONL: a runtime.sqlite stands beside it, and Maka reads only that"
    if inspection.commits_lost and not storage_faults(ledger):
        return "commits of the database are lost: this run may have gone on after what is shown"
    return "; ".join(_places(storage_faults(ledger)[:2], "key" if ledger.keyed else "byte"))


def _places(faults: Iterable[StorageFault], spot: str) -> Iterable[str]:
    for fault in faults:
        known = fault.line is not None and fault.offset is not None and (fault.offset or spot == "byte")
        place = f"row {fault.line:,}, {spot} {fault.offset:,}: " if known else ""
        field = f"{fault.field} " if fault.field else ""
        yield f"{place}{field}{(fault.detail or {}).get('message', '')}"
