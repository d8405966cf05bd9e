"""Run headers: created once, updated whole, listed in order."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from core.errors import HeaderConflict, HeaderDecodeError, RequestError, RunNotFound, StoreError
from core.store.headers import AgentRunStore
from tests.support.runs import RUN, RUN_PATH, SESSION, header, tree


def test_a_created_header_is_read_back(tmp_path: Path) -> None:
    """A header is one JSON object and a line feed, numbers as JavaScript prints them, and reads back equal."""
    store = AgentRunStore(tmp_path)
    created = store.create(header(createdAt=1784379606767, updatedAt=2.5))

    assert store.read(SESSION, RUN) == created
    assert AgentRunStore(tmp_path).read(SESSION, RUN) == created
    written = (tmp_path / RUN_PATH / "run.json").read_bytes()
    assert written.endswith(b"}\n")
    assert b'"createdAt":1784379606767,' in written
    assert b'"updatedAt":2.5' in written
    assert [path.name for path in (tmp_path / RUN_PATH).iterdir()] == ["run.json"]


def test_a_run_is_created_once(tmp_path: Path) -> None:
    """A second creation is refused, leaves the first header, and leaves no temporary file."""
    store = AgentRunStore(tmp_path)
    store.create(header())
    before = tree(tmp_path)
    with pytest.raises(HeaderConflict) as caught:
        store.create(header(cwd="/elsewhere"))

    assert caught.value.code == "run_exists"
    assert tree(tmp_path) == before


def test_one_of_many_creators_wins(tmp_path: Path) -> None:
    """Of several stores that create one run at once exactly one succeeds, and its header is whole."""
    outcomes: list[str] = []

    def create(name: str) -> None:
        try:
            AgentRunStore(tmp_path).create(header(cwd=name))
            outcomes.append(name)
        except HeaderConflict:
            outcomes.append("")

    threads = [threading.Thread(target=create, args=(f"/{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    (winner,) = filter(None, outcomes)
    assert AgentRunStore(tmp_path).read(SESSION, RUN).cwd == winner


def test_without_links_a_run_is_still_created_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a system without hard links creation is exclusive all the same."""
    monkeypatch.delattr(os, "link", raising=False)
    store = AgentRunStore(tmp_path)
    created = store.create(header())
    with pytest.raises(HeaderConflict):
        store.create(header())

    assert store.read(SESSION, RUN) == created


def test_a_link_that_the_file_system_refuses_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a file system without hard links creation is exclusive all the same, and leaves no temporary file."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    store = AgentRunStore(tmp_path)
    created = store.create(header())
    with pytest.raises(HeaderConflict):
        store.create(header())

    assert store.read(SESSION, RUN) == created
    assert [path.name for path in (tmp_path / RUN_PATH).iterdir()] == ["run.json"]


def test_what_lies_in_the_way_of_a_run_is_told(tmp_path: Path) -> None:
    """A file where a folder belongs, or a folder where the header belongs, is an error of ours."""
    (tmp_path / "sessions").write_bytes(b"")
    with pytest.raises(StoreError) as folder:
        AgentRunStore(tmp_path).create(header())
    (tmp_path / "sessions").unlink()
    store = AgentRunStore(tmp_path)
    store.create(header())
    path = tmp_path / RUN_PATH / "run.json"
    path.unlink()
    path.mkdir()
    with pytest.raises(HeaderDecodeError):
        store.read(SESSION, RUN)

    assert folder.value.code == "write_failed"


