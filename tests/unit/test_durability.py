"""What a durable write has synced when it returns."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import DurabilityError
from core.store.append import append_jsonl
from core.store.headers import AgentRunStore
from core.store.store import RuntimeEventStore
from tests.support.runs import LEDGER_PATH, RUN, RUN_PATH, SESSION, header, new_run, terminal, text

pytestmark = pytest.mark.skipif(not hasattr(os, "O_DIRECTORY"), reason="this system syncs no folders")

FOLDERS = [RUN_PATH, *RUN_PATH.parents]


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Collect the inodes of all that is synced."""
    inodes: set[int] = set()
    sync = os.fsync

    def note(descriptor: int) -> None:
        inodes.add(os.fstat(descriptor).st_ino)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    return inodes


def _inodes(root: Path, *paths: Path) -> set[int]:
    return {(root / path).stat().st_ino for path in paths}


@pytest.mark.parametrize("again", [False, True])
def test_a_durable_row_and_its_folders_are_synced(again: bool, tmp_path: Path, synced: set[int]) -> None:
    """The ledger and every folder up to the state root are synced, also when the row was there already."""
    new_run(tmp_path)
    if again:
        RuntimeEventStore(tmp_path).append(SESSION, RUN, text("a"))
    synced.clear()
    RuntimeEventStore(tmp_path).append(SESSION, RUN, text("a"), durable=True)

    assert synced == _inodes(tmp_path, LEDGER_PATH, *FOLDERS)


def test_the_terminal_barrier_syncs(tmp_path: Path, synced: set[int]) -> None:
    """A terminal event that crosses the barrier is on stable storage."""
    new_run(tmp_path)
    synced.clear()
    RuntimeEventStore(tmp_path).ensure_terminal_durable(SESSION, RUN, terminal("z"))

    assert synced == _inodes(tmp_path, LEDGER_PATH, *FOLDERS)


def test_an_ordinary_row_is_not_synced(tmp_path: Path, synced: set[int]) -> None:
    """Without being asked the store waits for no disk."""
    new_run(tmp_path)
    synced.clear()
    RuntimeEventStore(tmp_path).append(SESSION, RUN, text("a"))

    assert synced == set()


@pytest.mark.parametrize("action", ["create", "update"])
def test_a_durable_header_and_its_folders_are_synced(action: str, tmp_path: Path, synced: set[int]) -> None:
    """The header and every folder up to the state root are synced."""
    store = AgentRunStore(tmp_path)
    store.create(header(), durable=action == "create")
    if action == "update":
        synced.clear()
        store.update(SESSION, RUN, {"status": "completed"}, durable=True)

    assert synced == _inodes(tmp_path, RUN_PATH / "run.json", *FOLDERS)


@pytest.mark.parametrize(
    "write",
    [
        lambda root: RuntimeEventStore(root).append(SESSION, RUN, text("a"), durable=True),
        lambda root: AgentRunStore(root).update(SESSION, RUN, {"status": "completed"}, durable=True),
        lambda root: append_jsonl(root / "rows", b"{}\n", durable=True, durability_root=root),
    ],
)
def test_a_failed_sync_is_told(
    write: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a folder cannot be synced the write is not called durable."""
    new_run(tmp_path)
    sync = os.fsync

    def fail_on_folders(descriptor: int) -> None:
        if os.fstat(descriptor).st_ino in folders:
            raise OSError(5, "Input/output error")
        sync(descriptor)

    folders = _inodes(tmp_path, *FOLDERS)
    monkeypatch.setattr(os, "fsync", fail_on_folders)
    with pytest.raises(DurabilityError):
        write(tmp_path)
