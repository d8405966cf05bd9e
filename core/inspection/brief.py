"""A run in three short sentences, for a list that has room for no more: how it stands, what was also seen, what to do.

Words from the workspace are in these sentences as they are: hostile until they are printed safely.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from ..decision.operations import OperationStatus, ToolOperation
from ..storage.findings import COMMITS_LOST
from .explain import call_facts, directive, explain_operation, headline
from .inspect import Inspection, Verdict

if TYPE_CHECKING:
    from .witness import Witness


class Brief(Struct, frozen=True):
    """What a person must know about a run before opening it."""

    stands: str
    """What the ledger shows and what it does not."""
    seen: tuple[str, ...]
    """Evidence about the most urgent call that decides nothing, a few words each."""
    act: str
    """What to do before anyone acts, written to follow "Before anyone acts:"; empty where there is nothing to do."""


def brief(inspection: Inspection) -> Brief:
    """Condense an inspection of a whole ledger."""
    verdict = inspection.verdict
    doubt = inspection.doubts[0] if inspection.doubts else None
    if verdict is Verdict.UNREADABLE:
        return _unreadable(inspection, doubt)
    seen = tuple(seen_briefly(inspection.witnesses_for(doubt))) if doubt else ()
    if verdict is Verdict.MAY_BE_RUNNING:
        now = "its history could not be replayed" if inspection.plan.blocked else "its history could be replayed"
        stands = f"A writer may be alive. If it died now: {now}."
        return Brief(stands, seen, "do not start anything on this run until it has ended.")
    if verdict is Verdict.REPLAYABLE:
        calls = len(inspection.operations) + len(inspection.nested_operations)
        many = f"{calls:,} tool calls, all settled." if calls > 1 else "1 tool call, settled."
        stands = f"{directive(inspection)} {many if calls else 'No tool call is recorded.'}"
        if any(finding.code in COMMITS_LOST for finding in inspection.findings):
            return Brief(f"The database may have lost commits, and this run gone on. {stands}", (), _WHOLE_COPY)
        return Brief(stands, (), "")
    if doubt is None:
        return Brief(_contradiction(inspection), (), f"read the rows that disagree; {_NOT_RESUME}")
    return Brief(_stands(doubt), seen, ACTS[doubt.status])


def _stands(doubt: ToolOperation) -> str:
    if doubt.status is OperationStatus.NOT_DISPATCHED:
        return "By this run's protocol it had not started. Replay stays blocked."
    found = explain_operation(doubt)
    if doubt.status is OperationStatus.PARKED:
        return f"Observed, not settled; a person decides. {found.proves}"
    if doubt.status is OperationStatus.CORRUPTION:
        return f"Rows about this call disagree: {found.title}. The ledger does not show {found.not_shown}"
    if doubt.dispatch_event_id is not None:
        return "Dispatched, no response: the ledger does not show whether it finished or took effect."
    return "Committed, no response: the ledger does not show whether it took effect."


def _contradiction(inspection: Inspection) -> str:
    """Say what disagrees where no call is in doubt by itself."""
    first = inspection.plan.diagnostics[0]
    issue = (first.detail or {}).get("issueCode", first.code)
    from .glossary import entry

    found = entry(str(issue), "issue", "diagnostic")
    if found is None:
        return headline(inspection)
    return f"{found.proves} The ledger does not show {found.not_shown}" if found.not_shown else found.proves


def _unreadable(inspection: Inspection, doubt: ToolOperation | None) -> Brief:
    ledger = inspection.ledger
    if ledger.stale:
        stands = "Stale: Maka reads only the database beside these files. What happened since is not in them."
        return Brief(stands, (), "open the state root: its runtime.sqlite is the ledger.")
    if inspection.commits_lost and not inspection.plan.blocked:
        stands = "The database has lost commits: this run may have gone on after what is shown."
        return Brief(stands, (), _WHOLE_COPY)
    stands = "What stands before the damage is shown; the ledger does not show what the damaged row said."
    if any(finding.code in ("header_missing", "header_unreadable") for finding in ledger.findings):
        stands = "The run's header cannot be trusted: the ledger does not show to which run these rows belong."
    if doubt is not None:
        facts = call_facts(ledger, doubt)
        may = "may have run" if doubt.status is OperationStatus.INDETERMINATE else "is not settled"
        stands = f"Before the damage {facts.tool_name}  {facts.summary} {may}. {stands}"
        return Brief(
            stands, tuple(seen_briefly(inspection.witnesses_for(doubt))), f"{_KEEP}; look at the target; {_DO_NOT}"
        )
    return Brief(stands, (), f"{_KEEP}; {_NOT_RESUME}")


def seen_briefly(witnesses: tuple[Witness, ...]) -> Iterator[str]:
    """Put evidence in a few words; of a permission only its outcome."""
    found = {witness.code: witness for witness in witnesses}
    asked = "permission_asked" in found and found.keys() & _OUTCOMES
    for code, witness in found.items():
        if not (code == "permission_asked" and asked):
            yield _SHORT.get(code) or witness.says.removeprefix("permission ")


_WHOLE_COPY: Final = "look for a whole copy of the database and its log."
_KEEP: Final = "keep a copy of the storage as it is"
_NOT_RESUME: Final = "do not resume this run."
_DO_NOT: Final = "do not rerun it or resume this run."
_OUTCOMES: Final = frozenset({"permission_allowed", "permission_denied", "permission_unanswered"})

_SHORT: Final = {
    "permission_unanswered": "permission never answered",
    "question_asked": "question asked",
    "heartbeat": "heartbeat",
    "partial_output": "partial output",
    "torn_row": "torn row",
    "being_written": "a row being written",
}

ACTS: Final = {
    OperationStatus.INDETERMINATE: f"look at the target; {_DO_NOT}",
    OperationStatus.CORRUPTION: f"read its rows in order, look at the target; {_DO_NOT}",
    OperationStatus.PARKED: f"read what was observed, look at the target; {_DO_NOT}",
    OperationStatus.NOT_DISPATCHED: "ask for it anew in a new run if it is still wanted; do not resume this one.",
}
