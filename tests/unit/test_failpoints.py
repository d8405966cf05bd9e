"""The catalog of failpoints, and the shapes of committed prefixes."""

from __future__ import annotations

import pytest

from core import RUNTIME_RESUME_FAILPOINTS, CommittedPrefix, failpoints_for
from core.decision.failpoints import committed_prefix_at
from core.decision.tool_ledger import ToolLedger
from tests.support.ledgers import MARKER, Event, call, dispatch, event, events_of, response

END = event("end", role="system", author="system", content=None, status="completed")


def shape_of(documents: list[Event]) -> CommittedPrefix:
    """Return the shape of a whole ledger."""
    ledger = ToolLedger()
    ledger.extend(events_of(documents))
    return committed_prefix_at(ledger, len(documents))


def test_the_catalog_has_twelve_stable_boundaries_in_order() -> None:
    """P0 to P11, each with the last prefix that is fully committed when a crash falls there."""
    prefixes = {failpoint.id: str(failpoint.committed_prefix) for failpoint in RUNTIME_RESUME_FAILPOINTS}

    assert list(prefixes) == [f"P{number}" for number in range(12)]
    assert list(prefixes.values()) == [
        "before_function_call",
        *["after_function_call"] * 4,
        *["after_function_response"] * 4,
        *["after_terminal_event"] * 3,
    ]
    assert RUNTIME_RESUME_FAILPOINTS[0].as_document().keys() == {"id", "boundary", "committedPrefix"}


@pytest.mark.parametrize(
    ("documents", "ids"),
    [
        ([], ["P0"]),
        ([event("u")], ["P0"]),
        ([call("c")], ["P1", "P2", "P3", "P4"]),
        ([call("c"), response("r")], ["P5", "P6", "P7", "P8"]),
        ([call("c"), response("r"), END], ["P9", "P10", "P11"]),
    ],
)
def test_a_prefix_has_the_shape_of_a_set_of_failpoints(documents: list[Event], ids: list[str]) -> None:
    """Failpoints are told by the shape of the prefix, as a set."""
    assert [failpoint.id for failpoint in failpoints_for(events_of(documents))] == ids


@pytest.mark.parametrize(
    ("documents", "prefix"),
    [
        ([call("a"), response("b"), call("c", "c2")], "after_function_call"),
        ([call("a"), call("b", "c2"), response("c", "c2")], "after_function_call"),
        ([call("a"), response("b"), event("c")], "after_function_response"),
        ([event("a", actions={"runtimeProtocol": MARKER}), call("b", modelVisibility="hidden")], "after_function_call"),
        ([call("a", modelVisibility="hidden"), response("b", modelVisibility="hidden")], "after_function_response"),
        ([response("a")], "before_function_call"),
        ([dispatch("a")], "before_function_call"),
        ([call("a"), response("b"), response("c")], "after_function_call"),
        ([call("a"), END], "after_terminal_event"),
        ([event("a", status="streaming")], "before_function_call"),
        ([{**END, "partial": True}], "before_function_call"),
        ([event("a", actions={"endInvocation": True})], "after_terminal_event"),
        ([event("a", actions={"endInvocation": False})], "before_function_call"),
    ],
)
def test_a_prefix_with_any_number_of_calls_has_one_shape(documents: list[Event], prefix: str) -> None:
    """A terminal fact comes first, then any unsettled call, then any settled one."""
    assert shape_of(documents) == prefix


def test_the_shape_is_that_of_the_prefix_asked_for() -> None:
    """What comes later does not count."""
    ledger = ToolLedger()
    ledger.extend(events_of([event("u"), call("c"), response("r"), END]))

    assert [committed_prefix_at(ledger, end) for end in range(5)] == [
        "before_function_call",
        "before_function_call",
        "after_function_call",
        "after_function_response",
        "after_terminal_event",
    ]
