"""Everything that a row says, whatever it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core import Ledger, LedgerChanged, open_workspace, partial_facts, partial_value, row_facts, row_value
from core.inspection.row_facts import SHOWN_AT_MOST
from core.storage.partials import parse_partial
from tests.support.runs import LEDGER_PATH, call, delta, event, response, text
from tests.support.workspaces import make_run


def ledger_of(root: Path, rows: list[dict[str, Any]], tail: bytes = b"") -> Ledger:
    """Write a run and read it."""
    make_run(root, rows, tail=tail)
    return open_workspace(root).runs()[0].ledger()


def told(ledger: Ledger, index: int) -> dict[str, str]:
    """Return the facts of a row by their names."""
    return {fact.name: fact.text for fact in row_facts(ledger, index, 7_200_005.0)}


def test_every_field_of_an_event(tmp_path: Path) -> None:
    """Each value of the row is there under its name, values with structure in full."""
    refs = {"toolCallId": "t", "operationId": "op"}
    ledger = ledger_of(tmp_path, [call("e1", args={"a": [1, 2]}, refs=refs, modelVisibility="hidden")])

    facts = told(ledger, 0)

    assert facts["row"].startswith("event 1, line 1, byte 0, ")
    assert facts["time"] == "1970-01-01 00:00:00.005 UTC, 2 h ago"
    assert (facts["id"], facts["call id"], facts["content"], facts["name"]) == ("e1", "t", "function_call", "Bash")
    assert facts["modelVisibility"] == "hidden"
    assert json.loads(facts["args"]) == {"a": [1, 2]}
    assert (facts["toolCallId"], facts["operationId"], facts["runId"]) == ("t", "op", "run-1")


def test_actions_are_told(tmp_path: Path) -> None:
    """What an event did beside its content is shown whole."""
    ledger = ledger_of(tmp_path, [event("e1", actions={"stateDelta": {"durationMs": 3}})])

    assert json.loads(told(ledger, 0)["stateDelta"]) == {"durationMs": 3}


def test_long_values_are_cut_and_say_so(tmp_path: Path) -> None:
    """A long text is shown up to a limit, and how much is missing is said."""
    ledger = ledger_of(tmp_path, [text("e1", "x" * (SHOWN_AT_MOST + 7))])

    fact = next(fact for fact in row_facts(ledger, 0) if fact.name == "text")
    assert len(fact.text) == SHOWN_AT_MOST
    assert fact.left_out == "7 more characters"


def test_a_deep_value_is_written_all_the_same(tmp_path: Path) -> None:
    """A result nested deeper than Python's own writer goes is still shown."""
    row = json.dumps(response("e1")).replace('"result": "ok"', '"result": ' + "[" * 5000 + "]" * 5000)
    ledger = ledger_of(tmp_path, [], row.encode() + b"\n")

    assert told(ledger, 0)["result"] == "[" * 5000 + "]" * 5000


def test_a_huge_row_is_not_decoded(tmp_path: Path) -> None:
    """Of a row of many megabytes the beginning is shown, with its size."""
    ledger = ledger_of(tmp_path, [text("e1", "x" * (5 << 20))])

    facts = {fact.name: fact for fact in row_facts(ledger, 0)}
    assert facts["size"].text == "5.2 MB: only the beginning is shown"
    assert len(facts["bytes"].text) == 4096
    assert facts["bytes"].left_out.endswith("more bytes")


def test_damaged_and_torn_rows(tmp_path: Path) -> None:
    """An unreadable row tells the complaint and its bytes; a torn one what it starts like; neither is counted."""
    torn = b'{"id":"e9","content":{"kind":"function_response","id":"t","na'
    ledger = ledger_of(tmp_path, [text("e1")], b'{"id": "\x1b"}\n' + torn)

    bad, last = told(ledger, 1), told(ledger, 2)

    assert bad["row"].startswith("not counted, line 2, byte ")
    assert bad["code"] == "row_invalid_json"
    assert bad["bytes"] == '{"id": "\x1b"}'
    assert last["code"] == "torn_tail"
    assert last["looks like"].endswith("starts like a function_response")


def test_a_row_that_is_gone(tmp_path: Path) -> None:
    """Where the file was cut meanwhile the caller hears of it."""
    ledger = ledger_of(tmp_path, [text("e1"), text("e2")])
    (tmp_path / LEDGER_PATH).write_bytes(b"")

    with pytest.raises(LedgerChanged):
        row_facts(ledger, 1)


def test_an_unfinished_stream() -> None:
    """A partial snapshot shows its text so far and its event, and that it does not count."""
    head = {"version": 1, "event": delta("d1", "")}
    snapshot = parse_partial("m1.partial", json.dumps(head).encode() + b"\nso far")
    assert snapshot is not None

    facts = {fact.name: fact.text for fact in partial_facts(snapshot)}

    assert "not counted" in facts["partial"]
    assert facts["text so far"] == "so far"
    assert json.loads(facts["event"])["id"] == "d1"


def test_a_cut_value_can_be_had_whole(tmp_path: Path) -> None:
    """Each value is given whole by its place among the facts, long or short."""
    ledger = ledger_of(tmp_path, [text("e1", "x" * (SHOWN_AT_MOST + 7))])
    facts = row_facts(ledger, 0)

    for place, fact in enumerate(facts):
        whole = row_value(ledger, 0, place)
        assert whole.name == fact.name
        assert whole.text.startswith(fact.text)
        assert not whole.left_out
    assert len(row_value(ledger, 0, [fact.name for fact in facts].index("text")).text) == SHOWN_AT_MOST + 7


def test_damaged_bytes_can_be_had_whole(tmp_path: Path) -> None:
    """The bytes of a torn row are there to the last one; what is no text is written by its number."""
    tail = b'{"id":"' + b"y" * 5000 + b"\xff" + b"\0" * 9
    ledger = ledger_of(tmp_path, [text("e1")], tail)
    facts = row_facts(ledger, 1)
    place = [fact.name for fact in facts].index("bytes")

    assert facts[place].left_out.endswith("more bytes")
    assert row_value(ledger, 1, place).text.endswith("y\\xff(9 zero bytes)")


def test_an_unfinished_stream_can_be_had_whole(tmp_path: Path) -> None:
    """So can what was streamed so far."""
    document = {"version": 1, "event": delta("d1", ""), "afterEventId": "e1"}
    streamed = b"z" * (SHOWN_AT_MOST + 1)
    snapshot = parse_partial("a.partial", json.dumps(document).encode() + b"\n" + streamed)
    assert snapshot is not None
    place = [fact.name for fact in partial_facts(snapshot)].index("text so far")

    assert partial_facts(snapshot)[place].left_out == "1 more characters"
    assert len(partial_value(snapshot, place).text) == SHOWN_AT_MOST + 1
