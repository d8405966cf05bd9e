"""Databases that others have open, that belong to others, or that may not be written to: no trace is left in any."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.sqlite.database import Database, Way
from core.sqlite.opening import COPY_LIMIT, open_database
from tests.support.databases import SCHEMA, LiveWriter, crash_database, plain, rows_of, run_of, write_database
from tests.support.workspaces import fingerprint

ROWS = [*plain(*SCHEMA), *run_of(30)]
IN_PLACE = -1
HERE = str(Path(__file__).resolve().parents[2])
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux says who holds a lock")
as_root_only = pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="only root can become another user")


def count(database: Database) -> int:
    """Return how many events the one run has."""
    return len(rows_of(database))


@linux_only
def test_a_live_writer_is_named_and_not_disturbed(tmp_path: Path, scratch: Path) -> None:
    """Every way of opening sees one state, takes nothing from the writer and leaves no file."""
    main = tmp_path / "live" / "runtime.sqlite"
    with LiveWriter(main, ROWS) as writer:
        for limit, way in ((COPY_LIMIT, Way.COPY), (IN_PLACE, Way.IN_PLACE)):
            before = fingerprint(main.parent)
            with open_database(main, copy_limit=limit, parents=[scratch]) as database:
                assert (database.way, count(database)) == (way, 30)
                assert (database.owner.known, database.owner.pid) == (True, writer.process.pid)
                assert database.findings == ()
            assert fingerprint(main.parent) == before
    with open_database(main, parents=[scratch]) as database:
        assert (database.owner.known, database.owner.pid) == (True, None)


@linux_only
def test_a_writer_that_locks_everybody_out_does_not_hang_us(tmp_path: Path, scratch: Path) -> None:
    """A copy is possible all the same, and the writer is found without an index."""
    main = tmp_path / "exclusive" / "runtime.sqlite"
    work = [*plain("PRAGMA locking_mode=EXCLUSIVE"), *ROWS]
    with LiveWriter(main, work) as writer, open_database(main, parents=[scratch]) as database:
        assert (database.way, count(database), database.owner.pid) == (Way.COPY, 30, writer.process.pid)


_RESTLESS = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode=WAL")
connection.execute("PRAGMA wal_autocheckpoint=8")
connection.execute("CREATE TABLE t(x)")
print("ready", flush=True)
while True:
    for statement in ("BEGIN", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)", "COMMIT"):
        connection.execute(statement)
"""


def test_a_writer_that_never_rests_is_said(tmp_path: Path, scratch: Path) -> None:
    """A consistent copy or a snapshot in place is had in spite of it; else the finding says what it is worth."""
    main = tmp_path / "busy" / "runtime.sqlite"
    main.parent.mkdir()
    process = subprocess.Popen([sys.executable, "-c", _RESTLESS, str(main)], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        for _ in range(20):
            with open_database(main, parents=[scratch]) as database:
                if "still_changing" not in [finding.code for finding in database.findings]:
                    ones, twos = database.execute("SELECT sum(x = 1), sum(x = 2) FROM t").fetchone()
                    assert ones == twos
    finally:
        process.kill()
        process.communicate()
    assert {file.name for file in main.parent.iterdir()} == {f"runtime.sqlite{end}" for end in ("", "-wal", "-shm")}


_OTHER_USER = """
import fcntl, os, sys
folder, scratch, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
sys.path.insert(0, sys.argv[4])
from pathlib import Path
from core.sqlite.opening import open_database
from tests.support.databases import rows_of
os.setgid(65534); os.setuid(65534)
with open_database(Path(folder, "runtime.sqlite"), copy_limit=limit, parents=[Path(scratch)]) as database:
    print(database.way, len(rows_of(database)))
"""


@pytest.fixture
def public() -> Iterator[Path]:
    """Make a folder that every user can reach; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        (Path(folder) / "scratch").mkdir()
        (Path(folder) / "scratch").chmod(0o777)
        yield Path(folder)


def _as_another_user(public: Path, limit: int) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-c", _OTHER_USER, str(public / "root"), str(public / "scratch"), str(limit), HERE]
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


@linux_only
@as_root_only
@pytest.mark.parametrize("kind", ["crashed", "closed", "half-written"])
@pytest.mark.parametrize("mode", [0o555, 0o777])
@pytest.mark.parametrize("limit", [COPY_LIMIT, IN_PLACE])
def test_another_user_may_look_and_leaves_no_trace(public: Path, kind: str, mode: int, limit: int) -> None:
    """In a folder that may not be written to, and in one that may."""
    main = public / "root" / "runtime.sqlite"
    if kind == "crashed":
        crash_database(main, ROWS)
    elif kind == "closed":
        write_database(main, ROWS)
    else:
        crash_database(main, [*ROWS, *plain("BEGIN", "DELETE FROM runtime_events")], "delete")
    main.parent.chmod(mode)
    before = fingerprint(main.parent)
    answer = _as_another_user(public, limit)
    assert answer.stdout.split()[-1:] == ["30"], answer.stderr
    assert fingerprint(main.parent) == before
    assert list((public / "scratch").iterdir()) == []


@linux_only
@as_root_only
def test_what_may_not_be_read_is_forbidden(public: Path) -> None:
    """The error has a code of its own, and no half copy stays."""
    main = write_database(public / "root" / "runtime.sqlite", ROWS)
    main.chmod(0o600)
    answer = _as_another_user(public, COPY_LIMIT)
    assert "WorkspaceForbidden" in answer.stderr
    assert list((public / "scratch").iterdir()) == []
