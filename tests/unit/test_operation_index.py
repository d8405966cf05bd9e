"""The lists of operations that screens draw: the same operations as the projection's, found without reading rows."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from core import (
    OperationIndex,
    RuntimeEvent,
    ToolLedger,
    ToolOperation,
    decode_event,
    open_workspace,
    plan_at,
    position_in,
)
from core.inspection.operation_index import URGENCY
from tests.support.ledgers import events_of, ledgers
from tests.support.runs import call, dispatch, response, text
from tests.support.workspaces import make_run


def facts(index: OperationIndex, number: int) -> tuple[object, ...]:
    """Say what a brief says of an operation."""
    brief = index.brief(number)
    return (
        brief.tool_name, brief.status, brief.reason, brief.call_index, brief.dispatch_index, brief.response_index,
        brief.hidden, brief.event_indexes,
    )  # fmt: skip


def projected(operation: ToolOperation) -> tuple[object, ...]:
    """Say the same of a projected operation."""
    return (
        operation.tool_name, operation.status, operation.reason, operation.call_index, operation.dispatch_index,
        operation.response_index, operation.hidden, operation.event_indexes,
    )  # fmt: skip


def check_every_prefix(events: Sequence[RuntimeEvent], ledger: ToolLedger) -> None:
    """Compare the index of every prefix with the projection of that prefix."""
    for end in range(len(events) + 1):
        plan = plan_at(ledger, end, source=events)
        index = OperationIndex(ledger, end, events.__getitem__)
        unsettled = sorted(plan.unsettled, key=lambda operation: URGENCY.index(operation.status))
        settled = [operation for operation in plan.operations if operation.settled]
        nested = [operation for operation in plan.nested_operations if operation.settled]
        for numbers, operations in ((index.unresolved, unsettled), (index.settled, settled), (index.nested, nested)):
            assert [facts(index, number) for number in numbers] == [projected(one) for one in operations]
            assert [index.operation(number) for number in numbers] == list(operations)
            assert [position_in(numbers, number) for number in numbers] == list(range(len(numbers)))
            assert all(index.holds(number) for number in numbers)


@given(ledgers())
@settings(max_examples=150, deadline=None)
def test_every_prefix_of_any_ledger(documents: list[dict[str, Any]]) -> None:
    """Whatever the prefix, the lists hold the projection's operations, doubts first, and every one can be found."""
    events = tuple(events_of(documents))
    ledger = ToolLedger(events.__getitem__)
    ledger.extend(events)

    check_every_prefix(events, ledger)


def test_hidden_and_late_calls(tmp_path: Path) -> None:
    """Calls that a tool made stand apart once they are settled, and a fact without its call is no operation."""
    hidden = {"modelVisibility": "hidden"}
    make_run(
        tmp_path,
        [
            text("e1"),
            call("e2", "a"),
            call("e3", "b", **hidden),
            response("e4", "b", **hidden),
            response("e5", "a"),
            response("e6", "stray"),
            call("e7", "c"),
            call("e8", "d", **hidden),
        ],
    )
    ledger = open_workspace(tmp_path).runs()[0].ledger()

    check_every_prefix(ledger, ledger.tool_ledger)
    index = OperationIndex(ledger.tool_ledger, len(ledger))
    assert (len(index.unresolved), len(index.settled), len(index.nested)) == (2, 1, 1)
    assert len(index) == 4


def test_a_list_reads_no_row() -> None:
    """However long the ledger, naming an operation does not ask for its events."""
    rows = [
        row for number in range(50) for row in (call(f"c{number}", str(number)), response(f"r{number}", str(number)))
    ]
    events = [decode_event(row) for row in [*rows, call("last", "last"), dispatch("d", "last")]]
    ledger = ToolLedger(events.__getitem__)
    ledger.extend(events)

    def never(index: int) -> RuntimeEvent:
        raise AssertionError(index)

    index = OperationIndex(ledger, len(events), never)
    assert [index.brief(number).tool_name for number in (*index.unresolved, *index.settled[:3])] == ["Bash"] * 4
    assert index.settled[-1] == 49
    assert isinstance(index.settled[10:12], list)


@pytest.mark.parametrize("numbers", [array("I", [1, 4, 9]), [1, 4, 9]])
def test_a_number_that_is_not_there(numbers: array[int] | list[int]) -> None:
    """A number that a list does not hold has no position."""
    assert position_in(numbers, 4) == 1
    assert position_in(numbers, 5) is None
    assert position_in(numbers, 10) is None
