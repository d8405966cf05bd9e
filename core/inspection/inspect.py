"""Inspection: everything that a screen or a document says about one prefix of one ledger, in one value."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from ..decision.operations import OperationStatus, ToolOperation
from ..decision.resume import OFFSET_MISMATCH, ResumePlan, StorageFault, plan_at, with_storage_faults
from ..errors import RequestError
from ..once import once
from ..storage.findings import COMMITS_SURELY_LOST, HEADER_UNREADABLE, ROW_UNREADABLE, Finding
from ..storage.ledger import Ledger
from .operation_index import URGENCY

if TYPE_CHECKING:
    from ..decision.failpoints import CommittedPrefix, Failpoint
    from .witnesses import Seen, Witness

LIVE_WINDOW_MS: Final = 60_000
"""A write younger than this may come from a writer that is alive."""

_COPY_GAP_MS: Final = 24 * 3_600_000
"""A file written so long after its newest event is a copy, not a run at work."""


class Verdict(StrEnum):
    """What a person must know first about a run, most urgent first."""

    MAY_HAVE_RUN = "may_have_run"
    UNREADABLE = "unreadable"
    CONTRADICTORY = "contradictory"
    PARKED = "parked"
    NOT_DISPATCHED = "not_dispatched"
    OTHER_LENGTH = "other_length"
    """Nothing in the ledger blocks; only the number of events that a caller expected does."""
    MAY_BE_RUNNING = "may_be_running"
    REPLAYABLE = "replayable"


class HeaderState(StrEnum):
    """How the run's header and its terminal fact fit together."""

    MISSING = "missing"
    UNFINISHED = "unfinished"
    AGREES = "agrees"
    DISAGREES = "disagrees"


class Inspection(Struct, frozen=True, eq=False, dict=True):
    """All that is said about the first `high_water` events of a ledger. It is computed once and never changes."""

    ledger: Ledger
    high_water: int
    """Number of events that the decision stands on."""
    plan: ResumePlan
    now_ms: float | None = None
    """The caller's clock, milliseconds since 1970; None leaves out all that depends on it."""

    @property
    def what_if(self) -> bool:
        """Whether this is a prefix shorter than the ledger: a question, not the run's verdict."""
        return self.high_water != len(self.ledger)

    @property
    def operations(self) -> Sequence[ToolOperation]:
        """The tool calls of the prefix, in the order of their first mention."""
        return self.plan.operations

    @property
    def nested_operations(self) -> Sequence[ToolOperation]:
        """Hidden tool calls: made by a tool, not by the model."""
        return self.plan.nested_operations

    @once
    def doubts(self) -> tuple[ToolOperation, ...]:
        """The unsettled operations, nested ones included, most urgent first."""
        return tuple(sorted(self.plan.unsettled, key=lambda operation: URGENCY.index(operation.status)))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Remarks on the run's storage. Of a live run, a row without an end is not torn: it is being written."""
        writing = self.being_written
        found = self.ledger.findings
        return found if writing is None else tuple(writing if one.code == "torn_tail" else one for one in found)

    @once
    def being_written(self) -> Finding | None:
        """The row that a writer may be at work on (contract: Live ledger); None where there is none."""
        torn = self.ledger.torn_tail
        if torn is None or self.what_if or not self.live:
            return None
        said = "the last row is being written: not an event yet, not counted"
        return replace(torn, code="being_written", message=said)

    @property
    def committed_prefix(self) -> CommittedPrefix:
        """The shape of the prefix."""
        from ..decision.failpoints import committed_prefix_at

        return committed_prefix_at(self.ledger.tool_ledger, self.high_water)

    @property
    def failpoints(self) -> tuple[Failpoint, ...]:
        """The failpoints whose committed prefix has the same shape; the crash need not have fallen at any of them."""
        from ..decision.failpoints import failpoints_of

        return failpoints_of(self.committed_prefix)

    @once
    def witnesses(self) -> tuple[Witness, ...]:
        """What was also seen about the unsettled calls and about the run."""
        from .witnesses import run_witnesses  # of a run without doubt nobody asks

        found = [witness for doubt in self.doubts for witness in self.witnesses_for(doubt)]
        return (*found, *run_witnesses(self.ledger))

    def witnesses_for(self, operation: ToolOperation) -> tuple[Witness, ...]:
        """Return what was also seen about one operation."""
        first = self.doubts[0] if self.doubts else None
        return self._witnesses_for_first if operation is first else self._witnesses_in_words(operation)

    @once
    def _witnesses_for_first(self) -> tuple[Witness, ...]:
        """What was also seen about the most urgent call: most that is said of a run asks for it."""
        return self._witnesses_in_words(self.doubts[0])

    def _witnesses_in_words(self, operation: ToolOperation) -> tuple[Witness, ...]:
        found = self._witnesses_for(operation)
        if self.being_written is None:
            return found
        said = "the row that is being written"
        return tuple(
            replace(one, code="being_written", says=one.says.replace("the torn row", said))
            if one.code == "torn_row"
            else one
            for one in found
        )

    def _witnesses_for(self, operation: ToolOperation) -> tuple[Witness, ...]:
        from .witnesses import call_place, witnesses_for

        seen = self._seen_about_doubts
        if len(self.doubts) > 1 and call_place(operation) >= seen.start:
            return tuple(seen.about(operation))
        return witnesses_for(self.ledger, operation, self.high_water)

    @once
    def _seen_about_doubts(self) -> Seen:
        """What was seen since the first call in doubt, found once for all of them."""
        from .witnesses import Seen, call_place

        start = min(map(call_place, self.doubts), default=self.high_water)
        return Seen(self.ledger, start, self.high_water)

    @once
    def last_write_ms(self) -> float | None:
        """Time of the newest write to the run, milliseconds since 1970."""
        return self.ledger.beside.last_write_ms() or self.ledger.modified_ms

    @property
    def last_write_age_ms(self) -> float | None:
        """Age of the newest write; None without a clock."""
        if self.now_ms is None or self.last_write_ms is None:
            return None
        return max(0.0, self.now_ms - self.last_write_ms)

    @once
    def live(self) -> bool:
        """Whether a writer may be alive: a run that has not ended, and its storage open or written to a moment ago.

        A fresh copy is no run at work. A write that is still to come tells of a clock, not of a writer: else a run that
        crashed would be called running until that time has come.
        """
        if self.terminal_index is not None or self.ledger.stale or _ended(self.ledger):
            return False
        if self.ledger.beside.owner().alive:
            return True
        if self.now_ms is None or self.last_write_ms is None:
            return False
        newest = max((ts for ts in self.ledger.rows.times[-8:] if ts == ts), default=None)
        copied = newest is not None and self.last_write_ms - newest > _COPY_GAP_MS
        return abs(self.now_ms - self.last_write_ms) < LIVE_WINDOW_MS and not copied

    @property
    def terminal_index(self) -> int | None:
        """0-based position of the first terminal fact of the whole ledger."""
        index = self.ledger.tool_ledger.first_terminal
        return index if index is not None and index < len(self.ledger) else None

    @once
    def header_state(self) -> HeaderState:
        """How header and terminal fact fit together, over the whole ledger (screens: unfinished, DISAGREE)."""
        header = self.ledger.header
        if header is None:
            return HeaderState.MISSING
        if header.status not in _TERMINAL_OF_HEADER:
            return HeaderState.UNFINISHED
        if self.terminal_index is None:
            # The terminal fact may be among the rows that could not be read or are gone.
            whole = self.ledger.readable and not self.commits_lost
            return HeaderState.DISAGREES if whole else HeaderState.UNFINISHED
        status = self.ledger[self.terminal_index].status
        agrees = not status or status == "streaming" or status in _TERMINAL_OF_HEADER[header.status]
        return HeaderState.AGREES if agrees else HeaderState.DISAGREES

    @property
    def commits_lost(self) -> bool:
        """Whether the storage has lost commits for sure: the plan is that of what is left, and the run went on."""
        return any(finding.code in COMMITS_SURELY_LOST for finding in self.findings)

    @once
    def verdict(self) -> Verdict:
        """What a person must know first. A what-if prefix is never called running."""
        if self.live and not self.what_if:
            return Verdict.MAY_BE_RUNNING
        if storage_faults(self.ledger):
            return Verdict.UNREADABLE
        if not self.plan.blocked:
            return Verdict.UNREADABLE if self.commits_lost else Verdict.REPLAYABLE
        if self.doubts:
            return _VERDICT_OF_STATUS.get(self.doubts[0].status, Verdict.CONTRADICTORY)
        return Verdict.OTHER_LENGTH if self.plan.rejection_reasons == (OFFSET_MISMATCH,) else Verdict.CONTRADICTORY


