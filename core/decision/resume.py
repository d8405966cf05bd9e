"""The ResumePlan: may a committed prefix be replayed to the provider, and if not, why (contract: Required decisions).

Pure and deterministic. It fails closed: what is not proved settled blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct

from ..errors import RequestError
from ..records.events import RuntimeEvent
from .diagnostics import Diagnostic, diagnose
from .operations import EventAt, Made, Operations, OperationStatus, chosen_operations, fold, operations_at
from .replay import ProviderReplay, replay_at
from .tool_calls import CALLLESS, NESTED, STATUSES
from .tool_ledger import Snapshot, ToolLedger

OFFSET_MISMATCH: Final = "runtime_offset_mismatch"
DANGLING: Final = "dangling_tool_state"

_FEW: Final = 64
"""So many unsettled operations are kept with a plan that names them: else each is read when it is asked for."""


class Disposition(StrEnum):
    """The decision."""

    SAFE_REPLAY = "safe_replay"
    BLOCKED = "blocked"


class StorageFault(Struct, frozen=True):
    """Something in the storage that forbids any replay: `source_run_unreadable` or `runtime_ledger_unreadable`."""

    code: str
    line: int | None = None
    """1-based."""
    offset: int | None = None
    """Bytes."""
    length: int | None = None
    """Bytes."""
    field: str | None = None
    """JSON path."""
    detail: Mapping[str, Any] | None = None


class PlanSummary(Struct, frozen=True):
    """The decision about a prefix without its reasons; cheap enough to follow a moving prefix."""

    high_water: int
    disposition: Disposition
    counts: Mapping[OperationStatus, int]
    """Visible operations by status; every status is there."""
    nested_counts: Mapping[OperationStatus, int]
    """Hidden operations by status."""
    unsettled: Operations
    """The operations without an outcome, hidden ones included, in the order of their first mention."""

    @property
    def blocked(self) -> bool:
        """Whether replay is not allowed."""
        return self.disposition is Disposition.BLOCKED


@dataclass(frozen=True)
class ResumePlan:
    """The whole decision about a prefix. Operations, and the events of the replay, are read when they are asked for."""

    disposition: Disposition
    operations: Operations
    nested_operations: Operations
    """Hidden operations: tools called by tools."""
    unsettled: Operations
    """The operations without an outcome, hidden ones included."""
    diagnostics: tuple[Diagnostic, ...]
    rejection_reasons: tuple[str, ...]
    """The roll-up of the diagnostics, in the order of their first occurrence."""
    requires_verification: bool
    """Whether some operation may or may not have run."""
    source_runtime_event_high_water: int
    """Number of events that the plan stands on."""
    replay: ProviderReplay

    @property
    def blocked(self) -> bool:
        """Whether replay is not allowed."""
        return self.disposition is Disposition.BLOCKED

    def as_document(self) -> dict[str, Any]:
        """Return plain JSON types in the ledger's spelling."""
        nested = [operation.as_document() for operation in self.nested_operations]
        return {
            "disposition": str(self.disposition),
            "operations": [operation.as_document() for operation in self.operations],
            **({"nestedOperations": nested} if nested else {}),
            "diagnostics": [diagnostic.as_document() for diagnostic in self.diagnostics],
            "rejectionReasons": list(self.rejection_reasons),
            "requiresVerification": self.requires_verification,
            "sourceRuntimeEventHighWater": self.source_runtime_event_high_water,
            "replayRuntimeEventIds": list(self.replay.event_ids()),
            "replayLeftOut": [{"eventIndex": left.index, "reason": left.reason} for left in self.replay.left_out],
        }


def build_resume_plan(events: Iterable[RuntimeEvent], *, expected_high_water: float | None = None) -> ResumePlan:
    """Decide about a committed prefix, given as its events.

    `expected_high_water` is how many events the caller expects; any other number is a `runtime_offset_mismatch`. Raises
    RequestError if it is no finite number at all. Nothing that the events say makes this raise.
    """
    ledger, at = fold(events)
    return _plan(ledger, ledger.length, expected_high_water, at)


