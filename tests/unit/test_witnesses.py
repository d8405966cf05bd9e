"""What was also seen about a call: the same for one call and for thousands, and never the time of thousands squared."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from core import Inspection, inspect, open_workspace, witnesses_for
from core.inspection.seen import MOST_ALIKE
from tests.support.runs import call, event, text
from tests.support.workspaces import make_run

Rows = list[dict[str, Any]]
PERMISSIONS = ("permission_asked", "permission_allowed", "permission_denied", "permission_unanswered")


def _asked(event_id: str, call_id: str, request_id: str) -> dict[str, Any]:
    request = {
        "kind": "tool_permission", "requestId": request_id, "toolUseId": call_id, "toolName": "Bash",
        "category": "shell_unsafe", "reason": "custom", "args": {}, "rememberForTurnAllowed": True,
    }  # fmt: skip
    return event(event_id, role="system", author="system", actions={"permissionRequest": request})


def _decided(event_id: str, request_id: str, decision: str) -> dict[str, Any]:
    return event(
        event_id,
        role="system",
        author="system",
        actions={"permissionDecision": {"requestId": request_id, "decision": decision}},
    )


def _both(event_id: str, call_id: str, request_id: str) -> dict[str, Any]:
    asked, decided = _asked(event_id, call_id, request_id), _decided(event_id, request_id, "allow")
    return {**asked, "actions": {**asked["actions"], **decided["actions"]}}


def _beat(event_id: str, call_id: str) -> dict[str, Any]:
    return event(event_id, role="tool", author="tool", partial=True, refs={"toolCallId": call_id})


def _inspect(root: Path, rows: Rows) -> Inspection:
    make_run(root, rows)
    return inspect(open_workspace(root).runs()[0].ledger())


def _slowly(rows: Rows, call_id: str, start: int) -> list[tuple[str, int]]:
    """Tell what a reader of all rows would note about one call."""
    asked: dict[str, int] = {}
    told = []
    for index in range(start, len(rows)):
        actions = rows[index].get("actions", {})
        request, decision = actions.get("permissionRequest"), actions.get("permissionDecision")
        if request and request["toolUseId"] == call_id:
            asked[request["requestId"]] = index
            told.append(("permission_asked", index))
        if decision and decision["requestId"] in asked:
            del asked[decision["requestId"]]
            told.append(("permission_allowed" if decision["decision"] == "allow" else "permission_denied", index))
    return told + [("permission_unanswered", index) for index in asked.values()]


CALLS, REQUESTS = st.sampled_from(("a", "b")), st.sampled_from(("p", "q"))
STEPS = st.one_of(
    st.tuples(st.just(_asked), CALLS, REQUESTS),
    st.tuples(st.just(_decided), REQUESTS, st.sampled_from(("allow", "deny"))),
    st.tuples(st.just(_both), CALLS, REQUESTS),
)


@given(st.lists(STEPS, max_size=12), st.integers(0, 12))
@settings(deadline=None, max_examples=60)
def test_permissions_are_told_as_a_reader_of_all_rows_would(steps: list[Any], late: int) -> None:
    """Of every call: each request, each answer to an open one, and at the end those that nobody answered."""
    rows: Rows = [call("c0", "a"), *(make(f"e{n}", *given_) for n, (make, *given_) in enumerate(steps))]
    place = 1 + min(late, len(steps))
    rows.insert(place, call("c1", "b"))
    with tempfile.TemporaryDirectory() as root:
        inspection = _inspect(Path(root), rows)

        for operation, start in zip(inspection.operations, (0, place), strict=True):
            expected = _slowly(rows, operation.tool_call_id, start)
            for seen in (inspection.witnesses_for(operation), witnesses_for(inspection.ledger, operation)):
                assert [(one.code, one.event_index) for one in seen if one.code in PERMISSIONS] == expected


def test_thousands_of_calls_in_doubt_take_no_thousands_of_readings(tmp_path: Path) -> None:
    """Three thousand open calls, each with a question to the user: what was seen is found in one pass."""
    count = 3000
    rows = [call(f"c{n}", f"t{n}") for n in range(count)] + [_asked(f"p{n}", f"t{n}", f"r{n}") for n in range(count)]

    witnesses = _inspect(tmp_path, rows).witnesses

    assert [one.event_index for one in witnesses if one.code == "permission_unanswered"] == [*range(count, 2 * count)]


def test_of_many_signs_of_life_some_are_told(tmp_path: Path) -> None:
    """A call that beat ten thousand times, under an id that many calls share, is told with a bounded number of them."""
    beats = [_beat(f"b{n}", "t") for n in range(MOST_ALIKE + 50)]
    rows = [text("e0"), *(call(f"c{n}", "t", invocationId="inv-1") for n in range(2)), *beats]

    witnesses = _inspect(tmp_path, rows).witnesses

    assert [one.event_index for one in witnesses if one.code == "heartbeat"] == [*range(3, 3 + MOST_ALIKE)]
