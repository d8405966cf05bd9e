"""Streaming deltas: snapshots beside the ledger, never rows of it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import AppendRefused, StoreError
from core.records.events import RuntimeEvent
from core.storage.partials import PartialSnapshot, parse_partial, place_partials, read_partials
from core.store.store import AppendOutcome, RuntimeEventStore
from tests.support.runs import RUN, RUN_PATH, SESSION, call, delta, event, new_run, response, text, tree

SNAPSHOTS = RUN_PATH / "runtime-partials"


def _key(*parts: str | None) -> str:
    return hashlib.sha256(json.dumps(parts, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()


TEXT_KEY = _key("text:provider:m1", SESSION, "inv-1", RUN, "turn-1", None, "model", "agent")


def _shown(store: RuntimeEventStore) -> list[str | None]:
    items: tuple[RuntimeEvent | PartialSnapshot, ...] = store.read(SESSION, RUN)
    return [item.text if isinstance(item, PartialSnapshot) else item.id for item in items]


def test_deltas_become_one_snapshot(tmp_path: Path) -> None:
    """The first delta makes the file, later ones only add their text; the ledger gets no row."""
    ledger = new_run(tmp_path)
    store = RuntimeEventStore(tmp_path)
    store.append(SESSION, RUN, text("a"))
    before = ledger.read_bytes()
    for number, said in enumerate(("Once ", "upon\n", "a time — 潮")):
        assert store.append(SESSION, RUN, delta(f"d{number}", said)) is AppendOutcome.STREAMED

    (file,) = (tmp_path / SNAPSHOTS).iterdir()
    head, _, streamed = file.read_bytes().partition(b"\n")
    assert file.name == f"{TEXT_KEY}.partial"
    assert streamed.decode() == "Once upon\na time — 潮"
    assert json.loads(head) == {"version": 1, "event": delta("d0", ""), "afterEventId": "a"}
    assert head.startswith(b'{"version":1,"event":{"author":')
    assert ledger.read_bytes() == before
    assert _shown(store) == ["a", "Once upon\na time — 潮"]
    assert store.read_immutable(SESSION, RUN)[0].id == "a"


def test_a_stream_before_any_row_has_no_anchor(tmp_path: Path) -> None:
    """A snapshot that begins before the first row leaves the anchor out and comes first; no ledger is made for it."""
    ledger = new_run(tmp_path)
    store = RuntimeEventStore(tmp_path)
    store.append(SESSION, RUN, delta("d", "x"))

    assert not ledger.exists()
    assert b"afterEventId" not in (tmp_path / SNAPSHOTS / f"{TEXT_KEY}.partial").read_bytes()
    store.append(SESSION, RUN, text("a"))
    assert _shown(store) == ["x", "a"]


def test_a_tick_of_a_tool_is_a_stream_without_text(tmp_path: Path) -> None:
    """A tool's sign of life makes a snapshot that its response removes."""
    new_run(tmp_path)
    store = RuntimeEventStore(tmp_path)
    tick = event("d", partial=True, role="tool", author="tool", refs={"toolCallId": "t"})
    store.append(SESSION, RUN, call("a"))
    for _ in range(2):
        assert store.append(SESSION, RUN, tick) is AppendOutcome.STREAMED
    (snapshot,) = read_partials(tmp_path / SNAPSHOTS)

    assert (snapshot.id, snapshot.text, snapshot.tool_call_id, snapshot.kind) == ("d", None, "t", None)
    store.append(SESSION, RUN, response("b"))
    assert list((tmp_path / SNAPSHOTS).iterdir()) == []


