"""Plans against answers recorded from the runtime, for whole ledgers and for every prefix of them."""

from __future__ import annotations

import pytest

from core import build_resume_plan
from core.decision.resume import plan_at
from core.decision.tool_ledger import ToolLedger
from core.records.codec import event_document
from tests.support.answers import plan_differences
from tests.support.ledgers import events_of, hash_of
from tests.support.plan_oracle import Oracle
from tests.support.vector_files import read_vectors

VECTORS = read_vectors("plan")
PHASES = sorted({vector["phase"] for vector in VECTORS})
LONG = 60
"""Longer ledgers only repeat themselves; prefixes of prefixes cost the square of the length."""


@pytest.mark.parametrize("phase", PHASES)
def test_plans_are_as_recorded(phase: str) -> None:
    """A plan says what the runtime said, key by key, twice the same, and planning changes none of its input."""
    for vector in VECTORS:
        if vector["phase"] == phase:
            events = events_of(vector["events"])
            before = [event_document(event) for event in events]
            plan = build_resume_plan(events, expected_high_water=vector.get("expectedHighWater"))
            again = build_resume_plan(events, expected_high_water=vector.get("expectedHighWater"))

            assert not plan_differences(plan.as_document(), vector["expect"]), vector["name"]
            assert plan == again
            assert plan.as_document() == again.as_document()
            assert before == [event_document(event) for event in events]


@pytest.mark.parametrize("phase", PHASES)
def test_later_events_change_no_earlier_plan(phase: str) -> None:
    """Of every prefix of every recorded ledger, the whole fold says what the fold of that prefix alone said."""
    for vector in VECTORS:
        if vector["phase"] == phase:
            events = events_of(vector["events"])
            growing, said = ToolLedger(), []
            for end in range(len(events) + 1):
                said.append(plan_at(growing, end))
                if end < len(events):
                    growing.apply(events[end])
            for end, plan in enumerate(said):
                assert plan_at(growing, end) == plan, (vector["name"], end)
            assert list(growing.blocked_after) == [plan.blocked for plan in said[1:]], vector["name"]


@pytest.mark.parametrize("phase", PHASES)
def test_prefixes_are_planned_as_the_rules_say(phase: str) -> None:
    """Prefixes of recorded ledgers get the plan that the rules give when they are followed the slow way."""
    vectors = [vector for vector in VECTORS if vector["phase"] == phase and len(vector["events"]) <= LONG]
    for vector in (*vectors[::9], *(vector for vector in vectors if vector["name"].startswith("hand/"))):
        events = events_of(vector["events"])
        for end in range(len(events) + 1):
            slow = Oracle(vector["events"][:end], hash_of).plan()
            assert not plan_differences(build_resume_plan(events[:end]).as_document(), slow), (vector["name"], end)
