"""The ids that every fact of one tool call must share: session, invocation, run and turn."""

from __future__ import annotations

from collections.abc import Sequence

from ..records.events import RuntimeEvent
from ..records.plain import Execution as Execution
from ..records.plain_events import PlainEvent


def execution_of(event: RuntimeEvent | PlainEvent) -> Execution:
    """Return the ids of session, invocation, run and turn."""
    return (event.session_id, event.invocation_id, event.run_id, event.turn_id)


def one_execution(events: Sequence[RuntimeEvent] | Sequence[PlainEvent]) -> bool:
    """Whether all events carry the same four ids; quick enough to ask of every row."""
    if not events:
        return True
    session_id, invocation_id, run_id, turn_id = execution_of(events[0])
    for event in events:
        if (
            event.run_id != run_id
            or event.invocation_id != invocation_id
            or event.turn_id != turn_id
            or event.session_id != session_id
        ):
            return False
    return True