@pytest.mark.parametrize("reopened", [False, True])
def test_a_final_row_ends_its_stream(reopened: bool, tmp_path: Path) -> None:
    """The final row removes the snapshot, and deltas that come too late are dropped."""
    new_run(tmp_path)
    store = RuntimeEventStore(tmp_path)
    store.append(SESSION, RUN, delta("d", "Hel"))
    final = delta("f", "Hello", partial=False)
    store.append(SESSION, RUN, final)
    if reopened:
        store = RuntimeEventStore(tmp_path)

    assert store.append(SESSION, RUN, delta("e", "lo")) is AppendOutcome.DROPPED
    assert list((tmp_path / SNAPSHOTS).iterdir()) == []
    assert _shown(store) == ["f"]


def test_a_snapshot_that_outlived_its_final_is_hidden(tmp_path: Path) -> None:
    """A snapshot that could not be removed is not shown beside the row that completes it."""
    new_run(tmp_path)
    store = RuntimeEventStore(tmp_path)
    store.append(SESSION, RUN, delta("d", "Hel"))
    snapshot = tmp_path / SNAPSHOTS / f"{TEXT_KEY}.partial"
    kept = snapshot.read_bytes()
    store.append(SESSION, RUN, delta("f", "Hello", partial=False))
    snapshot.write_bytes(kept)

    assert _shown(store) == ["f"]


def test_a_final_row_is_written_though_its_snapshot_stays(tmp_path: Path) -> None:
    """That a snapshot cannot be removed is no reason to lose the row."""
    new_run(tmp_path)
    (tmp_path / SNAPSHOTS / f"{TEXT_KEY}.partial").mkdir(parents=True)
    store = RuntimeEventStore(tmp_path)

    assert store.append(SESSION, RUN, delta("f", "Hello", partial=False)) is AppendOutcome.WRITTEN


@pytest.mark.parametrize("place", [RUN_PATH / "runtime-partials", SNAPSHOTS / f"{TEXT_KEY}.partial"])
def test_a_snapshot_that_cannot_be_written_is_told(place: Path, tmp_path: Path) -> None:
    """What lies in the way of a snapshot is an error of ours, and no temporary file stays behind."""
    new_run(tmp_path)
    if place == SNAPSHOTS:
        (tmp_path / place).write_bytes(b"")
    else:
        (tmp_path / place).mkdir(parents=True)
    before = tree(tmp_path)
    with pytest.raises(StoreError) as caught:
        RuntimeEventStore(tmp_path).append(SESSION, RUN, delta("d", "x"))

    assert caught.value.code == "write_failed"
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    "keys",
    [
        {"branch": "lane-2"},
        {"role": "user"},
        {"author": "system"},
        {"refs": {"providerEventId": "m2"}},
        {"content": {"kind": "thinking", "text": "x"}},
    ],
)
def test_streams_are_told_apart(keys: dict[str, Any], tmp_path: Path) -> None:
    """Streams of another branch, role, author, message or kind have files of their own."""
    new_run(tmp_path)
    store = RuntimeEventStore(tmp_path)
    store.append(SESSION, RUN, delta("d", "x"))
    store.append(SESSION, RUN, delta("e", "x", **keys))

    assert len(read_partials(tmp_path / SNAPSHOTS)) == 2


@pytest.mark.parametrize(
    "keys",
    [
        {"status": "streaming"},
        {"actions": {}},
        {"refs": None},
        {"refs": {"providerEventId": ""}},
        {"refs": {"providerEventId": "m1", "stepId": "s"}},
        {"content": {"kind": "thinking", "text": "x", "signature": "s"}},
        {"content": {"kind": "error", "message": "x"}},
        {"content": None},
    ],
)
def test_other_partial_events_are_rows(keys: dict[str, Any], tmp_path: Path) -> None:
    """A partial event that is no stream event is an ordinary row of the ledger."""
    ledger = new_run(tmp_path)
    store = RuntimeEventStore(tmp_path)

    assert store.append(SESSION, RUN, delta("d", "x", **keys)) is AppendOutcome.WRITTEN
    assert ledger.read_bytes().count(b"\n") == 1
    assert not (tmp_path / SNAPSHOTS).exists()


