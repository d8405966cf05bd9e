"""Recovery bundles: what was observed about a call after a crash, and what was decided (format: valid bundle)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..records.events import Actions, FunctionResponse, RecoveryDecision, Refs, RuntimeEvent
from ..records.recovery_facts import DecisionFact, ReconcileFact
from .execution import execution_of

COMPLETED: Final = "recovery_bundle_completed"
"""The reason of an operation that recovery settled; every other reason of a bundle parks it."""

INVALID: Final = "recovery_fact_corruption"
"""The reason of an operation whose recovery facts form no bundle."""

_PARKED_BY: Final = {
    "matches_prior_state": "reconcile_matches_prior_state",
    "diverged": "reconcile_diverged",
    "unreadable": "reconcile_unreadable",
}


def carries(event: RuntimeEvent, operation_id: str, tool_call_id: str) -> bool:
    """Whether the refs of an event name this operation and this call."""
    refs = event.refs
    return isinstance(refs, Refs) and refs.operation_id == operation_id and refs.tool_call_id == tool_call_id


class RecoveryFacts:
    """The recovery facts of one operation, in the order of the ledger."""

    __slots__ = ("_decision", "_decisions", "_reconcile", "_reconciles", "indexes")

    def __init__(self) -> None:
        self.indexes: list[int] = []
        """Positions of all of them."""
        self._reconciles = self._decisions = 0
        self._reconcile = self._decision = -1

    def add(self, index: int, event: RuntimeEvent) -> None:
        """Take one more fact."""
        self.indexes.append(index)
        if isinstance(event.actions, Actions) and isinstance(event.actions.tool_recovery, DecisionFact):
            self._decisions += 1
            self._decision = index
        else:
            self._reconciles += 1
            self._reconcile = index

    def reason(self, call: int, dispatch: int, response: int | None, event_at: Callable[[int], RuntimeEvent]) -> str:
        """Judge the facts as they stand now: COMPLETED, a reason that parks, or INVALID.

        `call`, `dispatch` and `response` are positions; that the dispatch fits the call is known already.
        """
        chain = [call, dispatch, self._reconcile, *([] if response is None else [response]), self._decision]
        if self._reconciles != 1 or self._decisions != 1 or chain != sorted(chain):
            return INVALID
        events = [event_at(index) for index in chain]
        fact = events[1].actions.tool_dispatch if events[1].actions else None
        if not fact or fact.recovery_mode != "reconcile":
            return INVALID
        operation_id, call_id = fact.operation_id, fact.provider_tool_call_id
        same_execution = all(execution_of(event) == execution_of(events[0]) for event in events)
        if not same_execution or not all(carries(event, operation_id, call_id) for event in events[1:]):
            return INVALID
        return _judge(events)


def _judge(events: list[RuntimeEvent]) -> str:
    """Judge call, dispatch, reconcile, an answer if there is one, and decision, which belong together."""
    observed = events[2].actions.tool_recovery if events[2].actions else None
    decided = events[-1].actions.tool_recovery if events[-1].actions else None
    if not isinstance(observed, ReconcileFact) or not isinstance(decided, DecisionFact):
        return INVALID
    observation, decision = observed.payload.observation, decided.payload
    if list(decision.evidence_event_ids) != [event.id for event in events[:-1]]:
        return INVALID
    if len(events) == 4:
        reason = _PARKED_BY.get(observation)
        parked = decision.disposition == "parked" and decision.reason_code == reason
        return reason if reason is not None and parked else INVALID
    return COMPLETED if _completes(events[3], observation, decision) else INVALID


def _completes(response: RuntimeEvent, observation: str, decision: RecoveryDecision) -> bool:
    return (
        decision.disposition == "completed"
        and isinstance(response.content, FunctionResponse)
        and response.content.is_error is not True
        and observation == "matches_expected_state"
        and decision.outcome_event_id == response.id
    )
