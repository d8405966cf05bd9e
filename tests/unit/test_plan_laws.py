"""Laws of the fold and the plan, over random ledgers: regular ones, and ones full of contradictions."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import OperationStatus, RuntimeEvent, build_resume_plan, project_operations, replay_events
from core.decision.resume import plan_at, summary_at
from core.decision.tool_ledger import ToolLedger
from core.records.codec import event_document
from tests.support.answers import plan_differences
from tests.support.ledgers import LEDGERS, Event, events_of, hash_of
from tests.support.plan_oracle import Oracle


def folded(events: list[RuntimeEvent]) -> ToolLedger:
    """Fold events one by one."""
    ledger = ToolLedger()
    for event in events:
        ledger.apply(event)
    return ledger


@settings(max_examples=200, deadline=None)
@given(LEDGERS)
def test_the_plan_follows_the_rules(documents: list[Event]) -> None:
    """A plan is what the rules give when they are followed the slow way over the whole list."""
    plan = build_resume_plan(events_of(documents))

    assert not plan_differences(plan.as_document(), Oracle(documents, hash_of).plan())


@settings(max_examples=120, deadline=None)
@given(LEDGERS)
def test_every_prefix_has_the_plan_of_its_own_events(documents: list[Event]) -> None:
    """The fold of the whole ledger answers for any prefix as if the rest had never been written."""
    events = events_of(documents)
    ledger = folded(events)

    for end in range(len(events) + 1):
        alone = build_resume_plan(events[:end])
        plan = plan_at(ledger, end)

        assert plan == alone
        assert plan.as_document() == alone.as_document()
        assert plan_at(ledger, end, source=events) == alone


@settings(max_examples=120, deadline=None)
@given(LEDGERS)
def test_the_strip_is_the_decision_after_each_event(documents: list[Event]) -> None:
    """`blocked_after[i]` says whether the plan of the first i + 1 events is blocked."""
    events = events_of(documents)

    assert list(folded(events).blocked_after) == [
        build_resume_plan(events[:end]).blocked for end in range(1, len(events) + 1)
    ]


@settings(max_examples=120, deadline=None)
@given(LEDGERS)
def test_a_summary_agrees_with_the_plan(documents: list[Event]) -> None:
    """A summary has the plan's disposition, its counts and its unsettled operations."""
    ledger = folded(events_of(documents))

    for end in range(len(documents) + 1):
        plan, summary = plan_at(ledger, end), summary_at(ledger, end)
        every = (*plan.operations, *plan.nested_operations)

        assert (summary.high_water, summary.disposition, summary.blocked) == (end, plan.disposition, plan.blocked)
        assert summary.unsettled == plan.unsettled
        assert set(summary.unsettled) == {operation for operation in every if not operation.settled}
        for counts, operations in (
            (summary.counts, plan.operations),
            (summary.nested_counts, plan.nested_operations),
        ):
            assert set(counts) == set(OperationStatus)
            for status, count in counts.items():
                assert count == sum(operation.status is status for operation in operations)


@settings(max_examples=120, deadline=None)
@given(LEDGERS)
def test_it_fails_closed(documents: list[Event]) -> None:
    """No prefix with an unsettled call may be replayed.

    The one exception is recorded from the runtime: a hidden call that by its run's protocol had not started. It is
    never shown to the provider, and it had no effect.
    """
    plan = build_resume_plan(events_of(documents))

    if not plan.blocked:
        assert not plan.diagnostics
        assert not plan.requires_verification
        assert all(operation.settled for operation in plan.operations)
        assert {operation.status for operation in plan.unsettled} <= {OperationStatus.NOT_DISPATCHED}
        assert all(operation.hidden for operation in plan.unsettled)


@settings(max_examples=120, deadline=None)
@given(LEDGERS)
def test_the_replay_holds_whole_settled_pairs(documents: list[Event]) -> None:
    """Of calls and responses the replay has those of settled operations alone, and every other visible event."""
    events = events_of(documents)
    plan = build_resume_plan(events)
    left = {out.index: out.reason for out in plan.replay.left_out}
    kept = list(plan.replay.indexes())
    settled = {
        (operation.invocation_id, documents[operation.call_index]["content"]["id"])
        for operation in (*plan.operations, *plan.nested_operations)
        if operation.settled
    }

    assert sorted((*left, *kept)) == list(range(len(events)))
    assert all(plan.replay.reason(index) == left.get(index) for index in range(len(events)))
    assert plan.replay.kept == len(kept)
    assert tuple(plan.replay.event_ids()) == tuple(events[index].id for index in kept)
    assert replay_events(events) == tuple(events[index] for index in kept)
    for index, event in enumerate(events):
        content = documents[index].get("content", {})
        if event.partial or event.is_hidden:
            assert left[index] == ("partial" if event.partial else "hidden")
        elif content.get("kind") not in ("function_call", "function_response"):
            assert index in kept
        elif index in kept:
            assert (event.invocation_id, content["id"]) in settled


@settings(max_examples=200, deadline=None)
@given(LEDGERS, st.data())
def test_batches_of_any_size_fold_alike(documents: list[Event], data: st.DataObject) -> None:
    """It does not matter how a ledger is cut for the fold, nor whether the fold keeps events or reads them again."""
    events = events_of(documents)
    apart, together = folded(events), ToolLedger(events.__getitem__, expected=len(events))
    start = 0
    while start < len(events):
        size = data.draw(st.integers(1, len(events) - start))
        batch = events[start : start + size]
        one = len({(event.session_id, event.invocation_id, event.run_id, event.turn_id) for event in batch}) == 1
        together.extend(batch, one_execution=one)
        start += size

    assert together.blocked_after == apart.blocked_after
    for end in range(len(events) + 1):
        assert plan_at(together, end) == plan_at(apart, end)


@settings(max_examples=100, deadline=None)
@given(LEDGERS)
def test_planning_is_pure(documents: list[Event]) -> None:
    """Projecting twice gives equal answers and changes none of the events."""
    events = events_of(documents)
    before = [event_document(event) for event in events]

    assert build_resume_plan(events) == build_resume_plan(iter(events))
    assert project_operations(events) == build_resume_plan(events).operations
    assert [event_document(event) for event in events] == before


@settings(max_examples=100, deadline=None)
@given(LEDGERS)
def test_a_copy_in_another_process_answers_alike(documents: list[Event]) -> None:
    """A pickled fold answers for every prefix, given the events; it refuses to grow."""
    events = events_of(documents)
    ledger = ToolLedger(events.__getitem__)
    ledger.extend(events)
    copy = pickle.loads(pickle.dumps(ledger))

    for end in range(len(events) + 1):
        assert plan_at(copy, end, source=events) == plan_at(ledger, end)
    with pytest.raises(Exception, match="copy"):
        copy.extend(events)
