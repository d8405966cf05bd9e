"""What was also seen about a call: evidence outside of the decision, which `resume` may not import.

A witness can suggest that a tool had started; it never settles a call (contract: storage corruption is not a fact).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..decision.operations import ToolOperation
from ..records.events import Actions, PermissionDecision, Refs, RuntimeEvent
from ..storage.beside import Beside, PendingInteraction
from ..storage.ledger import Ledger, LedgerChanged
from ..storage.rows import RowKind
from .fragment import Fragment, read_fragment


@dataclass(frozen=True, slots=True)
class Witness:
    """One thing that was also seen."""

    code: str
    """A stable word: permission_asked, permission_allowed, permission_denied, permission_unanswered, question_asked,
    interaction_pending, heartbeat, partial_output, torn_row, trace, journal, child_run, owner, continued_by, claimed.
    """
    says: str
    """One sentence; words of the workspace in it are hostile until printed safely."""
    tool_call_id: str | None = None
    """The call it speaks of; None for the run as a whole."""
    event_index: int | None = None
    """0-based position of the event, where it is one."""
    ts: float | None = None
    """Milliseconds since 1970."""

    def as_document(self) -> dict[str, object]:
        """Return plain JSON types; absent facts are absent keys. Events are numbered from 1."""
        facts = {
            "code": self.code,
            "says": self.says,
            "toolCallId": self.tool_call_id,
            "event": None if self.event_index is None else self.event_index + 1,
            "ts": self.ts,
        }
        return {key: value for key, value in facts.items() if value is not None}


def witnesses_for(ledger: Ledger, operation: ToolOperation, high_water: int | None = None) -> tuple[Witness, ...]:
    """Return what was also seen about one operation within the first `high_water` events and beside the ledger."""
    end = len(ledger) if high_water is None else min(high_water, len(ledger))
    call_id = operation.tool_call_id
    found = [*_permissions(ledger, operation, end), *_partial_rows(ledger, operation, end)]
    if end == len(ledger):
        found += _beside(ledger.beside, call_id)
        torn = _torn(ledger, call_id)
        found += [torn] if torn else []
    return tuple(found)


def run_witnesses(ledger: Ledger) -> tuple[Witness, ...]:
    """Return what was also seen about the run as a whole."""
    return tuple(_beside_run(ledger.beside))


def torn_fragment(ledger: Ledger) -> Fragment | None:
    """Return what the torn row starts like; None where there is none, or it can no longer be read."""
    if ledger.torn_tail is None:
        return None
    try:
        return read_fragment(ledger.raw(len(ledger.rows) - 1))
    except LedgerChanged:
        return None


def _events(ledger: Ledger, kind: RowKind, start: int, end: int) -> Iterator[tuple[int, RuntimeEvent]]:
    place = ledger.rows.kinds.find(kind, start, end)
    while place >= 0:
        try:
            yield place, ledger[place]
        except LedgerChanged:
            return
        place = ledger.rows.kinds.find(kind, place + 1, end)


def _permissions(ledger: Ledger, operation: ToolOperation, end: int) -> Iterator[Witness]:
    start = operation.call_index if operation.call_index is not None else 0
    call_id = operation.tool_call_id
    asked: dict[str, tuple[int, RuntimeEvent]] = {}
    for index, event in _events(ledger, RowKind.PERMISSION, start, end):
        actions = event.actions
        if not isinstance(actions, Actions):
            continue
        request, decision = actions.permission_request, actions.permission_decision
        if request and request.tool_use_id == call_id:
            asked[request.request_id] = (index, event)
            yield Witness("permission_asked", f"permission asked: {request.category}", call_id, index, event.ts)
        if decision and decision.request_id in asked:
            del asked[decision.request_id]
            yield _decided(decision, call_id, index, event.ts)
    for index, event in asked.values():
        yield Witness("permission_unanswered", "permission was never answered", call_id, index, event.ts)
    for index, event in _events(ledger, RowKind.QUESTION, start, end):
        question = event.actions.user_question_request if isinstance(event.actions, Actions) else None
        if question and question.tool_use_id == call_id:
            yield Witness("question_asked", "a question was asked of the user", call_id, index, event.ts)


def _decided(decision: PermissionDecision, call_id: str, index: int, ts: float) -> Witness:
    who = "auto review" if decision.reviewer == "auto_review" else "user"
    if decision.decision == "allow":
        return Witness("permission_allowed", f"permission allowed by {who}", call_id, index, ts)
    return Witness("permission_denied", f"permission denied by {who}", call_id, index, ts)


def _partial_rows(ledger: Ledger, operation: ToolOperation, end: int) -> Iterator[Witness]:
    """Yield signs of life that were written into the ledger itself: partial rows that name the call."""
    start = operation.call_index if operation.call_index is not None else 0
    for index, event in _events(ledger, RowKind.EVENT, start, end):
        if event.partial and isinstance(event.refs, Refs) and event.refs.tool_call_id == operation.tool_call_id:
            yield Witness("heartbeat", "a heartbeat suggests it had started", operation.tool_call_id, index, event.ts)


def _beside(beside: Beside, call_id: str) -> Iterator[Witness]:
    for snapshot in beside.partials():
        if snapshot.tool_call_id == call_id:
            output = snapshot.kind is not None
            code, what = ("partial_output", "partial output") if output else ("heartbeat", "a heartbeat")
            yield Witness(code, f"{what} suggests it had started", call_id, None, snapshot.ts)
    for record in beside.trace():
        if record.tool_call_id == call_id:
            yield Witness("trace", f"the operational trace has {record.type}", call_id, None, record.ts)
    for row in beside.journal():
        if row.tool_call_id == call_id:
            yield Witness("journal", f"the database's journal has {row.state}", call_id, None, row.ts)

    for link in beside.lineage().children:
        if link.tool_call_id == call_id:
            yield Witness("child_run", f"it started the run {link.run_id} of session {link.session_id}", call_id)
    for waiting in beside.interactions():
        if waiting.tool_call_id == call_id:
            yield Witness("interaction_pending", _waits(waiting), call_id, None, waiting.created_at)


def _beside_run(beside: Beside) -> Iterator[Witness]:
    owner = beside.owner()
    if owner.alive:
        who = f"process {owner.pid}" if owner.pid else "a process that the system does not name"
        yield Witness("owner", f"{who} has the database open")
    for waiting in beside.interactions():
        if waiting.tool_call_id is None:
            yield Witness("interaction_pending", _waits(waiting), None, None, waiting.created_at)
    for run_id in beside.continued_by():
        yield Witness("continued_by", f"{run_id} says that it continues this run")
    for claim in beside.lineage().claims:
        if claim.start_event_id is None:
            said = f"{claim.target_run_id} was claimed to continue this run, and no event of it began"
            yield Witness("claimed", said, None, None, claim.claimed_at)


def _waits(waiting: PendingInteraction) -> str:
    return f"a request of the kind {waiting.kind} waits for a person"


def _torn(ledger: Ledger, call_id: str) -> Witness | None:
    fragment = torn_fragment(ledger)
    if fragment is None or fragment.tool_call_id != call_id:
        return None
    if fragment.kind == "function_response":
        return Witness("torn_row", "the torn row starts like its response", call_id)
    return Witness("torn_row", f"the torn row starts like a {fragment.kind} that names it", call_id)
