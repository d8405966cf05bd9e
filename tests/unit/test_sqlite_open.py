"""Opening a database without a trace: beside live writers, without permissions, when stopped, and when killed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import CoreError, NotAWorkspace, WorkspaceMissing
from core.sqlite.copy import NoRoom, ReadStopped
from core.sqlite.database import Database, DatabaseClosed, Way
from core.sqlite.files import look
from core.sqlite.in_place import WITH_LOG, database_uri, log_is_left_alone
from core.sqlite.opening import COPY_LIMIT, open_copy_again, open_database
from core.sqlite.private import PREFIX
from core.sqlite.schema import KNOWN_SCOPES, Schema, schema_findings
from tests.support.collecting import open_files, without_collector
from tests.support.databases import (
    SCHEMA,
    add_event,
    crash_database,
    index_of,
    plain,
    rows_of,
    run_of,
    twin,
    write_database,
)
from tests.support.workspaces import fingerprint

ROWS = [*plain(*SCHEMA), *run_of(30)]
IN_PLACE = -1


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Leave a database whose writer was killed."""
    return crash_database(tmp_path_factory.mktemp("crashed") / "root" / "runtime.sqlite", ROWS)


def count(database: Database) -> int:
    """Return how many events the one run has."""
    return len(rows_of(database))


def test_a_small_database_is_read_from_a_private_copy(crashed: Path, scratch: Path) -> None:
    """The copy is closed to others and removed with the database; the original keeps every byte and time."""
    before = fingerprint(crashed.parent)
    with open_database(crashed, parents=[scratch]) as database:
        assert (database.way, count(database)) == (Way.COPY, 30)
        (folder,) = scratch.iterdir()
        assert folder.name.startswith(PREFIX)
        if sys.platform != "win32":
            assert folder.stat().st_mode & 0o777 == 0o700
            assert {file.stat().st_mode & 0o077 for file in folder.iterdir() if file.suffix == ".sqlite"} == {0}
    assert list(scratch.iterdir()) == []
    assert fingerprint(crashed.parent) == before


@pytest.mark.parametrize("beside", ["", "-wal", "-shm", "-journal", "all"])
@pytest.mark.parametrize("copy_limit", [COPY_LIMIT, IN_PLACE], ids=["copied", "large"])
def test_nothing_stays_open_when_nobody_needs_it(
    crashed: Path, tmp_path: Path, scratch: Path, beside: str, copy_limit: int
) -> None:
    """Whoever forgets to close it leaves nothing behind, at once, whichever files are missing beside it."""
    main = twin(crashed, tmp_path / "twin")
    for name in ("-wal", "-shm", "-journal") if beside == "all" else (beside,):
        if name:
            main.with_name(main.name + name).unlink(missing_ok=True)
    with without_collector():
        database = open_database(main, copy_limit=copy_limit, parents=[scratch])
        assert (database.way in (Way.COPY, Way.CLONE)) == bool(list(scratch.iterdir()))
        del database
        assert list(scratch.iterdir()) == []
        assert open_files(tmp_path) == []


def test_nothing_stays_open_where_it_cannot_be_opened(crashed: Path, tmp_path: Path, scratch: Path) -> None:
    """Where there is no room, and where a folder is in the place of the log; what was tried before is given back."""
    indexless = twin(crashed, tmp_path / "indexless")
    index_of(indexless).unlink()
    blocked = twin(crashed, tmp_path / "blocked")
    log = blocked.with_name(blocked.name + "-wal")
    log.unlink()
    log.mkdir()
    with without_collector():
        with pytest.raises(NoRoom):
            open_database(indexless, parents=[])
        with pytest.raises(CoreError):
            open_database(blocked, parents=[scratch])
        assert list(scratch.iterdir()) == []
        assert open_files(tmp_path) == []


def test_closing_twice_is_harmless_and_reading_then_is_not(crashed: Path, scratch: Path) -> None:
    """A closed database says so."""
    database = open_database(crashed, parents=[scratch])
    database.close()
    database.close()
    with pytest.raises(DatabaseClosed):
        database.execute("SELECT 1")


