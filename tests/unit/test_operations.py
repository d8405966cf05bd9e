"""ToolOperation: what is told of one tool call."""

from __future__ import annotations

from itertools import product

import pytest

from core import OperationStatus, ToolOperation, build_resume_plan, project_operations
from core.decision.resume import plan_at, summary_at
from core.decision.tool_ledger import ToolLedger
from core.records.events import FunctionCall
from tests.support.ledgers import (
    COMPLETED,
    MARKER,
    PARKED,
    Event,
    call,
    decision,
    dispatch,
    event,
    events_of,
    reconcile,
    response,
)

MARK = event("m", role="user", author="user", actions={"runtimeProtocol": MARKER})


def only(documents: list[Event]) -> ToolOperation:
    """Return the one operation of a ledger, visible or not."""
    plan = build_resume_plan(events_of(documents))
    (operation,) = (*plan.operations, *plan.nested_operations)
    return operation


def test_an_answered_call_says_all_about_itself() -> None:
    """Ids, positions, outcome, where the settlement came from, and the arguments only when they are asked for."""
    documents = [
        MARK,
        call("c", args={"command": "ls", "n": 2}),
        event("t"),
        dispatch("d", args={"command": "ls", "n": 2}, mode="replay_safe"),
        response("r", is_error=True, operation="o1"),
    ]
    operation = only(documents)

    assert operation.status is OperationStatus.FAILED
    assert (operation.reason, operation.settlement_origin) == ("matching_response", "normal_t2")
    assert (operation.call_index, operation.dispatch_index, operation.response_index) == (1, 3, 4)
    assert operation.event_indexes == (1, 3, 4)
    assert operation.args == {"command": "ls", "n": 2.0}
    assert operation.as_document() == {
        "toolCallId": "c1",
        "toolName": "Bash",
        "status": "failed",
        "reason": "matching_response",
        "invocationId": "i1",
        "callRuntimeEventId": "c",
        "dispatchRuntimeEventId": "d",
        "responseRuntimeEventId": "r",
        "responseIsError": True,
        "operationId": "o1",
        "recoveryMode": "replay_safe",
        "settlementOrigin": "normal_t2",
        "eventIndexes": [1, 3, 4],
    }
    assert operation.as_document(arguments=True)["args"] == {"command": "ls", "n": 2.0}


@pytest.mark.parametrize(
    ("documents", "status", "reason", "origin"),
    [
        ([call("c")], "indeterminate", "legacy_dispatch_unknown", None),
        ([MARK, call("c")], "not_dispatched", "new_protocol_before_dispatch", None),
        ([MARK, call("c"), dispatch("d")], "indeterminate", "dispatch_without_response", None),
        ([call("c"), response("r")], "succeeded", "matching_response", "pre_t1_synthetic"),
        ([call("c"), response("r", is_error=False)], "succeeded", "matching_response", "pre_t1_synthetic"),
        ([call("c"), call("d")], "corruption", "duplicate_call", None),
        ([call("c"), dispatch("d"), dispatch("e")], "corruption", "duplicate_dispatch", None),
        ([call("c"), response("r"), response("s")], "corruption", "duplicate_response", None),
        ([call("c"), response("r", name="Read")], "corruption", "identity_conflict", None),
        ([call("c"), {**response("r"), "turnId": "t2"}], "corruption", "identity_conflict", None),
        ([call("c"), dispatch("d"), response("r")], "corruption", "identity_conflict", None),
        ([call("c"), dispatch("d"), response("r", operation="o2")], "corruption", "identity_conflict", None),
        ([call("c"), dispatch("d", args={"other": 1})], "corruption", "canonical_args_hash_conflict", None),
        ([call("c"), response("r"), dispatch("d")], "corruption", "identity_conflict", None),
        ([call("c"), response("r", operation="o1"), dispatch("d")], "corruption", "event_order_conflict", None),
        ([dispatch("d"), call("c")], "corruption", "event_order_conflict", None),
        ([response("r"), call("c")], "corruption", "orphan_response", None),
        ([call("c"), dispatch("d"), reconcile("k", "diverged")], "corruption", "recovery_fact_corruption", None),
    ],
)
def test_every_judgement_has_its_reason(documents: list[Event], status: str, reason: str, origin: str | None) -> None:
    """Status, reason and settlement origin follow from the facts on record."""
    operation = only(documents)

    assert (operation.status, operation.reason, operation.settlement_origin) == (status, reason, origin)
    assert operation.settled == (status in ("succeeded", "failed"))


def test_recovery_parks_or_settles() -> None:
    """A valid bundle decides, every fact of it belongs to the operation, and the origin says so."""
    parked, completed = only(PARKED), only(COMPLETED)

    assert (parked.status, parked.parked_reason) == ("parked", "reconcile_diverged")
    assert (completed.status, completed.reason) == ("succeeded", "recovery_bundle_completed")
    assert completed.parked_reason is None
    assert {parked.settlement_origin, completed.settlement_origin} == {"recovery_bundle"}
    assert (parked.event_indexes, completed.event_indexes) == ((0, 1, 2, 3), (0, 1, 2, 3, 4))