def plan_at(
    tool_ledger: ToolLedger,
    end: int,
    expected_high_water: float | None = None,
    source: Sequence[RuntimeEvent] | None = None,
) -> ResumePlan:
    """Decide about the first `end` events of a fold: the plan that those events alone would get.

    `source` gives the events back; without it the fold is asked. Raises RequestError where there is no such prefix.
    """
    _check_prefix(tool_ledger, end)
    return _plan(tool_ledger, end, expected_high_water, tool_ledger.event if source is None else source.__getitem__)


def summary_at(tool_ledger: ToolLedger, end: int, source: Sequence[RuntimeEvent] | None = None) -> PlanSummary:
    """Decide about the first `end` events and leave out the reasons. Takes time for the unsettled operations only."""
    _check_prefix(tool_ledger, end)
    snapshot = tool_ledger.snapshot_at(end)
    return PlanSummary(
        end,
        Disposition.BLOCKED if end and tool_ledger.blocked_after[end - 1] else Disposition.SAFE_REPLAY,
        dict(zip(STATUSES, snapshot.counts, strict=False)),
        dict(zip(STATUSES, snapshot.counts[NESTED:], strict=False)),
        _unsettled(tool_ledger, end, snapshot, tool_ledger.event if source is None else source.__getitem__),
    )


def with_storage_faults(plan: ResumePlan, faults: Iterable[StorageFault]) -> ResumePlan:
    """Put faults of the storage on top of a plan: they come first and block (contract: Storage corruption)."""
    faults = tuple(faults)
    if not faults:
        return plan
    found = tuple(
        Diagnostic(
            fault.code,
            detail=fault.detail,
            line=fault.line,
            offset=fault.offset,
            length=fault.length,
            field=fault.field,
        )
        for fault in faults
    )
    return replace(
        plan,
        disposition=Disposition.BLOCKED,
        diagnostics=(*found, *plan.diagnostics),
        rejection_reasons=tuple(dict.fromkeys((*(fault.code for fault in faults), *plan.rejection_reasons))),
    )


def _plan(ledger: ToolLedger, end: int, expected: float | None, at: EventAt) -> ResumePlan:
    snapshot = ledger.snapshot_at(end)
    operations, nested = operations_at(ledger, end, snapshot.counts, at)
    made: Made | None = {} if len(snapshot.unsettled) <= _FEW else None
    diagnostics = (*_mismatch(end, expected), *diagnose(ledger, end, snapshot, at, made))
    reasons = (found.code if found.code == OFFSET_MISMATCH else DANGLING for found in diagnostics)
    return ResumePlan(
        disposition=Disposition.BLOCKED if diagnostics else Disposition.SAFE_REPLAY,
        operations=operations,
        nested_operations=nested,
        unsettled=_unsettled(ledger, end, snapshot, at, made),
        diagnostics=diagnostics,
        rejection_reasons=tuple(dict.fromkeys(reasons)),
        requires_verification=bool(snapshot.counts[0] + snapshot.counts[NESTED]),
        source_runtime_event_high_water=end,
        replay=replay_at(ledger, end, snapshot, at),
    )


def _unsettled(ledger: ToolLedger, end: int, snapshot: Snapshot, at: EventAt, made: Made | None = None) -> Operations:
    called = [number for number in snapshot.unsettled if ledger.calls.state_at(number, end) != CALLLESS]
    return chosen_operations(ledger, end, called, at, made)


def _mismatch(actual: int, expected: float | None) -> tuple[Diagnostic, ...]:
    if expected is None:
        return ()
    if isinstance(expected, bool) or not isinstance(expected, (int, float)) or not abs(expected) < math.inf:
        raise RequestError(f"an expected high-water is a number of events, not {expected!r}")
    if expected == actual:
        return ()
    detail = {"expectedRuntimeEventHighWater": expected, "actualRuntimeEventHighWater": actual}
    return (Diagnostic(OFFSET_MISMATCH, detail=detail),)


def _check_prefix(ledger: ToolLedger, end: int) -> None:
    if isinstance(end, bool) or not isinstance(end, int) or not 0 <= end <= ledger.length:
        raise RequestError(f"no prefix of {end!r} events: this ledger has {ledger.length:,}")
