"""The provider replay: what is left out, and why."""

from __future__ import annotations

import pytest

from core import build_resume_plan, replay_events
from core.decision.replay import LeftOut
from tests.support.ledgers import MARKER, PARKED, Event, call, dispatch, event, events_of, response

MARK = event("m", role="user", author="user", actions={"runtimeProtocol": MARKER})


@pytest.mark.parametrize(
    ("documents", "left"),
    [
        ([event("a"), event("b", partial=True), event("c", modelVisibility="hidden")], {1: "partial", 2: "hidden"}),
        ([event("a", partial=True, modelVisibility="hidden")], {0: "partial"}),
        ([event("a", modelVisibility="visible"), event("b", status="failed")], {}),
        ([call("a"), event("b")], {0: "no_response"}),
        ([MARK, call("a"), event("b")], {1: "not_dispatched"}),
        ([MARK, call("a"), dispatch("b")], {1: "no_response"}),
        (PARKED, {0: "parked"}),
        ([call("a"), response("b"), response("c")], {0: "contradictory", 1: "contradictory", 2: "contradictory"}),
        ([response("a")], {0: "no_call"}),
        ([call("a", partial=True), response("b")], {0: "partial", 1: "no_call"}),
        ([call("a", status="streaming")], {0: "contradictory"}),
        ([call("a"), response("b", author="agent")], {0: "no_response", 1: "no_response"}),
        ([call("a"), response("b", modelVisibility="hidden")], {0: "half_hidden", 1: "hidden"}),
        ([call("a", modelVisibility="hidden"), response("b")], {0: "hidden", 1: "half_hidden"}),
        ([call("a", modelVisibility="hidden")], {0: "hidden"}),
        ([call("a"), response("b"), call("c", "c2"), response("d", "c2"), call("e", "c3")], {4: "no_response"}),
        ([call("a"), response("b"), {**response("c"), "id": "b"}], {}),
        (
            [call("a", modelVisibility="hidden"), response("b"), {**response("c"), "id": "b"}],
            {0: "hidden", 1: "half_hidden", 2: "half_hidden"},
        ),
        ([response("a", author="agent")], {0: "no_call"}),
        ([dispatch("a"), response("b", author="agent")], {1: "no_call"}),
    ],
)
def test_what_is_left_out_has_a_reason(documents: list[Event], left: dict[int, str]) -> None:
    """Every event that the provider would not be shown is listed in order with its reason, and no other."""
    plan = build_resume_plan(events_of(documents))

    assert plan.replay.left_out == tuple(LeftOut(index, reason) for index, reason in left.items())
    assert [plan.replay.reason(index) for index in range(len(documents))] == [*map(left.get, range(len(documents)))]
    assert plan.replay.kept == len(documents) - len(left)
    assert plan.as_document()["replayLeftOut"] == [
        {"eventIndex": index, "reason": reason} for index, reason in left.items()
    ]


def test_the_replay_gives_back_the_events_themselves() -> None:
    """The events that are shown are those of the ledger, in its order, whether or not replay is allowed."""
    events = events_of([event("u"), call("a"), call("b", "c2"), response("c", "c2"), event("d")])

    assert replay_events(events) == (events[0], events[2], events[3], events[4])
    assert list(build_resume_plan(events).replay.events()) == list(replay_events(iter(events)))


def test_a_replay_is_a_value() -> None:
    """It cannot be changed, is the same wherever its events come from, and does not write all that it leaves out."""
    events = events_of([event("a", partial=True), call("c")])
    replay = build_resume_plan(tuple(events)).replay

    with pytest.raises(AttributeError):
        replay.high_water = 0  # type: ignore[misc]  # that it cannot be written is what is tested
    with pytest.raises(AttributeError):
        replay.left_out[0].index = 1  # type: ignore[misc]  # the same
    assert replay == build_resume_plan(list(events)).replay
    for other in (events[:1], [*events, events[0]], events_of([event("a", modelVisibility="hidden"), call("c")])):
        assert replay != build_resume_plan(other).replay
    assert replay != build_resume_plan(events_of([event("a"), call("c")])).replay
    assert replay != build_resume_plan(events_of([event("a", partial=True), event("c")])).replay
    assert (replay == "replay") is False
    assert repr(replay) == "ProviderReplay(high_water=2, _unsettled=(LeftOut(index=1, reason='no_response'),))"