def test_a_failed_update_leaves_the_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk is full the old header stays, whole, and no temporary file beside it."""
    store = AgentRunStore(tmp_path)
    store.create(header())
    before = tree(tmp_path)

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StoreError):
        store.update(SESSION, RUN, {"status": "failed"})

    assert tree(tmp_path) == before


def test_an_update_changes_what_it_names(tmp_path: Path) -> None:
    """An update replaces keys, removes those set to None, and keeps the rest."""
    store = AgentRunStore(tmp_path)
    store.create(header(agentName="a"))
    updated = store.update(SESSION, RUN, {"status": "completed", "updatedAt": 9, "completedAt": 9, "agentName": None})

    assert store.read(SESSION, RUN) == updated
    assert (updated.status, updated.completed_at, updated.turn_id) == ("completed", 9, "turn-1")
    assert not updated.agent_name
    assert [path.name for path in (tmp_path / RUN_PATH).iterdir()] == ["run.json"]


def test_an_update_may_insist_on_what_it_replaces(tmp_path: Path) -> None:
    """An update of a header that has changed since it was read is refused."""
    store = AgentRunStore(tmp_path)
    first = store.create(header())
    second = store.update(SESSION, RUN, {"status": "cancelled"}, expected=first)
    with pytest.raises(HeaderConflict):
        store.update(SESSION, RUN, {"status": "completed"}, expected=first)

    assert store.read(SESSION, RUN) == second


@pytest.mark.parametrize("changes", [{"runId": "run-2"}, {"sessionId": "sess-2"}])
def test_an_update_cannot_move_a_run(changes: dict[str, str], tmp_path: Path) -> None:
    """A header keeps naming the folder it lies in."""
    store = AgentRunStore(tmp_path)
    store.create(header())
    before = tree(tmp_path)
    with pytest.raises(HeaderConflict):
        store.update(SESSION, RUN, changes)

    assert tree(tmp_path) == before


@pytest.mark.parametrize("changes", [{"status": "done"}, {"unknown": 1}, {"turnId": None}, {"createdAt": "now"}])
def test_an_invalid_update_changes_nothing(changes: dict[str, object], tmp_path: Path) -> None:
    """What would make the header unreadable is refused before anything is written."""
    store = AgentRunStore(tmp_path)
    store.create(header())
    before = tree(tmp_path)
    with pytest.raises(HeaderDecodeError):
        store.update(SESSION, RUN, changes)

    assert tree(tmp_path) == before


@pytest.mark.parametrize("bad", ["", ".", "..", "a/b", "a\\b", "a\n", "a\x00", "ü", "a" * 129, " a"])
def test_ids_that_are_no_names_are_refused(bad: str, tmp_path: Path) -> None:
    """An id that may not be a folder's name is refused before any file is touched; the session's id is judged first."""
    store = AgentRunStore(tmp_path)
    with pytest.raises(RequestError) as run:
        store.read("ok", bad)
    with pytest.raises(RequestError) as session:
        store.read(bad, bad)
    with pytest.raises(RequestError):
        store.create(header(runId=bad))
    with pytest.raises(RequestError):
        store.list_runs(bad)

    assert (run.value.code, session.value.code) == ("invalid_run_id", "invalid_session_id")
    assert tree(tmp_path) == {}


def test_reading_tells_missing_from_damaged(tmp_path: Path) -> None:
    """A run without a header is not found; a damaged header, or one of another run, is a decode error with its path."""
    store = AgentRunStore(tmp_path)
    with pytest.raises(RunNotFound):
        store.read(SESSION, RUN)
    store.create(header())
    path = tmp_path / RUN_PATH / "run.json"
    path.write_bytes(b'{"runId":"run-1"')
    with pytest.raises(HeaderDecodeError) as caught:
        store.read(SESSION, RUN)
    other = tmp_path / RUN_PATH.parent / "run-2"
    other.mkdir()
    store.create(header(runId="run-3"))
    (tmp_path / RUN_PATH.parent / "run-3" / "run.json").rename(other / "run.json")
    with pytest.raises(HeaderDecodeError):
        store.read(SESSION, "run-2")

    assert caught.value.path == str(path)


def test_runs_are_listed_oldest_first(tmp_path: Path) -> None:
    """Runs come by creation, then in the order of ids; damaged ones and left-overs of writers are left out."""
    store = AgentRunStore(tmp_path)
    for run_id, created in (("b", 1), ("Run-a", 2), ("run-a", 2), ("run_a", 2), ("a", 3)):
        store.create(header(runId=run_id, createdAt=created))
    runs = tmp_path / RUN_PATH.parent
    (runs / "damaged").mkdir()
    (runs / "damaged" / "run.json").write_bytes(b"{")
    (runs / "uncommitted").mkdir()
    (runs / "uncommitted" / "run.json.12.5d41402a.tmp").write_bytes(b"{}")
    (runs / "a file").write_bytes(b"")

    assert [item.run_id for item in store.list_runs(SESSION)] == ["b", "run_a", "run-a", "Run-a", "a"]
    assert store.list_runs("no-such-session") == ()


def test_a_durable_header_is_written(tmp_path: Path) -> None:
    """A durable creation and update leave the header that they return."""
    store = AgentRunStore(tmp_path)
    store.create(header(), durable=True)

    assert store.update(SESSION, RUN, {"status": "failed"}, durable=True) == store.read(SESSION, RUN)