@pytest.mark.skipif(sys.platform == "win32", reason="there the way in place is not known to leave no trace")
def test_a_large_database_is_read_where_it_lies(crashed: Path, tmp_path: Path, scratch: Path) -> None:
    """With its log beside it, or the main file alone where there is none; no trace is left."""
    closed = write_database(tmp_path / "closed" / "runtime.sqlite", ROWS)
    for main, way in ((crashed, Way.IN_PLACE), (closed, Way.IMMUTABLE)):
        before = fingerprint(main.parent)
        with open_database(main, copy_limit=IN_PLACE, parents=[scratch]) as database:
            assert (database.way, count(database)) == (way, 30)
            assert list(scratch.iterdir()) == []
        assert fingerprint(main.parent) == before


@pytest.mark.skipif(sys.platform == "win32", reason="there the way in place is not known to leave no trace")
def test_the_same_database_can_be_open_in_place_twice(crashed: Path, scratch: Path) -> None:
    """The second does not look into the files: that would drop the first one's locks."""
    with open_database(crashed, copy_limit=IN_PLACE, parents=[scratch]) as first:
        with open_database(crashed, parents=[scratch]) as second:
            assert (first.way, second.way) == (Way.IN_PLACE, Way.IN_PLACE)
            assert count(second) == 30
        assert count(first) == 30
    with open_database(crashed, parents=[scratch]) as third:
        assert third.way is Way.COPY


def test_without_an_index_a_large_database_is_copied_all_the_same(crashed: Path, tmp_path: Path, scratch: Path) -> None:
    """No way in place leaves no trace there; without room for a copy that is an error with a hint."""
    main = twin(crashed, tmp_path / "indexless")
    index_of(main).unlink()
    with open_database(main, copy_limit=IN_PLACE, parents=[scratch]) as database:
        assert (database.way, count(database)) == (Way.COPY, 30)
    with pytest.raises(NoRoom) as caught:
        open_database(main, parents=[])
    assert caught.value.hint


def test_the_way_in_place_is_tried_before_it_is_trusted(scratch: Path) -> None:
    """On a database of our own, which is gone afterwards."""
    assert log_is_left_alone(scratch) or sys.platform == "win32"
    assert list(scratch.iterdir()) == []
    assert not log_is_left_alone(scratch / "missing")


def test_a_snapshot_does_not_move(tmp_path: Path, scratch: Path) -> None:
    """What a writer adds later is not seen, and `changed` tells that there is more."""
    main = write_database(tmp_path / "root" / "runtime.sqlite", ROWS)
    with open_database(main, parents=[scratch]) as database:
        assert not database.changed()
        write_database(main, [add_event(31)])
        assert (count(database), database.changed()) == (30, True)
    main.unlink()
    with pytest.raises(WorkspaceMissing):
        database.changed()