_TERMINAL_OF_HEADER: Final = {
    "completed": frozenset({"completed"}),
    "failed": frozenset({"failed"}),
    "cancelled": frozenset({"cancelled", "aborted"}),
}

_VERDICT_OF_STATUS: Final = {
    OperationStatus.INDETERMINATE: Verdict.MAY_HAVE_RUN,
    OperationStatus.CORRUPTION: Verdict.CONTRADICTORY,
    OperationStatus.PARKED: Verdict.PARKED,
    OperationStatus.NOT_DISPATCHED: Verdict.NOT_DISPATCHED,
}


def inspect(
    ledger: Ledger,
    *,
    high_water: int | None = None,
    expected_high_water: int | None = None,
    now_ms: float | None = None,
) -> Inspection:
    """Say everything about a ledger, or about its first `high_water` events.

    `expected_high_water` is what a caller expects the whole ledger to hold; it cannot go with a shorter prefix.
    Raises RequestError for a prefix that the ledger does not have.
    """
    end = len(ledger) if high_water is None else high_water
    if isinstance(end, bool) or not isinstance(end, int) or not 0 <= end <= len(ledger):
        raise RequestError(
            f"no prefix of {high_water!r} events: this ledger has {len(ledger):,}",
            hint=f"give a whole number from 0 to {len(ledger)}",
        )
    if high_water is not None and expected_high_water is not None:
        raise RequestError("an expected high-water speaks of the whole ledger, not of a what-if prefix")
    plan = plan_at(ledger.tool_ledger, end, expected_high_water=expected_high_water, source=ledger)
    return Inspection(ledger, end, with_storage_faults(plan, storage_faults(ledger)), now_ms)


def storage_faults(ledger: Ledger) -> tuple[StorageFault, ...]:
    """Return what in the storage forbids any replay, the header's faults first (contract: Storage corruption)."""
    if not ledger.findings:
        return ()
    header = [finding for finding in ledger.findings if finding.code in HEADER_UNREADABLE]
    rows = [finding for finding in ledger.findings if finding.code in ROW_UNREADABLE]
    stale = [finding for finding in ledger.findings if finding.code == "stale_jsonl"]
    return (
        *(_fault("source_run_unreadable", finding) for finding in header),
        *(_fault("runtime_ledger_unreadable", finding) for finding in (*rows, *stale)),
    )


def _fault(code: str, finding: Finding) -> StorageFault:
    detail = {"finding": finding.code, "message": finding.message}
    return StorageFault(code, finding.line, finding.offset, finding.length, finding.field, detail)


def _ended(ledger: Ledger) -> bool:
    return ledger.header is not None and ledger.header.status in _TERMINAL_OF_HEADER
