"""What lies beside a ledger: evidence that is shown, worded as such, and decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from .lineage import NO_RELATIVES, Lineage

if TYPE_CHECKING:
    from .partials import PartialSnapshot
    from .trace import TraceRecord


class Owner(Struct, frozen=True):
    """What is known about other processes that have the storage open."""

    known: bool
    """Whether this system can tell at all."""
    pid: int | None = None
    """A process that has it open; 0 where the system hides which."""

    @property
    def alive(self) -> bool:
        """Whether some process is known to have it open."""
        return self.pid is not None


NOT_KNOWN = Owner(known=False)


class JournalRecord(Struct, frozen=True):
    """One row of a database's own record of an operation; a projection, not a fact."""

    operation_id: str
    state: str
    ts: float | None = None
    """Milliseconds since 1970."""
    tool_call_id: str | None = None


class PendingInteraction(Struct, frozen=True):
    """A request to a person that has no outcome row."""

    request_id: str
    session_id: str
    run_id: str
    turn_id: str
    kind: str
    """`permission`, `question` or `sandbox_boundary`."""
    created_at: float | None
    """Milliseconds since 1970."""
    record: bytes
    """The request as JSON text."""
    tool_call_id: str | None = None
    """The call that waits for it, where the request names one."""

    def as_document(self) -> dict[str, object]:
        """Return plain JSON types; absent facts are absent keys."""
        facts = {
            "requestId": self.request_id,
            "kind": self.kind,
            "turnId": self.turn_id,
            "createdAt": self.created_at,
            "toolCallId": self.tool_call_id,
        }
        return {key: value for key, value in facts.items() if value is not None}


class Beside(Struct, frozen=True, eq=False):
    """Everything beside one run's ledger. Each part is read when first asked for, by whoever made it."""

    partials: Callable[[], tuple[PartialSnapshot, ...]] = tuple
    trace: Callable[[], tuple[TraceRecord, ...]] = tuple
    journal: Callable[[], tuple[JournalRecord, ...]] = tuple
    continued_by: Callable[[], tuple[str, ...]] = tuple
    """Ids of the runs that say they continue this one."""
    last_write_ms: Callable[[], float | None] = lambda: None
    """Time of the newest write to the run, milliseconds since 1970."""
    owner: Callable[[], Owner] = lambda: NOT_KNOWN
    """Whether a process has the storage open."""
    interactions: Callable[[], tuple[PendingInteraction, ...]] = tuple
    """Requests to a person that have no outcome row."""
    lineage: Callable[[], Lineage] = lambda: NO_RELATIVES
