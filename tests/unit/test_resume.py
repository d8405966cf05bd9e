"""The plan: required decisions, expected high-water, storage faults, and the order of diagnostics."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from core import CoreError, build_resume_plan
from core.decision.resume import StorageFault, plan_at, summary_at, with_storage_faults
from core.decision.tool_ledger import ToolLedger
from core.errors import RequestError
from tests.support.ledgers import EXECUTIONS, MARKER, Event, call, dispatch, event, events_of, response
from tests.support.vector_files import read_vectors

END = event("end", role="system", author="system", content=None, status="completed")


def codes(documents: list[Event], **more: Any) -> list[str]:
    """Return the diagnostic codes of a ledger."""
    return [found.code for found in build_resume_plan(events_of(documents), **more).diagnostics]


@pytest.mark.parametrize("failed", [False, True])
def test_the_required_decisions(failed: bool) -> None:
    """Before a call safe; after it blocked, with the call absent from the replay; after its response safe again."""
    documents = [event("u"), call("c"), response("r", is_error=failed), END]
    before, dangling, answered, ended = (build_resume_plan(events_of(documents[:end])) for end in range(1, 5))

    assert (before.disposition, len(before.operations)) == ("safe_replay", 0)
    assert dangling.blocked
    assert dangling.operations[0].status == "indeterminate"
    assert dangling.rejection_reasons == ("dangling_tool_state",)
    assert list(dangling.replay.event_ids()) == ["u"]
    for plan in (answered, ended):
        assert plan.disposition == "safe_replay"
        assert plan.operations[0].status == ("failed" if failed else "succeeded")
        assert list(plan.replay.event_ids())[:3] == ["u", "c", "r"]
    assert list(ended.replay.event_ids()) == ["u", "c", "r", "end"]


@pytest.mark.parametrize(
    ("expected", "matches"), [(None, True), (2, True), (2.0, True), (1, False), (3, False), (-1, False), (2.5, False)]
)
def test_another_high_water_is_refused(expected: float | None, matches: bool) -> None:
    """Any number but the number of committed events is a mismatch, less as well as more; equal is none."""
    plan = build_resume_plan(events_of([event("a"), event("b")]), expected_high_water=expected)

    assert plan.blocked is not matches
    assert plan.rejection_reasons == (() if matches else ("runtime_offset_mismatch",))
    if not matches:
        (found,) = plan.diagnostics
        assert found.detail == {"expectedRuntimeEventHighWater": expected, "actualRuntimeEventHighWater": 2}


def test_a_mismatch_comes_before_everything_else() -> None:
    """The mismatch is the first diagnostic and has its own reason, before those of the tools."""
    plan = build_resume_plan(events_of([call("c")]), expected_high_water=9)

    assert [found.code for found in plan.diagnostics] == ["runtime_offset_mismatch", "pending_tool_result"]
    assert plan.rejection_reasons == ("runtime_offset_mismatch", "dangling_tool_state")


@pytest.mark.parametrize("wrong", [True, False, "2", float("nan"), float("inf"), [2]])
def test_an_expected_high_water_must_be_a_number(wrong: Any) -> None:
    """What is no finite number of events is a question that cannot be answered, not a mismatch."""
    with pytest.raises(RequestError) as refused:
        build_resume_plan([], expected_high_water=wrong)
    assert str(refused.value) == f"an expected high-water is a number of events, not {wrong!r}"


@pytest.mark.parametrize("wrong", [-1, 3, True, 1.0, None])
def test_only_prefixes_that_exist_can_be_asked(wrong: Any) -> None:
    """A prefix is a whole number of events that the fold has taken."""
    ledger = ToolLedger()
    ledger.extend(events_of([event("a"), event("b")]))

    for ask in (plan_at, summary_at):
        with pytest.raises(CoreError):
            ask(ledger, wrong)


def test_a_plan_is_a_value() -> None:
    """Nobody changes a decision once it is made, and a prefix that is refused is named."""
    decided = (build_resume_plan([]), summary_at(ToolLedger(), 0), StorageFault("source_run_unreadable"))
    for value, name in zip(decided, ("disposition", "disposition", "code"), strict=True):
        with pytest.raises(AttributeError):
            setattr(value, name, getattr(value, name))
    with pytest.raises(RequestError) as refused:
        plan_at(ToolLedger(), 3)
    assert str(refused.value) == "no prefix of 3 events: this ledger has 0"


def test_a_copy_of_a_fold_says_what_it_lacks() -> None:
    """A fold that came from another process takes no events, and knows those that it kept or is told of."""
    settled = [dispatch("x", operation="op-7"), response("r", operation="op-7")]
    events = events_of([event("u"), call("c"), call("d", "c2"), *settled])
    ledger = ToolLedger(lambda index: events[index])
    ledger.extend(events)
    pickled = pickle.dumps(ledger)
    copy = pickle.loads(pickled)
    assert b"op-7" not in pickled

    with pytest.raises(RequestError, match=r"^a copy of a fold cannot take events$"):
        copy.extend(events)
    with pytest.raises(RequestError, match=r"^a copy of a fold does not have event 1: give it the events to read$"):
        plan_at(copy, 2)
    copy.read_by(events.__getitem__)
    keeps = ToolLedger()
    keeps.extend(events)
    assert plan_at(pickle.loads(pickle.dumps(keeps)), 3) == plan_at(ledger, 3)
    assert plan_at(copy, 2) == plan_at(ledger, 2)
    assert [copy.find("i1", call_id) for call_id in ("c1", "c2", "c3")] == [0, 1, None]
    assert copy.find("i2", "c1") is None


def test_diagnostics_come_in_the_order_of_the_format() -> None:
    """Operations, then marks, then contradictions, orphan dispatches, hidden operations, and responses at last."""
    documents = [
        call("h", "hidden", modelVisibility="hidden"),
        call("c"),
        event("m", actions={"runtimeProtocol": MARKER}),
        event("c"),
        dispatch("d", "lost", operation="o9"),
        response("r", "unknown"),
        call("p", "c3", partial=True),
        response("s", "c1", "Read"),
        event("z", EXECUTIONS[2]),
    ]
    plan = build_resume_plan(events_of(documents))

    assert [(found.code, found.event_index, (found.detail or {}).get("issueCode")) for found in plan.diagnostics] == [
        ("tool_recovery_corruption", 1, None),
        ("protocol_marker_invalid", 2, None),
        ("duplicate_event_id", 3, None),
        ("tool_ledger_corruption", 4, "event_order_conflict"),
        ("tool_ledger_corruption", 5, "orphan_response"),
        ("semantic_lane_conflict", 6, None),
        ("tool_ledger_corruption", 7, "identity_conflict"),
        ("tool_ledger_corruption", 8, "invocation_identity_conflict"),
        ("tool_recovery_corruption", 4, None),
        ("pending_tool_result", 0, None),
        ("unmatched_tool_result", 5, None),
        ("tool_name_mismatch", 7, None),
    ]
    assert plan.rejection_reasons == ("dangling_tool_state",)
    assert plan.requires_verification


def test_hidden_operations_that_are_parked_or_contradictory_block() -> None:
    """Each has a diagnostic, after the hidden ones that may have run."""
    vectors = {vector["name"]: vector["events"] for vector in read_vectors("plan") if vector["phase"] == "visibility"}
    pending = call("q", "q1", modelVisibility="hidden")

    for name, code in (
        ("hand/recovery/hidden-parked", "tool_recovery_parked"),
        ("hand/recovery/hidden-reconcile-without-decision", "tool_recovery_corruption"),
    ):
        assert codes(vectors[name]) == [code]
        own = [{**pending, "invocationId": "other"}, *vectors[name][1:]]
        assert codes(own) == ["pending_tool_result", code]


def test_storage_faults_stand_on_top_of_a_plan() -> None:
    """Faults block, come first as diagnostics and as reasons, and leave the operations and the replay as they are."""
    plan = build_resume_plan(events_of([call("c")]))
    faults = (
        StorageFault("source_run_unreadable"),
        StorageFault("runtime_ledger_unreadable", 7, 3120, 99, "$.content.kind", {"a": 1}),
        StorageFault("runtime_ledger_unreadable", line=9),
    )
    faulty = with_storage_faults(plan, faults)

    assert faulty.blocked
    assert faulty.rejection_reasons == ("source_run_unreadable", "runtime_ledger_unreadable", "dangling_tool_state")
    assert [found.code for found in faulty.diagnostics][-1] == "pending_tool_result"
    assert faulty.diagnostics[1].as_document() == {
        "code": "runtime_ledger_unreadable",
        "detail": {"a": 1},
        "line": 7,
        "offset": 3120,
        "length": 99,
        "field": "$.content.kind",
    }
    assert (faulty.operations, faulty.replay) == (plan.operations, plan.replay)
    assert with_storage_faults(plan, ()) is plan
    assert with_storage_faults(build_resume_plan([]), faults[:1]).blocked


def test_long_ledgers_are_answered_like_short_ones() -> None:
    """Between its checkpoints, and on them, a long fold knows what was unsettled, and how often each status stood."""
    documents: list[Event] = []
    for number, vector in enumerate(read_vectors("plan")):
        if number % 4 == 0 and len(documents) < 6000:
            for row in vector["events"]:
                renamed = {key: f"{number}-{row[key]}" for key in ("id", "invocationId")}
                documents.append({**row, **renamed})
    events = events_of(documents)
    ledger = ToolLedger(events.__getitem__)
    ledger.extend(events)

    for end in (*range(0, len(events), 331), 1024, 1025, 2048, len(events)):
        plan, alone = plan_at(ledger, end), build_resume_plan(events[:end])
        assert plan.unsettled == alone.unsettled
        assert plan.diagnostics == alone.diagnostics
        assert plan.replay == alone.replay
        assert len(plan.operations) == len(alone.operations)
        assert len(plan.nested_operations) == len(alone.nested_operations)
        assert summary_at(ledger, end).counts == summary_at(ledger, end, events).counts
        short = ToolLedger()
        short.extend(events[:end])
        assert summary_at(ledger, end) == summary_at(short, end)


def test_what_is_open_stays_open_however_much_follows() -> None:
    """Two thousand events that are no tool's change nothing: not the calls before them, nor what becomes of those."""
    hidden = {"modelVisibility": "hidden"}
    head = [
        call("w", "waits"),
        call("a", "odd"), response("b", "odd"), response("c", "odd"),
        call("s", "settled"), response("t", "settled", is_error=True),
        dispatch("d", "lost", operation="o9"),
        call("h", "nested", **hidden),
        response("o", "orphan"),
        call("v", "goes on"),
    ]  # fmt: skip
    tail = [
        response("w2", "waits"), call("s2", "settled"), response("h2", "nested", **hidden), call("l2", "lost"),
        call("n", "new"), dispatch("v2", "goes on", operation="o1"), response("n2", "new"),
    ]  # fmt: skip
    events = events_of([*head, *(event(f"f{number:04}") for number in range(2100)), *tail])
    ledger = ToolLedger()
    ledger.extend(events)
    last = len(head) + 2100
    assert ledger.length == len(events)

    for end in (len(head), 1023, 1024, 1025, 2047, 2048, 2049, *range(last, len(events) + 1)):
        alone = ToolLedger()
        alone.extend([*events[: len(head)], *events[last:end]])
        short, long = summary_at(alone, alone.length), summary_at(ledger, end)
        assert (long.disposition, long.counts) == (short.disposition, short.counts)
        assert long.nested_counts == short.nested_counts
        assert [one.call_event_id for one in long.unsettled] == [one.call_event_id for one in short.unsettled]
        said, told = plan_at(alone, alone.length).diagnostics, plan_at(ledger, end).diagnostics
        assert [(one.code, one.event_id) for one in told] == [(one.code, one.event_id) for one in said]
