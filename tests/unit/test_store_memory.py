"""What a long-lived store remembers is what a new one would read, whatever others do to the file meanwhile."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import CoreError
from core.store.store import RuntimeEventStore
from tests.support.runs import LEDGER_PATH, RUN, SESSION, call, dispatch, new_run, response, terminal, text

_EVENTS = [
    text("a"),
    text("a", "another content"),
    text("b", "x" * 300),
    call("c"),
    call("d"),
    dispatch("e"),
    response("f"),
    response("f", refs={"toolCallId": "t", "operationId": "op-1"}),
    terminal("g"),
]
_events = st.sampled_from(_EVENTS)
_steps = st.lists(
    st.one_of(
        st.tuples(st.just("own"), _events),
        st.tuples(st.just("foreign"), _events),
        st.tuples(st.just("cut"), st.integers(1, 400)),
        st.tuples(
            st.just("add"),
            st.sampled_from([b"\n", b" ", b"\r\n", b"}", b"}\n", b'{"id":', b"\xef\xbb\xbf\n", b"1\n", b"[]"]),
        ),
        st.tuples(st.just("replace"), st.booleans()),
    ),
    max_size=14,
)


def _outcome(store: RuntimeEventStore, event: object) -> str:
    try:
        return store.append(SESSION, RUN, event, allow_durable_tool_facts=True)  # type: ignore[arg-type]  # a mapping
    except CoreError as error:
        return f"{error.code} {error.line} {error.offset} {error.length} {error.field}"


@given(steps=_steps)
@settings(max_examples=150, deadline=None)
def test_a_long_lived_store_answers_as_a_new_one(steps: list[tuple[str, object]]) -> None:
    """The same event has the same outcome and leaves the same bytes, from an old store and from a new one."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as twin:
        ledger = new_run(Path(folder))
        new_run(Path(twin))
        store = RuntimeEventStore(folder)
        for kind, what in steps:
            before = ledger.read_bytes() if ledger.exists() else b""
            if kind == "own":
                (Path(twin) / LEDGER_PATH).write_bytes(before)
                expected = _outcome(RuntimeEventStore(twin), what)

                assert _outcome(store, what) == expected
                assert (ledger.read_bytes() if ledger.exists() else b"") == (Path(twin) / LEDGER_PATH).read_bytes()
            elif kind == "foreign":
                _outcome(RuntimeEventStore(folder), what)
            elif isinstance(what, bytes):
                ledger.write_bytes(before + what)
            elif isinstance(what, bool):
                spare = ledger.with_name("spare")
                spare.write_bytes(before)
                shutil.move(spare, ledger)
            elif isinstance(what, int):
                ledger.write_bytes(before[: max(0, len(before) - what)])