def test_what_is_no_file_is_no_database(tmp_path: Path) -> None:
    """A missing path, a folder and a named pipe end at once, each with its own error."""
    with pytest.raises(WorkspaceMissing):
        open_database(tmp_path / "none.sqlite")
    with pytest.raises(NotAWorkspace):
        open_database(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.sqlite")
        with pytest.raises(NotAWorkspace):
            open_database(tmp_path / "pipe.sqlite")


def test_a_link_leads_to_the_log_beside_its_target(crashed: Path, tmp_path: Path, scratch: Path) -> None:
    """As SQLite itself finds it."""
    link = tmp_path / "linked.sqlite"
    try:
        link.symlink_to(crashed)
    except OSError:
        pytest.skip("links are not allowed here")
    with open_database(link, parents=[scratch]) as database:
        assert count(database) == 30


def test_a_chain_of_links_without_an_end_is_no_database(tmp_path: Path) -> None:
    """It cannot be reached, and that is said."""
    one, other = tmp_path / "one.sqlite", tmp_path / "other.sqlite"
    try:
        one.symlink_to(other)
        other.symlink_to(one)
    except OSError:
        pytest.skip("links are not allowed here")
    with pytest.raises(NotAWorkspace, match="cannot be reached"):
        open_database(one)


def test_where_there_is_no_room_for_a_copy_it_is_read_where_it_lies(tmp_path: Path, scratch: Path) -> None:
    """A main file larger than the disk is free holds the same rows, and no copy is begun."""
    main = write_database(tmp_path / "root" / "runtime.sqlite", ROWS)
    try:
        os.truncate(main, shutil.disk_usage(scratch).free + (1 << 30))
    except OSError:
        pytest.skip("this file system has no such files")
    with open_database(main, copy_limit=1 << 60, parents=[scratch]) as database:
        assert (database.way, count(database)) == (Way.IMMUTABLE, 30)
    assert list(scratch.iterdir()) == []


def test_a_copy_of_another_that_is_no_database_is_given_back(crashed: Path, tmp_path: Path) -> None:
    """Where the copy that another process made is damaged by now, SQLite's own complaint comes through."""
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(b"no database" * 1000)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        open_copy_again(copy, look(crashed))


def test_a_name_may_hold_anything(crashed: Path, tmp_path: Path, scratch: Path) -> None:
    """Characters that mean something in a URI mean nothing in a path."""
    main = twin(crashed, tmp_path / "a b#c%20d&mode=rwc ü")
    for limit in (COPY_LIMIT, IN_PLACE):
        with open_database(main, copy_limit=limit, parents=[scratch]) as database:
            assert count(database) == 30
    assert "?" not in database_uri(main, WITH_LOG).removesuffix(f"?{WITH_LOG}")


def test_opening_stops_when_told_to(crashed: Path, scratch: Path) -> None:
    """No copy stays behind."""
    with pytest.raises(ReadStopped):
        open_database(crashed, parents=[scratch], stop=lambda: True)
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    ("version", "scopes", "codes"),
    [
        (12, KNOWN_SCOPES, []),
        (12, {}, []),
        (13, {**KNOWN_SCOPES, "runtime": 13}, ["schema_newer"]),
        (13, {}, ["schema_newer"]),
        (12, {**KNOWN_SCOPES, "usage": 6}, ["schema_newer"]),
        (11, {**KNOWN_SCOPES, "runtime": 11}, ["schema_older"]),
        (12, {**KNOWN_SCOPES, "mesh": 1}, ["schema_unknown_scope"]),
        (0, {}, []),
    ],
)
def test_versions_are_reported(version: int, scopes: dict[str, int], codes: list[str]) -> None:
    """Newer, older and unknown ones, each once; what has no version has no finding."""
    schema = Schema(version, {"runtime_events": frozenset()}, scopes)
    assert [finding.code for finding in schema_findings(schema, "p")] == codes


def test_versions_are_read_from_the_database(tmp_path: Path, scratch: Path) -> None:
    """With tables and columns as they are."""
    main = write_database(tmp_path / "runtime.sqlite", ROWS)
    with open_database(main, parents=[scratch]) as database:
        schema = database.schema
    assert (schema.user_version, dict(schema.scopes)) == (12, {"runtime": 12})
    assert schema.has("core_agent_runs", "session_id", "record_json")
    assert not schema.has("core_agent_runs", "status")
    assert not schema.has("none")


@pytest.mark.skipif(sys.platform == "win32", reason="there the way in place is not known to leave no trace")
def test_in_place_nothing_is_steady_once_it_changed(tmp_path: Path, scratch: Path) -> None:
    """A writer that comes after us does not wait; a copy is not his business."""
    closed = write_database(tmp_path / "closed" / "runtime.sqlite", ROWS)
    left = crash_database(tmp_path / "left" / "runtime.sqlite", ROWS)
    for main in (closed, left):
        with (
            open_database(main, parents=[scratch]) as copy,
            open_database(main, copy_limit=IN_PLACE, parents=[scratch]) as original,
        ):
            assert (copy.is_steady(), original.is_steady()) == (True, True)
            crash_database(main, [add_event(31)])
            assert (copy.is_steady(), original.is_steady()) == (True, False)


def test_a_closed_original_can_be_written_again(tmp_path: Path, scratch: Path) -> None:
    """Reading left no lock behind."""
    main = write_database(tmp_path / "root" / "runtime.sqlite", ROWS)
    for limit in (COPY_LIMIT, IN_PLACE):
        with open_database(main, copy_limit=limit, parents=[scratch]):
            pass
    with closing(sqlite3.connect(main, timeout=0)) as connection:
        connection.execute("DELETE FROM runtime_events")
        connection.commit()
