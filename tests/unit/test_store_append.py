"""RuntimeEventStore.append: what is written, what is recognised, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import (
    AppendRefused,
    CoreError,
    EventDecodeError,
    HeaderDecodeError,
    IdentityConflict,
    RequestError,
    RunNotFound,
)
from core.records.codec import decode_event
from core.store.headers import AgentRunStore
from core.store.store import AppendOutcome, RuntimeEventStore
from tests.support.runs import (
    RUN,
    RUN_PATH,
    SESSION,
    append_all,
    call,
    event,
    header,
    new_run,
    response,
    terminal,
    text,
    tree,
)


def test_events_are_read_back_in_order(tmp_path: Path) -> None:
    """A new store reads what another one wrote, as it would decode the events themselves."""
    new_run(tmp_path)
    events = [text("a"), call("b", args={"command": "ls"}), response("c"), terminal("d")]
    append_all(tmp_path, *events)

    assert RuntimeEventStore(tmp_path).read_immutable(SESSION, RUN) == tuple(decode_event(item) for item in events)
    assert RuntimeEventStore(tmp_path).read(SESSION, RUN) == tuple(decode_event(item) for item in events)


def test_a_row_is_canonical_json(tmp_path: Path) -> None:
    """Keys are sorted at every level with integer-like ones first, and nothing stands between tokens."""
    ledger = new_run(tmp_path)
    append_all(tmp_path, call("b", args={"z": 1, "a": {"10": 1, "9": 2, "é": "\u2028", "b": [1.5, 1e21, None, True]}}))

    assert ledger.read_bytes().decode() == (
        '{"author":"agent","content":{"args":{"a":{"9":2,"10":1,"b":[1.5,1e+21,null,true],"é":"\u2028"},"z":1},'
        '"id":"t","kind":"function_call","name":"Bash"},"id":"b","invocationId":"inv-1","partial":false,'
        '"refs":{"toolCallId":"t"},"role":"model","runId":"run-1","sessionId":"sess-1","ts":5,"turnId":"turn-1"}\n'
    )


def test_text_is_rebuilt_before_it_is_written(tmp_path: Path) -> None:
    """What the runtime drops from text content is dropped: an equal shown text, empty lists."""
    ledger = new_run(tmp_path)
    content = {"kind": "text", "text": "x", "displayText": "x", "attachments": [], "quotes": []}
    append_all(tmp_path, event("a", content=content))

    assert json.loads(ledger.read_bytes())["content"] == {"kind": "text", "text": "x"}


def test_an_event_may_come_as_a_value_or_as_bytes(tmp_path: Path) -> None:
    """A RuntimeEvent, a mapping and JSON text of the same event are the same event."""
    ledger = new_run(tmp_path)
    store = RuntimeEventStore(tmp_path)
    outcomes = [
        store.append(SESSION, RUN, text("a")),
        store.append(SESSION, RUN, decode_event(text("a"))),
        store.append(SESSION, RUN, json.dumps(text("a")).encode()),
    ]

    assert outcomes == [AppendOutcome.WRITTEN, AppendOutcome.UNCHANGED, AppendOutcome.UNCHANGED]
    assert ledger.read_bytes().count(b"\n") == 1


@pytest.mark.parametrize("reopened", [False, True])
def test_a_repeated_event_is_written_once(reopened: bool, tmp_path: Path) -> None:
    """The same id with the same content changes no byte, whoever wrote it first."""
    ledger = new_run(tmp_path)
    store = append_all(tmp_path, text("a"), text("b"))
    before = ledger.read_bytes()
    if reopened:
        store = RuntimeEventStore(tmp_path)

    assert store.append(SESSION, RUN, text("a"), durable=True) is AppendOutcome.UNCHANGED
    assert ledger.read_bytes() == before


def test_an_id_with_another_content_is_refused(tmp_path: Path) -> None:
    """An id is never given away twice."""
    ledger = new_run(tmp_path)
    store = append_all(tmp_path, text("a"))
    before = ledger.read_bytes()
    with pytest.raises(IdentityConflict):
        store.append(SESSION, RUN, text("a", "other"))

    assert ledger.read_bytes() == before


def test_an_id_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """Where a ledger has several rows of one id, no append can be told to be one of them."""
    ledger = new_run(tmp_path)
    append_all(tmp_path, text("a"))
    ledger.write_bytes(ledger.read_bytes() * 2)
    with pytest.raises(IdentityConflict) as caught:
        RuntimeEventStore(tmp_path).append(SESSION, RUN, text("a"))

    assert caught.value.code == "id_repeated"


@pytest.mark.parametrize("key", ["sessionId", "runId", "turnId", "invocationId"])
def test_an_event_of_another_run_is_refused(key: str, tmp_path: Path) -> None:
    """All four ids must be the run's; nothing is created for a stranger."""
    new_run(tmp_path)
    before = tree(tmp_path)
    with pytest.raises(AppendRefused) as caught:
        append_all(tmp_path, {**text("a"), key: "other"})

    assert caught.value.field == f"$.{key}"
    assert tree(tmp_path) == before


def test_an_old_header_takes_any_invocation(tmp_path: Path) -> None:
    """A header without an invocation id leaves the events' own unchecked."""
    AgentRunStore(tmp_path).create(header(invocationId=None))
    store = append_all(tmp_path, text("a"), {**text("b"), "invocationId": "inv-2"})

    assert len(store.read_immutable(SESSION, RUN)) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {**text("a"), "extra": 1},
        {**text("a"), "ts": "now"},
        event("a", content={"kind": "poem"}),
        event(""),
        {},
    ],
)
def test_an_event_of_no_shape_is_refused(wrong: dict[str, Any], tmp_path: Path) -> None:
    """What the reader would not take is not written."""
    new_run(tmp_path)
    before = tree(tmp_path)
    with pytest.raises(EventDecodeError):
        append_all(tmp_path, wrong)

    assert tree(tmp_path) == before


