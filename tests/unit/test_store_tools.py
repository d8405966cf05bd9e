"""Tool facts that the store takes and those it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.errors import AppendRefused
from core.records.codec import decode_event, encode_event
from core.store.append import append_jsonl
from core.store.store import AppendOutcome
from tests.support.runs import RUN, SESSION, append_all, call, dispatch, new_run, reconcile, response, text, tree


@pytest.mark.parametrize(
    ("before", "refused", "code"),
    [
        ([], response("b"), "orphan_response"),
        ([call("a")], call("b"), "duplicate_call"),
        ([call("a"), response("b")], response("c"), "duplicate_response"),
        (
            [call("a")],
            {**response("b"), "content": {"kind": "function_response", "id": "t", "name": "Read", "result": 1}},
            "identity_conflict",
        ),
        ([], call("a", role="user"), "semantic_lane_conflict"),
        ([], call("a", status="completed"), "semantic_lane_conflict"),
        ([], call("a", partial=True), "semantic_lane_conflict"),
    ],
)
def test_a_broken_tool_transition_is_refused(
    before: list[dict[str, Any]], refused: dict[str, Any], code: str, tmp_path: Path
) -> None:
    """An event that the tool ledger would complain of is not written, and the next good one is."""
    new_run(tmp_path)
    store = append_all(tmp_path, *before)
    files = tree(tmp_path)
    with pytest.raises(AppendRefused) as caught:
        store.append(SESSION, RUN, refused)

    assert caught.value.code == code
    assert tree(tmp_path) == files
    assert store.append(SESSION, RUN, text("z")) is AppendOutcome.WRITTEN


def test_durable_tool_facts_need_to_be_asked_for(tmp_path: Path) -> None:
    """Dispatch facts and their responses are written only for those who say that they know what they do."""
    new_run(tmp_path)
    store = append_all(tmp_path, call("a"))
    answer = response("c", refs={"toolCallId": "t", "operationId": "op-1"})
    for fact in (dispatch("b"), answer):
        with pytest.raises(AppendRefused) as caught:
            store.append(SESSION, RUN, fact)
        assert caught.value.code == "durable_tool_fact"

    for fact in (dispatch("b"), answer):
        assert store.append(SESSION, RUN, fact, allow_durable_tool_facts=True) is AppendOutcome.WRITTEN


@pytest.mark.parametrize(
    ("refused", "code"),
    [
        (dispatch("x", args={"command": "rm"}), "canonical_args_hash_conflict"),
        (dispatch("x", operation_id="op-2"), "duplicate_dispatch"),
        (dispatch("x", call_id="u"), "duplicate_operation"),
        (response("x"), "identity_conflict"),
    ],
)
def test_allowed_facts_are_still_held_to_the_tool_ledger(refused: dict[str, Any], code: str, tmp_path: Path) -> None:
    """The permission to write later phases' facts is none to write wrong ones."""
    new_run(tmp_path)
    start = [call("a"), call("b", call_id="u")]
    first = [] if code == "canonical_args_hash_conflict" else [dispatch("c")]
    store = append_all(tmp_path, *start, *first, allow_durable_tool_facts=True)
    with pytest.raises(AppendRefused) as caught:
        store.append(SESSION, RUN, refused, allow_durable_tool_facts=True)

    assert caught.value.code == code


@pytest.mark.parametrize(
    ("refused", "code"),
    [
        (response("x", refs={"toolCallId": "t", "operationId": "op-1"}), "duplicate_response"),
        (dispatch("x"), "duplicate_dispatch"),
        (call("x"), "duplicate_call"),
    ],
)
def test_a_settled_call_takes_no_more_facts(refused: dict[str, Any], code: str, tmp_path: Path) -> None:
    """Once a dispatched call has its response, any further fact of the call is one too many."""
    new_run(tmp_path)
    answer = response("c", refs={"toolCallId": "t", "operationId": "op-1"})
    store = append_all(tmp_path, call("a"), dispatch("b"), answer, allow_durable_tool_facts=True)
    with pytest.raises(AppendRefused) as caught:
        store.append(SESSION, RUN, refused, allow_durable_tool_facts=True)

    assert caught.value.code == code


def test_recovery_facts_need_their_one_operation(tmp_path: Path) -> None:
    """A recovery fact follows a dispatch; where two calls share its operation id it is refused."""
    ledger = new_run(tmp_path)
    store = append_all(tmp_path, call("a"), call("b", "u"), dispatch("c"), allow_durable_tool_facts=True)
    with pytest.raises(AppendRefused) as unknown:
        store.append(SESSION, RUN, reconcile("d", operation_id="op-2"), allow_durable_tool_facts=True)
    assert unknown.value.code == "event_order_conflict"
    assert store.append(SESSION, RUN, reconcile("d"), allow_durable_tool_facts=True) is AppendOutcome.WRITTEN
    append_jsonl(ledger, encode_event(decode_event(dispatch("e", "u"))) + b"\n")
    with pytest.raises(AppendRefused) as shared:
        store.append(SESSION, RUN, reconcile("f"), allow_durable_tool_facts=True)

    assert shared.value.code == "duplicate_operation"