@pytest.mark.parametrize(
    "broken",
    [
        [*PARKED[:1], dispatch("d", mode="replay_safe"), *PARKED[2:]],
        [*PARKED[:2], reconcile("k", "unreadable"), *PARKED[3:]],
        [*PARKED[:3], decision("x", "reconcile_diverged", ["c", "k", "d"])],
        [*PARKED[:3], decision("x", "reconcile_diverged", ["c", "d"])],
        [*PARKED[:3], decision("x", "reconcile_diverged", ["c", "d", "k"], call_id="c2")],
        [*PARKED, decision("y", "reconcile_diverged", ["c", "d", "k"])],
        [*PARKED, reconcile("l", "diverged")],
        [*PARKED[:2], PARKED[3], PARKED[2]],
        [*PARKED[:3], {**PARKED[3], "turnId": "t2", "invocationId": "i2"}],
        [*PARKED, response("r", operation="o1")],
        [*COMPLETED[:3], response("r", operation="o1", is_error=True), COMPLETED[4]],
        [*COMPLETED[:4], decision("x", "reconcile_matches_expected_state", ["c", "d", "k", "r"], "q")],
        [*COMPLETED[:2], reconcile("k", "diverged"), *COMPLETED[3:]],
        [*COMPLETED[:2], COMPLETED[3], COMPLETED[2], COMPLETED[4]],
    ],
)
def test_a_bundle_that_does_not_fit_is_a_contradiction(broken: list[Event]) -> None:
    """Any doubt about the facts of a recovery makes the operation contradictory."""
    operation = only(broken)

    assert (operation.status, operation.reason) == ("corruption", "recovery_fact_corruption")


def test_repeated_facts_belong_to_the_operation() -> None:
    """Walking an operation meets the repeated call and response as well; the codes are in the order of their events."""
    operation = only([call("c"), dispatch("d"), response("r", operation="o1"), response("s"), dispatch("e"), call("f")])

    assert operation.event_indexes == (0, 1, 2, 3, 4, 5)
    assert operation.issues == ("duplicate_response", "duplicate_dispatch", "duplicate_call")
    assert operation.as_document()["issues"] == ["duplicate_response", "duplicate_dispatch", "duplicate_call"]


def test_facts_without_a_call_are_no_operation_and_never_settled() -> None:
    """A dispatch or a response whose call is missing, or still to come, makes none; judged alone it is an orphan."""
    for documents, reasons in (
        ([dispatch("d"), call("c")], ["orphan_dispatch", "event_order_conflict"]),
        ([response("r"), dispatch("d", operation="o1")], ["orphan_response", "orphan_dispatch"]),
        ([response("r"), call("c")], ["orphan_response", "orphan_response"]),
    ):
        ledger = ToolLedger()
        ledger.extend(events_of(documents))
        assert [len(plan_at(ledger, end).operations) for end in (1, 2)] == [0, documents[1] == call("c")]
        assert summary_at(ledger, 1).counts[OperationStatus.CORRUPTION] == 0
        judged = [ledger.calls.decide(0, end) for end in (1, 2)]
        assert [one.status for one in judged] == ["corruption", "corruption"]
        assert [one.reason for one in judged] == reasons


def test_an_outcome_is_an_error_only_where_it_says_so() -> None:
    """Operation, summary and document agree on whether the response of a call was an error."""
    for failed, before in product((True, False), ([], [event("u")])):
        ledger = ToolLedger()
        ledger.extend(events_of([*before, call("c"), response("r", is_error=failed)]))
        (operation,) = plan_at(ledger, ledger.length).operations
        assert (operation.response_is_error, operation.as_document()["responseIsError"]) == (failed, failed)
        counts = summary_at(ledger, ledger.length).counts
        assert (counts[OperationStatus.FAILED], counts[OperationStatus.SUCCEEDED]) == (failed, not failed)


def test_two_calls_cannot_have_one_operation() -> None:
    """Where two dispatches give the same operation id, both calls are in doubt, the one that was answered too."""
    documents = [call("c"), dispatch("d"), response("r", operation="o1"), call("e", "c2"), dispatch("f", "c2")]

    assert [(one.status, one.reason) for one in project_operations(events_of(documents))] == [
        ("corruption", "duplicate_operation"),
        ("corruption", "duplicate_operation"),
    ]


def test_any_number_of_calls_has_room() -> None:
    """More calls than the columns are given room for at once are all there, each with its own outcome."""
    documents = [call(f"c{number}", f"t{number}") for number in range(1100)]
    documents += [response(f"r{number}", f"t{number}", is_error=number % 3 == 0) for number in range(1099)]
    operations = project_operations(events_of(documents))

    assert [one.response_index for one in operations] == [*range(1100, 2199), None]
    assert [str(one.status) for one in operations[:-1]] == ["failed", "succeeded", "succeeded"] * 366 + ["failed"]


