"""What the top of a screen says about a run: sentences and figures, read once, so that drawing them reads nothing."""

from __future__ import annotations

from msgspec import Struct

from ..decision.resume import DANGLING, OFFSET_MISMATCH, Disposition, summary_at
from .expectation import expectation
from .explain import (
    CallFacts,
    call_facts,
    directive,
    header_line,
    headline,
    offset_mismatch,
    prefix_line,
    unresolved_line,
)
from .inspect import HeaderState, Inspection, Verdict, storage_faults


class VerdictFacts(Struct, frozen=True):
    """The verdict on one prefix. Words of the workspace in it are hostile until printed safely."""

    verdict: Verdict
    disposition: Disposition
    headline: str
    """What is in doubt; empty where nothing is."""
    unresolved: str
    """How many calls are not settled, to be followed by the most urgent one; often the headline itself, or empty."""
    call: CallFacts | None
    """The most urgent unsettled call."""
    call_age_ms: float | None
    """How long ago it was made; None without a clock."""
    directive: str
    codes: str
    """Every diagnostic code with its rejection reason: `pending_tool_result (dangling_tool_state)`."""
    codes_short: str
    """The most telling code, how many others there are, and its reason."""
    prefix: str
    prefix_short: tuple[str, ...]
    """Shorter ways to say it, the longest first."""
    prefix_brief: str
    """The shortest, where the shape of the prefix is said elsewhere."""
    header: str
    """How header and terminal fact fit together."""
    disagrees: bool
    """Whether header and ledger contradict each other."""
    mismatch: str
    """Which number of events was expected and which was found; empty where none was expected, or the right one."""
    mismatch_at: str
    """The first event that is there or expected, but not both."""
    stale: bool
    """Whether Maka no longer reads this storage."""
    empty: bool
    """Whether the ledger holds no event at all."""
    live: bool
    """Whether a writer may be alive."""
    last_write_age_ms: float | None

    @property
    def blocked(self) -> bool:
        """Whether replay is not allowed."""
        return self.disposition is Disposition.BLOCKED


def verdict_facts(inspection: Inspection) -> VerdictFacts:
    """Read what the top of a screen says. Reads rows of the ledger."""
    ledger, plan, now = inspection.ledger, inspection.plan, inspection.now_ms
    call = call_facts(ledger, inspection.doubts[0]) if inspection.doubts else None
    short = prefix_line(inspection, short=True)
    call_age = now - call.ts if now is not None and call is not None and call.ts is not None else None
    return VerdictFacts(
        verdict=inspection.verdict,
        disposition=plan.disposition,
        headline=headline(inspection),
        unresolved=unresolved_line(inspection),
        call=call,
        call_age_ms=call_age,
        directive=directive(inspection),
        codes=codes_line(inspection),
        codes_short=codes_line(inspection, short=True),
        prefix=prefix_line(inspection),
        prefix_short=(short, short.replace("same as failpoints", "same as")),
        prefix_brief=_prefix_brief(inspection),
        header=header_line(inspection),
        disagrees=inspection.header_state is HeaderState.DISAGREES,
        mismatch=offset_mismatch(inspection),
        mismatch_at=_first_difference(inspection),
        stale=ledger.stale,
        empty=not len(ledger.rows),
        live=inspection.live,
        last_write_age_ms=inspection.last_write_age_ms,
    )


def _first_difference(inspection: Inspection) -> str:
    for diagnostic in inspection.plan.diagnostics:
        if diagnostic.code == OFFSET_MISMATCH and diagnostic.detail:
            return expectation(inspection.ledger, diagnostic.detail["expectedRuntimeEventHighWater"]).brief
    return ""


def codes_line(inspection: Inspection, *, short: bool = False) -> str:
    """Write the diagnostic codes, each group with its rejection reason: the diagnostic is the answer."""
    reasons = inspection.plan.rejection_reasons
    groups: dict[str, list[str]] = {reason: [] for reason in reasons}
    for diagnostic in inspection.plan.diagnostics:
        group = groups.get(diagnostic.code if diagnostic.code in groups else DANGLING)
        if group is not None and diagnostic.code not in group:
            group.append(diagnostic.code)
    if short:
        others = sum(map(len, groups.values())) - 1
        groups = {reason: codes[:1] for reason, codes in list(groups.items())[:1]}
    said = [reason if codes == [reason] else f"{', '.join(codes)} ({reason})" for reason, codes in groups.items()]
    return "; ".join(said) + (f" +{others:,}" if short and others > 0 else "")


def _prefix_brief(inspection: Inspection) -> str:
    ids = " ".join(failpoint.id for failpoint in inspection.failpoints)
    return f"prefix {inspection.high_water:,}/{len(inspection.ledger):,}, same as {ids}"


def what_if_disposition(inspection: Inspection, end: int) -> Disposition:
    """Say how the first `end` events alone would be decided, faults of the storage included; quick for any prefix."""
    if storage_faults(inspection.ledger):
        return Disposition.BLOCKED
    return summary_at(inspection.ledger.tool_ledger, end, inspection.ledger).disposition


def flip_after(blocked_after: bytes | bytearray, end: int, length: int | None = None) -> int | None:
    """Return the next longer prefix that is decided otherwise than the first `end` events; None if there is none.

    `length` is that of the ledger, where the fold may have taken more already.
    """
    now = blocked_after[end - 1] if end else 0
    found = blocked_after.find(1 - now, end, length)
    return found + 1 if found >= 0 else None


def flip_before(blocked_after: bytes | bytearray, end: int) -> int | None:
    """Return the next shorter prefix that is decided otherwise than the first `end` events; None if there is none."""
    now = blocked_after[end - 1] if end else 0
    found = blocked_after.rfind(1 - now, 0, max(end - 1, 0))
    if found >= 0:
        return found + 1
    return 0 if now and end else None
