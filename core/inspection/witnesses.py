"""What was also seen about a call: evidence outside of the decision, which `resume` may not import.

A witness can suggest that a tool had started; it never settles a call (contract: storage corruption is not a fact).
"""

from __future__ import annotations

from ..decision.operations import ToolOperation
from ..storage.ledger import Ledger
from .seen import Seen, call_place
from .witness import Witness, run_witnesses, torn_fragment

__all__ = ["Seen", "Witness", "call_place", "run_witnesses", "torn_fragment", "witnesses_for"]


def witnesses_for(ledger: Ledger, operation: ToolOperation, high_water: int | None = None) -> tuple[Witness, ...]:
    """Return what was also seen about one operation within the first `high_water` events and beside the ledger."""
    end = len(ledger) if high_water is None else min(high_water, len(ledger))
    return tuple(Seen(ledger, call_place(operation), end).about(operation))