def test_of_call_events_with_one_id_the_last_is_met() -> None:
    """Whoever looks the call up by the id of its event meets the newest: its name, its call id, and who sees it."""
    documents = [call("c"), call("c", "c2", "Read"), call("c", "c3", "Grep", modelVisibility="hidden")]
    told = [only(documents[:end]) for end in (1, 2, 3)]

    assert [(one.tool_call_id, one.tool_name) for one in told] == [("c1", "Bash"), ("c2", "Read"), ("c3", "Grep")]
    assert [one.hidden for one in told] == [False, False, True]


def test_facts_that_come_before_their_call_are_its_own() -> None:
    """A dispatch or a response in front of the call has its place, also where it is the first row of all."""
    dispatched, answered = only([dispatch("d"), call("c")]), only([response("r"), call("c")])

    assert (dispatched.dispatch_event_id, dispatched.dispatch_index, dispatched.event_indexes) == ("d", 0, (0, 1))
    assert (answered.response_event_id, answered.response_index, answered.event_indexes) == ("r", 0, (0, 1))
    assert (dispatched.call_index, answered.call_index) == (1, 1)


def test_a_nested_call_knows_its_parent() -> None:
    """A hidden operation is no operation of the plan but one of its nested ones, under the call that made it."""
    refs = {"toolCallId": "c1", "parentToolCallId": "p1"}
    plan = build_resume_plan(events_of([call("c", refs=refs, modelVisibility="hidden")]))
    (nested,) = plan.nested_operations

    assert plan.operations == ()
    assert (nested.hidden, nested.parent_tool_call_id) == (True, "p1")
    document = plan.as_document()["nestedOperations"][0]
    assert (document["hidden"], document["parentToolCallId"]) == (True, "p1")


def test_nested_operations_are_counted_whatever_became_of_them() -> None:
    """As many are there as are given out, open, settled and contradictory ones alike; a visible one is none of them."""
    hidden = {"modelVisibility": "hidden"}
    documents = [call(f"c{number}", f"t{number}", **hidden) for number in range(4)]
    documents += [response("r", "t1", **hidden), response("s", "t2", is_error=True, **hidden)]
    documents += [call("d", "t3", **hidden), call("v", "seen")]
    plan = build_resume_plan(events_of(documents))

    statuses = [str(nested.status) for nested in plan.nested_operations]
    assert statuses == ["indeterminate", "succeeded", "failed", "corruption"]
    assert len(plan.nested_operations) == 4
    assert len(plan.operations) == 1


def test_a_dispatch_names_the_parent_too() -> None:
    """The parent is taken from the dispatch where the call does not name it."""
    refs = {"operationId": "o1", "toolCallId": "c1", "parentToolCallId": "p1", "parentOperationId": "q1"}
    operation = only([MARK, call("c"), dispatch("d", refs=refs)])

    assert (operation.status, operation.parent_tool_call_id) == ("indeterminate", "p1")


def test_operations_are_made_when_they_are_asked_for() -> None:
    """A plan holds none of its operations: slices, single ones and all come from the events, equal every time."""
    documents = [call(f"c{number}", f"call-{number}") for number in range(5)]
    read: list[int] = []
    events = events_of(documents)

    def event_at(index: int) -> object:
        read.append(index)
        return events[index]

    ledger = ToolLedger(event_at)  # type: ignore[arg-type]  # it only watches the real one
    ledger.extend(events)
    operations = plan_at(ledger, 5).operations
    read.clear()

    assert len(operations) == 5
    assert not read
    assert operations[3].tool_call_id == "call-3"
    assert read == [3]
    assert operations[-1] == tuple(operations)[4]
    assert [operation.tool_call_id for operation in operations[1:3]] == ["call-1", "call-2"]
    assert operations == tuple(operations) == project_operations(events)
    assert operations != operations[:4]
    assert (operations == list(operations)) is False
    assert operations[3] == project_operations(list(events))[3] != operations[4]
    assert (operations[3] == "call-3") is False
    assert hash(operations[3]) == hash(project_operations(list(events))[3]) != hash(operations[4])
    assert repr(operations[3]).startswith("ToolOperation(tool_call_id='call-3', tool_name='Bash', status=")
    assert repr(operations[3]).endswith("parent_tool_call_id=None, event_indexes=(3,))")
    assert "event_at" not in repr(operations[3])
    with pytest.raises(AttributeError):
        operations[3].reason = "another"  # type: ignore[misc]  # that it cannot be written is what is tested
    assert hash(operations) == hash(plan_at(ledger, 5).operations)
    assert repr(operations) == "<Operations: 5 in the first 5 events>"
    content = events[3].content
    assert isinstance(content, FunctionCall)
    assert operations[3].args == content.args


def test_a_list_that_is_changed_later_changes_no_decision() -> None:
    """A plan of a list stays the plan of what the list held when it was asked."""
    events = events_of([call("a"), response("b")])
    before = build_resume_plan(tuple(events))
    given = list(events)
    plan = build_resume_plan(given)
    given.reverse()
    given.append(given[0])

    assert tuple(plan.operations) == tuple(before.operations)
    assert list(plan.replay.events()) == events
