"""The catalog of stable crash boundaries, and the committed prefix that each leaves behind (contract: Failpoints)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from msgspec import Struct

from ..records.events import RuntimeEvent
from .operations import fold
from .tool_calls import CALLLESS, is_settled
from .tool_ledger import ToolLedger


class CommittedPrefix(StrEnum):
    """The shape of a committed prefix."""

    BEFORE_FUNCTION_CALL = "before_function_call"
    AFTER_FUNCTION_CALL = "after_function_call"
    AFTER_FUNCTION_RESPONSE = "after_function_response"
    AFTER_TERMINAL_EVENT = "after_terminal_event"


class Failpoint(Struct, frozen=True):
    """A crash boundary: where the crash falls, and the last prefix that is fully committed by then."""

    id: str
    boundary: str
    committed_prefix: CommittedPrefix

    def as_document(self) -> dict[str, str]:
        """Return plain JSON types."""
        return {"id": self.id, "boundary": self.boundary, "committedPrefix": str(self.committed_prefix)}


RUNTIME_RESUME_FAILPOINTS: Final[tuple[Failpoint, ...]] = (
    Failpoint("P0", "before the tool call is prepared (T1)", CommittedPrefix.BEFORE_FUNCTION_CALL),
    Failpoint("P1", "function call committed, prepared journal not yet", CommittedPrefix.AFTER_FUNCTION_CALL),
    Failpoint("P2", "prepared journal committed, implementation not yet started", CommittedPrefix.AFTER_FUNCTION_CALL),
    Failpoint("P3", "while the implementation runs", CommittedPrefix.AFTER_FUNCTION_CALL),
    Failpoint("P4", "side effect done, outcome transaction (T2) not yet", CommittedPrefix.AFTER_FUNCTION_CALL),
    Failpoint("P5", "function response committed, outcome journal not yet", CommittedPrefix.AFTER_FUNCTION_RESPONSE),
    Failpoint("P6", "outcome committed, result not yet with the model", CommittedPrefix.AFTER_FUNCTION_RESPONSE),
    Failpoint("P7", "result delivered, next provider step not yet", CommittedPrefix.AFTER_FUNCTION_RESPONSE),
    Failpoint("P8", "at the commit of the terminal RuntimeEvent", CommittedPrefix.AFTER_FUNCTION_RESPONSE),
    Failpoint("P9", "at the commit of the terminal run header", CommittedPrefix.AFTER_TERMINAL_EVENT),
    Failpoint("P10", "at the commit of the recovery decision", CommittedPrefix.AFTER_TERMINAL_EVENT),
    Failpoint("P11", "at the creation of the continuation run", CommittedPrefix.AFTER_TERMINAL_EVENT),
)
"""P8 is judged on the prefix before the terminal append; the prefix after it is P9's."""


def committed_prefix_at(tool_ledger: ToolLedger, end: int) -> CommittedPrefix:
    """Return the shape of the first `end` events, for any number of calls."""
    terminal = tool_ledger.first_terminal
    if terminal is not None and terminal < end:
        return CommittedPrefix.AFTER_TERMINAL_EVENT
    counts = tool_ledger.snapshot_at(end).counts[:CALLLESS]
    settled = sum(count for state, count in enumerate(counts) if is_settled(state))
    if sum(counts) > settled:
        return CommittedPrefix.AFTER_FUNCTION_CALL
    return CommittedPrefix.AFTER_FUNCTION_RESPONSE if settled else CommittedPrefix.BEFORE_FUNCTION_CALL


def failpoints_of(prefix: CommittedPrefix) -> tuple[Failpoint, ...]:
    """Return the failpoints that leave such a prefix behind; the crash need not have fallen at any of them."""
    return tuple(failpoint for failpoint in RUNTIME_RESUME_FAILPOINTS if failpoint.committed_prefix is prefix)


def failpoints_for(events: Iterable[RuntimeEvent]) -> tuple[Failpoint, ...]:
    """Return the failpoints whose committed prefix has the shape of these events."""
    ledger, _ = fold(events)
    return failpoints_of(committed_prefix_at(ledger, ledger.length))
