"""Rows that are decoded and folded many at once give what the same rows give one by one, or nothing."""

from __future__ import annotations

import json
import pickle
from typing import Any, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.decision.resume import plan_at
from core.decision.tool_ledger import ToolLedger
from core.errors import EventDecodeError, RequestError
from core.records.codec import decode_event
from core.records.events import Actions, Refs, RuntimeEvent
from core.records.plain import decode_plain
from core.records.plain_events import PlainActions, PlainEvent, PlainRefs
from core.records.row_kinds import row_kind
from core.storage.ledger import RunIdentity
from core.storage.line_reader import LineReader
from core.storage.lines import Lines
from core.storage.row_reader import RowReader
from core.storage.rows import RowIndex
from tests.support.ledgers import LEDGERS, Event, events_of
from tests.support.runs import call, dispatch, event, response, text
from tests.support.vector_files import read_vectors

ANYBODY = RunIdentity(None, None, None, None)


def row(document: Any) -> bytes:
    """Return the bytes of a row."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize(("plain", "whole"), [(PlainEvent, RuntimeEvent), (PlainActions, Actions), (PlainRefs, Refs)])
def test_a_plain_record_has_the_fields_of_the_whole_one(
    plain: type[msgspec.Struct], whole: type[msgspec.Struct]
) -> None:
    """Each of its fields is declared as the whole record declares it, but for the records inside that are plain too."""
    own, others = get_type_hints(plain), get_type_hints(whole)
    for name in plain.__struct_fields__:
        declared = str(own[name]).replace("plain_events.Plain", "events.")
        assert declared == str(others[name]), name
    assert set(plain.__struct_fields__) < set(whole.__struct_fields__)


def test_what_is_plain_is_what_the_row_says() -> None:
    """A row that is taken for plain decodes to the same values the other way; one that is refused is never plain."""
    plain = 0
    for vector in read_vectors("decode"):
        line = row(vector["event"])
        rows = decode_plain(line, 1)
        try:
            whole = decode_event(line)
        except EventDecodeError:
            assert rows is None, vector["name"]
            continue
        if rows is not None:
            plain += 1
            said = json.loads(msgspec.json.encode(rows.events[0]))
            assert said == json.loads(msgspec.json.encode(whole)), vector["name"]
            assert rows[0] == whole
            assert list(rows.kinds) == [row_kind(whole)]
    assert plain > 100


def test_the_decoder_of_one_execution_takes_its_rows_alone() -> None:
    """It gives the same values, and refuses a row with any other id, however that is written."""
    ids = ("sess-1", "inv-1", "run-1", "turn-1")
    lines = b"\n".join((row(text("a", "ü")), row(call("b", "t", {"n": 1})), row(response("c"))))
    plain, same = decode_plain(lines, 3), decode_plain(lines.replace(b"run-1", b"run\\u002d1"), 3, ids)

    assert plain is not None
    assert same is not None
    assert msgspec.json.encode(same.events) == msgspec.json.encode(plain.events)
    assert same.kinds == plain.kinds
    for own in ids:
        for other in (own + "1", "", own[:-1] + "\0"):
            last = row(text("d")).replace(f'"{own}"'.encode(), json.dumps(other).encode())
            assert decode_plain(b"\n".join((lines, last)), 4, ids) is None


@pytest.mark.parametrize("holder", ["args", "result", "providerOutput", "permission"])
def test_values_that_are_passed_over_must_be_text(holder: str) -> None:
    """No byte that is no UTF-8 comes through, in whatever value it stands."""
    documents = {
        "args": call("e", "t", {"command": "MARK"}),
        "result": response("e", "t", "MARK"),
        "providerOutput": response("e", "t", "ok"),
        "permission": event(
            "e",
            actions={
                "permissionRequest": {
                    "kind": "tool_permission", "requestId": "p", "toolUseId": "t", "toolName": "Bash",
                    "category": "shell_unsafe", "reason": "shell_dangerous", "args": "MARK",
                    "rememberForTurnAllowed": True,
                }
            },
        ),
    }  # fmt: skip
    documents["providerOutput"]["content"]["providerOutput"] = "MARK"
    line = row(documents[holder])
    sound, before = row(text("a", "ü")), row(text("b"))

    assert decode_plain(b"\n".join((before, line, sound)), 3) is not None
    for broken in (b"\xff", b"\xc3", b"\xed\xa0\x80"):
        assert decode_plain(b"\n".join((before, line.replace(b"MARK", broken), sound)), 3) is None


@pytest.mark.parametrize(
    "lines",
    [
        b'{"a":\n1}', row(text("a")) + b"\n\n" + row(text("b")), row(text("a")) + row(text("b")), b"", b"\n",
        row(text("a")).replace(b',"ts"', b',\n"ts"'), row(text("a")) + b" \n" + row(text("b")) + b" x",
    ],
)  # fmt: skip
def test_each_line_is_one_row(lines: bytes) -> None:
    """Lines without a value, with two, or with a part of one, are never plain."""
    assert decode_plain(lines, lines.count(b"\n") + 1) is None
    assert decode_plain(b"", 0) is None


A, B, C = row(text("a")), row(text("b")), row(text("c"))


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize(
    "lines",
    [
        [A + B, b""], [b"", A + B], [A + b" " + B, b"  "], [A[:-1], b"}", A + B], [A + B, *C.split(b',"ts"', 1)],
        [A, B + C, b"", A], [A + B + C, b"", b""], [b"{}" + A, b""], [A.replace(b"},", b"},\n"), B + C],
    ],
)  # fmt: skip
def test_as_many_values_as_lines_need_not_be_one_on_each(lines: list[bytes], end: bytes) -> None:
    """Two values on a line are no row, also where a blank line, or a value on two lines, makes up for them."""
    before, after = row(text("before")), row(text("after"))
    data = b"\n".join([before, *lines, after]) + end
    readers = [LineReader(RowReader(ANYBODY, RowIndex(), ToolLedger())) for _ in range(2)]
    readers[0].take(Lines(0, data))
    start = 0
    for line in data.splitlines(keepends=True):
        readers[1].take(Lines(start, line))
        start += len(line)
    together, singly = (reader._rows for reader in readers)

    assert list(together) == list(singly)
    assert together.findings


@settings(max_examples=300, deadline=None)
@given(LEDGERS, st.data())
def test_many_at_once_are_folded_as_one_by_one(documents: list[Event], data: st.DataObject) -> None:
    """However the rows are cut for reading, index and fold come out the same, for every prefix."""
    payloads = [json.dumps(document).encode() for document in documents]
    events = [decode_event(payload) for payload in payloads]
    apart, rows = ToolLedger(), RowIndex()
    for one in events:
        apart.apply(one)
    together = ToolLedger(events.__getitem__, expected=len(events))
    done = offset = 0
    while done < len(payloads):
        size = data.draw(st.integers(1, len(payloads) - done))
        lines = b"".join(payload + b"\n" for payload in payloads[done : done + size])
        LineReader(RowReader(ANYBODY, rows, together)).take(Lines(offset, lines))
        done, offset = done + size, offset + len(lines)

    assert list(rows.kinds) == [row_kind(one) for one in events]
    assert list(rows.lengths) == list(map(len, payloads))
    assert together.blocked_after == apart.blocked_after
    assert together.counts == apart.counts
    assert together.blocking == apart.blocking
    assert together.waiting.keys() == apart.waiting.keys()
    for end in range(len(events) + 1):
        assert plan_at(together, end, source=events) == plan_at(apart, end)


REGULAR = st.lists(st.sampled_from(["call", "dispatch", "response", "text", "two", "again"]), max_size=40)


@settings(max_examples=200, deadline=None)
@given(REGULAR, st.data(), st.booleans())
def test_regular_traffic_is_folded_as_one_by_one(steps: list[str], data: st.DataObject, marked: bool) -> None:
    """Calls, dispatches and responses in the usual shapes, now and then out of place, fold alike in batches."""
    marker = {"actions": {"runtimeProtocol": {"toolBoundary": "t1_after_preflight_v1"}}} if marked else {}
    documents = [text("first", **marker)]
    open_calls: list[tuple[str, bool]] = []
    for number, step in enumerate(steps):
        name = f"e{number:03}"
        if step in ("call", "two"):
            open_calls.append((f"t{number}", False))
            documents.append(call(name, f"t{number}", {"n": number}))
        elif step == "dispatch" and open_calls:
            call_id, _ = open_calls[-1]
            open_calls[-1] = (call_id, True)
            args = {"n": int(call_id[1:]) + (number % 11 == 0)}
            documents.append(dispatch(name, call_id, f"op-{call_id}", args))
        elif step == "response" and open_calls:
            call_id, dispatched = open_calls.pop()
            refs = {"toolCallId": call_id} | ({"operationId": f"op-{call_id}"} if dispatched else {})
            delta = {"stateDelta": {"durationMs": number}}
            documents.append(response(name, call_id, "ok", refs=refs, actions=delta if number % 3 else None))
        elif step == "again" and number % 7 == 0:
            documents.append(text("e000"))
        else:
            documents.append(text(name))
    events = events_of(documents)
    apart, together, rows = ToolLedger(), ToolLedger(events.__getitem__), RowIndex()
    for one in events:
        apart.apply(one)
    done = 0
    while done < len(documents):
        size = data.draw(st.integers(1, len(documents) - done))
        lines = b"".join(row(document) + b"\n" for document in documents[done : done + size])
        LineReader(RowReader(ANYBODY, rows, together)).take(Lines(0, lines))
        done += size

    assert together.blocked_after == apart.blocked_after
    assert together.counts == apart.counts
    for end in range(len(events) + 1):
        assert plan_at(together, end, source=events) == plan_at(apart, end)


def test_a_fold_keeps_plain_rows_where_nobody_reads_them_again() -> None:
    """Without a way back to the events they are kept: those of plain rows, and those before and behind them."""
    documents = [text("a"), call("b", "t"), text("c"), response("d", "t"), text("e")]
    events = events_of(documents)
    rows = decode_plain(b"\n".join(map(row, documents[1:4])), 3)
    assert rows is not None
    ledger = ToolLedger()
    ledger.apply(events[0])
    ledger.extend_plain(rows)
    ledger.apply(events[4])

    assert [ledger.event(index) for index in range(5)] == events
    assert plan_at(ledger, 5) == plan_at(ledger, 5, source=events)
    with pytest.raises(RequestError, match=r"^a copy of a fold cannot take events$"):
        pickle.loads(pickle.dumps(ledger)).extend_plain(rows)


def test_arguments_without_identity_bind_no_dispatch() -> None:
    """Infinite arguments have no digest: a dispatch that comes with their call is judged as one that comes later."""
    documents = [text("a"), text("b"), call("c", args={"n": 0}), dispatch("d", args={"n": 0}), response("e")]
    lines = [row(document).replace(b'"n":0', b'"n":1e999') for document in documents]
    apart, together, rows = ToolLedger(), ToolLedger(list(map(decode_event, lines)).__getitem__), RowIndex()
    for line in lines:
        apart.apply(decode_event(line))
    reader = LineReader(RowReader(ANYBODY, rows, together))
    for some in (lines[:1], lines[1:]):
        reader.take(Lines(0, b"".join(line + b"\n" for line in some)))

    assert plan_at(together, 5) == plan_at(apart, 5)
    assert plan_at(together, 5).blocked