@pytest.mark.parametrize("args", [{"a": -0.0}, [float("inf")]])
def test_an_event_that_would_not_survive_is_refused(args: Any, tmp_path: Path) -> None:
    """Values that JSON cannot carry there and back are not written."""
    new_run(tmp_path)
    before = tree(tmp_path)
    with pytest.raises(CoreError):
        append_all(tmp_path, call("a", args=args))

    assert tree(tmp_path) == before


def test_a_run_needs_its_header(tmp_path: Path) -> None:
    """Without a header, or with a damaged one, nothing is written or read."""
    store = RuntimeEventStore(tmp_path)
    with pytest.raises(RunNotFound):
        store.append(SESSION, RUN, text("a"))
    with pytest.raises(RunNotFound):
        store.read(SESSION, RUN)
    new_run(tmp_path)
    (tmp_path / RUN_PATH / "run.json").write_bytes(b"{}")
    with pytest.raises(HeaderDecodeError):
        store.append(SESSION, RUN, text("a"))
    with pytest.raises(HeaderDecodeError):
        store.read_immutable(SESSION, RUN)


def test_ids_of_paths_are_checked_before_anything(tmp_path: Path) -> None:
    """Ids that are no names never reach the file system."""
    store = RuntimeEventStore(tmp_path)
    for session_id, run_id in (("../x", RUN), (SESSION, "a\n"), (SESSION, "")):
        with pytest.raises(RequestError):
            store.append(session_id, run_id, text("a"))
        with pytest.raises(RequestError):
            store.read(session_id, run_id)


def test_the_terminal_barrier(tmp_path: Path) -> None:
    """One terminal event crosses the barrier, as often as one likes; no other does, nor anything else."""
    ledger = new_run(tmp_path)
    store = append_all(tmp_path, text("a"))
    assert store.ensure_terminal_durable(SESSION, RUN, terminal("z")) is AppendOutcome.WRITTEN
    before = ledger.read_bytes()
    assert store.ensure_terminal_durable(SESSION, RUN, terminal("z")) is AppendOutcome.UNCHANGED
    assert RuntimeEventStore(tmp_path).ensure_terminal_durable(SESSION, RUN, terminal("z")) is AppendOutcome.UNCHANGED
    for wrong, code in (
        (terminal("y"), "terminal_exists"),
        (text("b"), "not_terminal"),
        (terminal("x", partial=True), "not_terminal"),
        (text("c", status="streaming"), "not_terminal"),
    ):
        with pytest.raises(AppendRefused) as caught:
            store.ensure_terminal_durable(SESSION, RUN, wrong)
        assert caught.value.code == code
    with pytest.raises(IdentityConflict):
        store.ensure_terminal_durable(SESSION, RUN, terminal("z", "failed"))

    assert ledger.read_bytes() == before


def test_ending_the_invocation_is_terminal(tmp_path: Path) -> None:
    """An event that ends the invocation crosses the barrier too."""
    new_run(tmp_path)
    store = RuntimeEventStore(tmp_path)

    assert (
        store.ensure_terminal_durable(SESSION, RUN, event("z", actions={"endInvocation": True}))
        is AppendOutcome.WRITTEN
    )


def test_durable_rows_are_written(tmp_path: Path) -> None:
    """A durable append leaves the row it promised."""
    new_run(tmp_path)
    store = append_all(tmp_path, text("a"), text("b"), durable=True)

    assert [item.id for item in store.read_immutable(SESSION, RUN)] == ["a", "b"]


def test_a_new_header_is_noticed(tmp_path: Path) -> None:
    """When the header changes its turn, events of the old turn are refused from then on."""
    new_run(tmp_path)
    store = RuntimeEventStore(tmp_path)
    AgentRunStore(tmp_path).update(SESSION, RUN, {"turnId": "turn-2"})
    with pytest.raises(AppendRefused):
        store.append(SESSION, RUN, text("a"))

    assert store.append(SESSION, RUN, {**text("a"), "turnId": "turn-2"}) is AppendOutcome.WRITTEN


def test_a_session_is_read_by_time_then_run(tmp_path: Path) -> None:
    """Events of all runs come by time; ties by run in the order of ids, then by position."""
    store, headers = RuntimeEventStore(tmp_path), AgentRunStore(tmp_path)
    for run_id in ("run-b", "run_a", "Run-a"):
        headers.create(header(runId=run_id))
        for number, ts in ((1, 5), (2, 3), (3, 5)):
            store.append(SESSION, run_id, {**text(f"{run_id}-{number}"), "runId": run_id, "ts": ts})

    assert [item.id for item in store.read_session(SESSION)] == [
        *("run_a-2", "Run-a-2", "run-b-2"),
        *("run_a-1", "run_a-3", "Run-a-1", "Run-a-3", "run-b-1", "run-b-3"),
    ]
    assert store.read_session("nothing") == ()


def test_one_unreadable_run_fails_the_session(tmp_path: Path) -> None:
    """A session with a run that cannot be read is not read at all."""
    new_run(tmp_path)
    (tmp_path / RUN_PATH.parent / "left-over").mkdir()
    with pytest.raises(RunNotFound):
        RuntimeEventStore(tmp_path).read_session(SESSION)