def test_damage_stops_new_streams_and_no_open_ones(tmp_path: Path) -> None:
    """A stream that is open goes on whatever befalls the ledger; a new one needs a ledger that can be read."""
    ledger = new_run(tmp_path)
    RuntimeEventStore(tmp_path).append(SESSION, RUN, delta("d", "x"))
    ledger.write_bytes(b"garbage\n")
    store = RuntimeEventStore(tmp_path)

    assert store.append(SESSION, RUN, delta("e", "y")) is AppendOutcome.STREAMED
    before = tree(tmp_path)
    with pytest.raises(AppendRefused):
        store.append(SESSION, RUN, delta("f", "z", "m2"))
    assert tree(tmp_path) == before


def test_left_overs_are_ignored(tmp_path: Path) -> None:
    """Temporary files of killed writers, and folders, are no snapshots."""
    new_run(tmp_path)
    folder = tmp_path / SNAPSHOTS
    (folder / "x.partial").mkdir(parents=True)
    (folder / f"{TEXT_KEY}.partial.12.34.5d41.tmp").write_bytes(b'{"version":1,"event":{"partial":true}}\n')

    assert read_partials(folder) == ()
    assert _shown(RuntimeEventStore(tmp_path)) == []


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    """Text cut inside a pair cannot be UTF-8: the half becomes U+FFFD, as the runtime writes it."""
    new_run(tmp_path)
    store = RuntimeEventStore(tmp_path)
    store.append(SESSION, RUN, delta("d", "a\ud83d"))

    assert _shown(store) == ["a\ufffd"]


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"no line feed",
        b"null\n",
        b"[]\n",
        b'{"version":true,"event":{"partial":true}}\n',
        b'{"version":1,"event":[{"partial":true}]}\n',
        b'{"version":1,"event":{"partial":0}}\n',
        b'{"version":1,"event":{"partial":""}}\n',
    ],
)
def test_what_is_no_snapshot_is_skipped(payload: bytes) -> None:
    """A broken snapshot is none, and never an error."""
    assert parse_partial("x.partial", payload) is None


def test_a_snapshot_of_any_depth_is_skipped() -> None:
    """Brackets without end are no snapshot, and no stack overflow."""
    assert parse_partial("x.partial", b"[" * 100_000 + b"\n") is None


def test_what_javascript_calls_true_is_partial() -> None:
    """The event's `partial` need only be true for JavaScript; such an event belongs to no stream."""
    for value in (b"1", b'"no"', b"[]", b"{}"):
        snapshot = parse_partial("x.partial", b'{"version":1.0,"event":{"partial":%b}}\nrest' % value)
        assert snapshot is not None
        assert (snapshot.key, snapshot.id, snapshot.ts, snapshot.text) == (None, None, None, None)


def test_a_snapshot_tells_itself_as_a_document() -> None:
    """The document holds the event with its text, and leaves out what is absent."""
    snapshot = parse_partial("x", b'{"version":1,"event":{"partial":true,"content":{"kind":"text","text":""}}}\nabc')
    assert snapshot is not None

    assert snapshot.as_document() == {
        "name": "x",
        "event": {"partial": True, "content": {"kind": "text", "text": "abc"}},
    }


def test_places_count_the_rows_before() -> None:
    """Each snapshot comes with the number of rows before it; missing anchors come behind all rows, by anchor."""

    def snapshot(name: str, anchor: object) -> PartialSnapshot:
        return PartialSnapshot(name, {"id": name, "ts": 1, "partial": True}, anchor)

    given = [snapshot("e", "gone"), snapshot("d", 5), snapshot("c", "gone"), snapshot("b", "row"), snapshot("a", None)]
    placed = place_partials(given, 2, {"row": 1}.get)

    assert [(place, item.id) for place, item in placed] == [(0, "a"), (2, "b"), (3, "c"), (3, "e"), (3, "d")]
