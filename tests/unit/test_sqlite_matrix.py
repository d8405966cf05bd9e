"""Every way in which a database may be left or be at work, and every way in which it may be closed to us."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.sqlite.opening import COPY_LIMIT
from tests.support.workspaces import fingerprint
from tests.support.writers import BUSY, CRASHED, IDLE, IN_TRANSACTION, STATES, Writer, look, look_as_another_user

MODES = {"writable": (0o755, 0o644), "read-only folder": (0o555, 0o644), "read-only files": (0o755, 0o444)}
LIMITS = (COPY_LIMIT,) if sys.platform == "win32" else (COPY_LIMIT, -1)
"""From a copy, and in place; on Windows the way in place is not known to leave no trace."""

by_modes = pytest.mark.parametrize("modes", MODES.values(), ids=MODES)


@pytest.fixture
def public() -> Iterator[Path]:
    """Make a folder that every user can reach, with one in it for private copies; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        scratch = Path(folder, "scratch")
        scratch.mkdir()
        scratch.chmod(0o777)
        yield Path(folder)
        assert list(scratch.iterdir()) == []
        root = Path(folder, "root")
        root.chmod(0o755)
        assert {path.name.removeprefix("runtime.sqlite") for path in root.iterdir()} <= {"", "-wal", "-shm", "-journal"}


def close_to_us(root: Path, modes: tuple[int, int]) -> None:
    """Give a folder and its files these permissions."""
    for path in root.iterdir():
        path.chmod(modes[1])
    root.chmod(modes[0])


def opened(root: Path, scratch: Path) -> list[dict[str, Any]]:
    """Look at a workspace from a copy and in place, as this user and, where that is possible, as another."""
    before, tempfile.tempdir = tempfile.tempdir, str(scratch)
    try:
        found = [look(root, limit) for limit in LIMITS]
    finally:
        tempfile.tempdir = before
    if sys.platform == "linux" and os.geteuid() == 0:
        found += look_as_another_user(root, scratch, LIMITS)
    return found


@by_modes
@pytest.mark.parametrize("state", [state for state in STATES if state != BUSY])
def test_a_database_at_rest(public: Path, state: str, modes: tuple[int, int]) -> None:
    """Crashed, closed, or held open by a writer, even inside a transaction: the events are those committed."""
    root = public / "root"
    with Writer(state, root / "runtime.sqlite"):
        close_to_us(root, modes)
        before = fingerprint(root)
        every = opened(root, public / "scratch")
        assert fingerprint(root) == before
    for found in every:
        assert (found["events"], found["codes"], found["wrong"]) == (40, [], [])
        if sys.platform == "linux":
            assert found["alive"] == (state in (IDLE, IN_TRANSACTION))
            assert found["verdict"] == ("may_be_running" if found["alive"] else "replayable")


@by_modes
def test_a_database_at_work(public: Path, modes: tuple[int, int]) -> None:
    """Beside a writer that commits and checkpoints as fast as it can: whole pairs, or the word that it changes."""
    root = public / "root"
    with Writer(BUSY, root / "runtime.sqlite"):
        close_to_us(root, modes)
        every = opened(root, public / "scratch")
    assert [found["wrong"] for found in every] == [[]] * len(every)


@pytest.mark.parametrize("state", [CRASHED, IDLE, IN_TRANSACTION, BUSY])
def test_a_database_with_a_rollback_journal(public: Path, state: str) -> None:
    """It has no log, so that its pages change in place: a half-written state is never taken for one."""
    root = public / "root"
    with Writer(state, root / "runtime.sqlite", "delete"):
        before = fingerprint(root) if state != BUSY else {}
        every = opened(root, public / "scratch")
        assert state == BUSY or fingerprint(root) == before
    for found in every:
        assert found["wrong"] == []
        assert state == BUSY or (found["events"], found["codes"]) == (40, [])
