"""Lanes: which events count as tool facts."""

from __future__ import annotations

from typing import Any

import pytest

from core.decision.lanes import Lane, lane_of
from tests.support.ledgers import Event, call, decision, dispatch, event, events_of, reconcile, response

PAIR = {"operationId": "o1", "toolCallId": "c1"}


@pytest.mark.parametrize(
    ("document", "lane"),
    [
        (event("e"), Lane.ORDINARY),
        (event("e", partial=True, status="failed", branch="b"), Lane.ORDINARY),
        (event("e", content=None, actions={"endInvocation": True}), Lane.ORDINARY),
        (call("e"), Lane.CALL),
        (call("e", actions={"stateDelta": {"activityKind": "a", "displayName": "b", "intent": "c"}}), Lane.CALL),
        (response("e"), Lane.RESPONSE),
        (response("e", actions={"stateDelta": {"durationMs": 0}}), Lane.RESPONSE),
        (response("e", actions={"stateDelta": {"durationMs": -0.5}}), Lane.RESPONSE),
        (dispatch("e"), Lane.DISPATCH),
        (dispatch("e", refs={**PAIR, "parentToolCallId": "p", "parentOperationId": "q"}), Lane.DISPATCH),
        (reconcile("e", "diverged"), Lane.RECOVERY),
        (decision("e", "reconcile_diverged", ["c"]), Lane.RECOVERY),
    ],
)
def test_a_fact_in_its_shape_is_in_its_lane(document: Event, lane: Lane) -> None:
    """Each kind of fact is told by what it carries."""
    assert lane_of(events_of([document])[0]) is lane


@pytest.mark.parametrize("fact", [call("e"), response("e"), dispatch("e"), reconcile("e", "diverged")])
@pytest.mark.parametrize(
    "spoilt",
    [
        {"partial": True},
        {"status": "streaming"},
        {"status": "completed"},
        {"branch": ""},
        {"author": "user"},
        {"role": "user"},
        {"actions": {}},
        {"actions": {"transferToAgent": "x"}},
        {"actions": {"stateDelta": {}}},
        {"actions": {"stateDelta": {"intent": "x", "other": "y"}}},
        {"actions": {"stateDelta": {"intent": 1}}},
        {"actions": {"stateDelta": {"durationMs": True}}},
        {"actions": {"stateDelta": {"durationMs": "4"}}},
        {"actions": {"stateDelta": {"durationMs": 4, "x": 1}}},
        {"actions": {"stateDelta": {"intent": "x"}, "endInvocation": False}},
    ],
)
def test_a_fact_out_of_shape_is_a_conflict(fact: Event, spoilt: dict[str, Any]) -> None:
    """A fact that is partial, has a status or a branch, another author, or other actions is in no lane."""
    actions = {**fact.get("actions", {}), **spoilt.get("actions", {})} if "actions" in spoilt else None
    document = {**fact, **spoilt, **({} if actions is None else {"actions": actions})}
    unharmed = spoilt == {"actions": {}} and "actions" in fact

    assert lane_of(events_of([document])[0]) is not Lane.ORDINARY
    assert (lane_of(events_of([document])[0]) is Lane.CONFLICT) is not unharmed


@pytest.mark.parametrize("fact", [dispatch("e"), reconcile("e", "diverged")])
@pytest.mark.parametrize(
    "refs",
    [
        None,
        {},
        {"operationId": "o1"},
        {"toolCallId": "c1"},
        {**PAIR, "stepId": "s"},
        {**PAIR, "parentToolCallId": "p"},
        {**PAIR, "parentToolCallId": "p", "parentOperationId": "q", "stepId": "s"},
    ],
)
def test_a_system_fact_names_its_operation_and_call_alone(fact: Event, refs: dict[str, str] | None) -> None:
    """Refs of dispatches and recovery facts hold the pair of ids; a dispatch may add both parents."""
    document = {key: value for key, value in {**fact, "refs": refs}.items() if value is not None}

    assert lane_of(events_of([document])[0]) is Lane.CONFLICT


def test_only_a_dispatch_may_name_parents() -> None:
    """A recovery fact with parents is in no lane."""
    refs = {**PAIR, "parentToolCallId": "p", "parentOperationId": "q"}

    assert lane_of(events_of([reconcile("e", "diverged", refs=refs)])[0]) is Lane.CONFLICT


def test_two_facts_in_one_event_are_a_conflict() -> None:
    """An event is at most one fact."""
    document = {**call("e"), "actions": dispatch("d")["actions"]}

    assert lane_of(events_of([document])[0]) is Lane.CONFLICT
