"""One thing that was also seen, and what lies beside a ledger in these words."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from msgspec import Struct

from ..storage.beside import Beside, PendingInteraction
from ..storage.ledger import Ledger, LedgerChanged
from .fragment import Fragment, read_fragment


class Witness(Struct, frozen=True):
    """One thing that was also seen."""

    code: str
    """A stable word: permission_asked, permission_allowed, permission_denied, permission_unanswered, question_asked,
    interaction_pending, heartbeat, partial_output, torn_row, being_written, trace, journal, child_run, owner,
    continued_by, claimed.
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
            "ts": self.ts if self.ts is not None and isfinite(self.ts) else None,
        }
        return {key: value for key, value in facts.items() if value is not None}


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


def beside_calls(beside: Beside) -> Iterator[Witness]:
    """Yield what lies beside a ledger and names a call."""
    for snapshot in beside.partials():
        if snapshot.tool_call_id is not None:
            output = snapshot.kind is not None
            code, what = ("partial_output", "partial output") if output else ("heartbeat", "a heartbeat")
            yield Witness(code, f"{what} suggests it had started", snapshot.tool_call_id, None, snapshot.ts)
    for record in beside.trace():
        if (call_id := record.tool_call_id) is not None:
            yield Witness("trace", f"the operational trace has {record.type}", call_id, None, record.ts)
    for row in beside.journal():
        if row.tool_call_id is not None:
            yield Witness("journal", f"the database's journal has {row.state}", row.tool_call_id, None, row.ts)
    for link in beside.lineage().children:
        if link.tool_call_id is not None:
            said = f"it started the run {link.run_id} of session {link.session_id}"
            yield Witness("child_run", said, link.tool_call_id)
    for waiting in beside.interactions():
        if waiting.tool_call_id is not None:
            yield Witness("interaction_pending", _waits(waiting), waiting.tool_call_id, None, waiting.created_at)


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


def torn_witness(ledger: Ledger) -> Witness | None:
    """Return what the torn row says of a call, if it goes so far as to name one."""
    fragment = torn_fragment(ledger)
    if fragment is None or fragment.tool_call_id is None:
        return None
    what = "like its response" if fragment.kind == "function_response" else f"like a {fragment.kind} that names it"
    return Witness("torn_row", f"the torn row starts {what}", fragment.tool_call_id)
