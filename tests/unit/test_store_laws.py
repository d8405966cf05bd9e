"""Laws of the store over random sequences of events and every possible tear."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from core.records.codec import decode_event, event_document
from core.store.store import AppendOutcome, RuntimeEventStore
from tests.support.runs import RUN, SESSION, call, dispatch, event, new_run, response, terminal, text

_strings = st.text(max_size=12)
_numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False).filter(
    lambda number: number != 0
)
_values = st.recursive(
    st.none() | st.booleans() | _numbers | _strings,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_strings, inner, max_size=3),
    max_leaves=6,
)
_steps = st.lists(
    st.tuples(st.sampled_from(["text", "thinking", "call", "dispatched", "error", "terminal"]), _values, _strings),
    min_size=1,
    max_size=8,
)


def _events(steps: list[tuple[str, Any, str]]) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    for number, (kind, value, said) in enumerate(steps):
        name, call_id = f"e{number}", f"call-{number}"
        if kind == "text":
            events.append(text(name, said, ts=float(number)))
        elif kind == "thinking":
            events.append(event(name, content={"kind": "thinking", "text": said}))
        elif kind == "call":
            events += [call(name, call_id, value), response(f"{name}r", call_id, value)]
        elif kind == "dispatched":
            refs = {"toolCallId": call_id, "operationId": f"op-{number}"}
            events += [call(name, call_id), dispatch(f"{name}d", call_id, f"op-{number}")]
            events.append(response(f"{name}r", call_id, value, refs=refs))
        elif kind == "error":
            events.append(event(name, content={"kind": "error", "message": said, "details": {"value": value}}))
        else:
            events.append(terminal(name))
    return events


@given(steps=_steps)
@settings(max_examples=60, deadline=None)
def test_what_is_appended_is_read_back(steps: list[tuple[str, Any, str]]) -> None:
    """Any valid sequence reads back as its events, and appending it once more changes no byte."""
    events = _events(steps)
    with tempfile.TemporaryDirectory() as folder:
        ledger = new_run(Path(folder))
        store = RuntimeEventStore(folder)
        for item in events:
            assert store.append(SESSION, RUN, item, allow_durable_tool_facts=True) is AppendOutcome.WRITTEN
        written = ledger.read_bytes()
        again = RuntimeEventStore(folder)

        read = [event_document(item) for item in again.read_immutable(SESSION, RUN)]
        assert read == [event_document(decode_event(item)) for item in events]
        for item in events:
            assert again.append(SESSION, RUN, item, allow_durable_tool_facts=True) is AppendOutcome.UNCHANGED
        assert ledger.read_bytes() == written


def test_a_tear_at_every_byte_is_repaired_by_the_next_append(tmp_path: Path) -> None:
    """Wherever the last row is torn, the reader leaves it out and the next append puts whole rows in its place."""
    ledger = new_run(tmp_path)
    store = RuntimeEventStore(tmp_path)
    store.append(SESSION, RUN, call("a", args={"path": "日本 \U0001f600"}))
    kept = ledger.read_bytes()
    store.append(SESSION, RUN, response("b", result={"n": [1.5, None], "text": 'é "\\ \U0001f600'}))
    whole = ledger.read_bytes()
    for cut in range(len(kept), len(whole)):
        ledger.write_bytes(whole[:cut])
        complete = cut == len(whole) - 1
        reopened = RuntimeEventStore(tmp_path)

        assert [item.id for item in reopened.read_immutable(SESSION, RUN)] == (["a", "b"] if complete else ["a"])
        assert ledger.read_bytes() == whole[:cut]
        reopened.append(SESSION, RUN, text("z"))
        ids = [item.id for item in RuntimeEventStore(tmp_path).read_immutable(SESSION, RUN)]
        assert ids == (["a", "b", "z"] if complete else ["a", "z"])
        assert ledger.read_bytes().startswith(whole if complete else kept)


def test_an_open_store_sees_a_tear_at_every_byte(tmp_path: Path) -> None:
    """A store that wrote the row itself, and finds it torn, writes it again whole."""
    ledger = new_run(tmp_path)
    store = RuntimeEventStore(tmp_path)
    store.append(SESSION, RUN, call("a"))
    kept = ledger.read_bytes()
    store.append(SESSION, RUN, response("b"))
    whole = ledger.read_bytes()
    for cut in range(len(kept), len(whole) - 1):
        ledger.write_bytes(whole[:cut])

        assert store.append(SESSION, RUN, response("b")) is AppendOutcome.WRITTEN
        assert ledger.read_bytes() == whole
