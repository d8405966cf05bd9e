"""What lies beside a ledger: evidence that is shown, worded as such, and decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .partials import PartialSnapshot
from .trace import TraceRecord


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """One row of a database's own record of an operation; a projection, not a fact."""

    operation_id: str
    state: str
    ts: float | None = None
    """Milliseconds since 1970."""
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """Everything beside one run's ledger. Each part is read when first asked for, by whoever made it."""

    partials: Callable[[], tuple[PartialSnapshot, ...]] = tuple
    trace: Callable[[], tuple[TraceRecord, ...]] = tuple
    journal: Callable[[], tuple[JournalRecord, ...]] = tuple
    continued_by: Callable[[], tuple[str, ...]] = tuple
    """Ids of the runs that say they continue this one."""
    last_write_ms: Callable[[], float | None] = lambda: None
    """Time of the newest write to the run, milliseconds since 1970."""
    owner: Callable[[], bool] = lambda: False
    """Whether a process is known to have the storage open for writing."""
