"""The file behind an append: its lock, and writers that know no lock."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.errors import StoreError
from core.records.codec import decode_event, encode_event
from core.storage.ledger import RunIdentity
from core.store.append_file import AppendFile, TailMoved
from core.store.ledger_memory import LedgerMemory
from core.store.locks import exclusive
from tests.support.runs import INVOCATION, RUN, SESSION, TURN, text


def _row(event_id: str) -> bytes:
    return encode_event(decode_event(text(event_id))) + b"\n"


def test_a_file_is_held_by_one_descriptor(tmp_path: Path) -> None:
    """While one descriptor holds a file another cannot, and can as soon as the first lets go."""
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "a"
    with AppendFile(path) as _, path.open("rb") as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with path.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_lock_that_the_file_system_lacks_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where locking is not supported the caller goes on; any other failure comes through."""
    fcntl = pytest.importorskip("fcntl")
    descriptor = os.open(tmp_path / "a", os.O_CREAT | os.O_RDWR)
    errors = iter([OSError(errno.ENOLCK, "No locks available"), OSError(5, "Input/output error")])

    def fail(*_: object) -> None:
        raise next(errors)

    monkeypatch.setattr(fcntl, "flock", fail)
    with exclusive(descriptor):
        held = True
    with pytest.raises(OSError, match="Input/output"), exclusive(descriptor):
        pass
    os.close(descriptor)

    assert held


def test_without_posix_locks_one_byte_far_out_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only byte locks exist, one byte beyond the rows is locked, patiently, and released."""
    calls: list[tuple[str, int]] = []
    give_up = iter([True, False, False])

    def locking(descriptor: int, mode: str, count: int) -> None:
        calls.append((mode, os.lseek(descriptor, 0, os.SEEK_CUR)))
        if next(give_up):
            raise OSError(errno.EDEADLK, "Resource deadlock avoided")

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_LOCK="lock", LK_UNLCK="unlock"))
    with AppendFile(tmp_path / "a") as file:
        file.commit(file.tail(), b"{}\n")

    (place,) = {place for _, place in calls}
    assert [mode for mode, _ in calls] == ["lock", "lock", "unlock"]
    assert place == 2**31 - 1
    assert (tmp_path / "a").read_bytes() == b"{}\n"


@pytest.mark.parametrize("before", [b"", b"{}\n", b"{}"])
def test_a_write_that_fails_halfway_is_taken_back(
    before: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the disk is full in the middle of a row the file is as it was."""
    write = os.write
    room = iter([2])

    def fill_up(descriptor: int, payload: bytes) -> int:
        for size in room:
            return write(descriptor, payload[:size])
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "a"
    path.write_bytes(before)
    monkeypatch.setattr(os, "write", fill_up)
    with AppendFile(path) as file, pytest.raises(StoreError) as caught:
        file.commit(file.tail(), b"[1,2,3]\n")

    assert caught.value.code == "write_failed"
    assert path.read_bytes() == before


def test_a_write_in_pieces_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system takes a row in several pieces all of them are written."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, payload: write(descriptor, payload[:3]))
    with AppendFile(tmp_path / "a") as file:
        file.commit(file.tail(), b"[1,2,3]\n")

    assert (tmp_path / "a").read_bytes() == b"[1,2,3]\n"


@pytest.mark.parametrize("before", [b"", b"{}\n", b'{"torn', b"{}"])
def test_a_writer_in_between_is_noticed(before: bytes, tmp_path: Path) -> None:
    """If somebody writes between the judging of the tail and the append, nothing is cut off and nothing is added."""
    path = tmp_path / "a"
    path.write_bytes(before)
    with AppendFile(path) as file:
        tail = file.tail()
        path.write_bytes(before + b"[]\n")
        with pytest.raises(TailMoved):
            file.commit(tail, b"{}\n")

    assert path.read_bytes() == before + b"[]\n"


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_row_in_between_is_remembered(place: str, tmp_path: Path) -> None:
    """A row that somebody added in the moment of our own append is known at the next look, wherever it landed."""
    path = tmp_path / "a"
    memory = LedgerMemory(RunIdentity(SESSION, RUN, TURN, INVOCATION))
    ours, theirs = _row("ours"), _row("theirs")
    with AppendFile(path) as file:
        memory.catch_up(file)
        path.write_bytes(theirs + ours if place == "before" else ours + theirs)
        memory.note(file, decode_event(text("ours")), 0, ours)
        memory.catch_up(file)

        assert list(memory.rows) == (["theirs", "ours"] if place == "before" else ["ours", "theirs"])
        assert [memory.event(file, row).id for row in memory.rows.values()] == list(memory.rows)


def test_a_row_put_in_anothers_place_is_noticed(tmp_path: Path) -> None:
    """A row of the same length is seen even where the clock of the file system did not tick."""
    path = tmp_path / "a"
    memory = LedgerMemory(RunIdentity(SESSION, RUN, TURN, INVOCATION))
    path.write_bytes(_row("a"))
    with AppendFile(path) as file:
        memory.catch_up(file)
        status = path.stat()
        path.write_bytes(_row("b"))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        memory.catch_up(file)

    assert list(memory.rows) == ["b"]
