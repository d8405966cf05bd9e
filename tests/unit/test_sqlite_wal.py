"""The log of a database, read from its bytes."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.sqlite.shm import parse_index, read_shm
from core.sqlite.wal import (
    HEADER_SIZE,
    ByteOrder,
    WalSurvey,
    checksum,
    committed_pages,
    first_broken_frame,
    parse_header,
    survey_wal,
)
from core.storage.files import ReadOnlyFile
from tests.support.databases import SCHEMA, crash_database, cut, flip, index_of, log_of, plain, run_of, twin


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Leave a database whose writer was killed: everything is in the log."""
    return crash_database(
        tmp_path_factory.mktemp("crashed") / "root" / "runtime.sqlite", [*plain(*SCHEMA), *run_of(20)]
    )


def survey(main: Path, committed: int | None = None) -> WalSurvey:
    """Survey the log beside a main file."""
    with ReadOnlyFile(log_of(main)) as file:
        return survey_wal(file, committed)


def accepted_by_sqlite(main: Path, folder: Path) -> int:
    """Return how many frames SQLite itself accepts, asked on a copy."""
    copy = twin(main, folder)
    index_of(copy).unlink()
    with closing(sqlite3.connect(copy)) as connection:
        return int(connection.execute("PRAGMA wal_checkpoint").fetchone()[1])


def test_walk_accepts_what_sqlite_accepts(crashed: Path, tmp_path: Path) -> None:
    """The checksums lead to the same last commit as SQLite's own recovery."""
    seen = survey(crashed)

    assert seen.committed == accepted_by_sqlite(crashed, tmp_path / "copy") == seen.frames > 20
    assert (seen.trailing, seen.lost_commits) == (0, 0)


def test_committed_pages_make_up_the_database(crashed: Path) -> None:
    """A log that holds a whole database holds each of its pages."""
    seen = survey(crashed)
    with ReadOnlyFile(log_of(crashed)) as file:
        assert seen.header is not None
        assert committed_pages(file, seen.header, seen.committed) == frozenset(range(1, seen.pages + 1))


def test_a_log_that_is_cut_under_the_reader_holds_what_is_left(crashed: Path, tmp_path: Path) -> None:
    """Frames that are gone by now are neither pages nor sound."""
    main = twin(crashed, tmp_path / "cut")
    seen = survey(main)
    header = seen.header
    assert header is not None
    with ReadOnlyFile(log_of(main)) as file:
        whole = committed_pages(file, header, seen.committed)
        cut(log_of(main), header.offset_of(3))
        assert len(committed_pages(file, header, seen.committed)) == 3 < len(whole)
        assert first_broken_frame(file, header, seen.frames) == 3


def test_checksums_may_be_of_the_other_byte_order(crashed: Path, tmp_path: Path) -> None:
    """A log that a machine of the other byte order wrote is walked as SQLite walks it."""
    main = twin(crashed, tmp_path / "other")
    data = bytearray(log_of(main).read_bytes())
    header = parse_header(bytes(data))
    assert header is not None
    order: ByteOrder = "little" if header.byteorder == "big" else "big"
    data[3] ^= 1
    running = checksum(bytes(data[:24]), (0, 0), order)
    data[24:32] = struct.pack(">II", *running)
    for start in range(HEADER_SIZE, len(data), header.frame_size):
        page = data[start + 24 : start + header.frame_size]
        running = checksum(bytes(data[start : start + 8] + page), running, order)
        data[start + 16 : start + 24] = struct.pack(">II", *running)
    log_of(main).write_bytes(data)

    seen = survey(main)

    assert seen.header is not None
    assert seen.header.byteorder == order
    assert seen.committed == seen.frames == accepted_by_sqlite(main, tmp_path / "copy")


def test_a_flipped_bit_loses_the_commits_behind_it(crashed: Path, tmp_path: Path) -> None:
    """Damage in the middle is found where it is, and the commits that it takes with it are counted."""
    main = twin(crashed, tmp_path / "flipped")
    header = survey(main).header
    assert header is not None
    flip(log_of(main), header.offset_of(10) + 1000)
    seen = survey(main)

    assert seen.committed <= 10
    assert seen.lost_commits > 0
    with ReadOnlyFile(log_of(main)) as file:
        assert first_broken_frame(file, header, seen.frames) == 10
    assert seen.committed == accepted_by_sqlite(main, tmp_path / "copy")


def test_a_cut_log_ends_with_its_last_whole_commit(crashed: Path, tmp_path: Path) -> None:
    """Bytes of an incomplete frame are told apart, and nothing is called lost that can still be read."""
    main = twin(crashed, tmp_path / "cut")
    cut(log_of(main), log_of(main).stat().st_size - 100)
    seen = survey(main)

    assert seen.trailing == 4120 - 100
    assert seen.committed == accepted_by_sqlite(main, tmp_path / "copy")
    assert seen.lost_commits == 0


def test_stale_frames_of_an_older_generation_are_no_loss(tmp_path: Path) -> None:
    """Frames that a checkpoint made superfluous may follow the live ones."""
    work = [*plain(*SCHEMA), *run_of(20), *plain("PRAGMA wal_checkpoint(FULL)"), *run_of(1, run="run-2")]
    seen = survey(crash_database(tmp_path / "runtime.sqlite", work))

    assert 0 < seen.committed < seen.frames
    assert seen.lost_commits == 0


def test_frames_of_a_transaction_that_was_rolled_back_are_no_loss(tmp_path: Path) -> None:
    """A transaction that outgrew its cache wrote frames of the live generation and then took them back."""
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200) SELECT i FROM n"
    fill = f"INSERT INTO t SELECT randomblob(4000) FROM ({numbers})"
    work = plain(
        "CREATE TABLE t(x)",
        "PRAGMA cache_size = 5",
        "BEGIN",
        fill,
        "ROLLBACK",
        "INSERT INTO t VALUES (randomblob(100))",
    )
    seen = survey(crash_database(tmp_path / "runtime.sqlite", work))

    assert seen.committed + 20 < seen.frames
    assert seen.lost_commits == 0


def test_a_damaged_header_makes_the_log_void(crashed: Path, tmp_path: Path) -> None:
    """SQLite reads nothing of such a log, and neither do we."""
    main = twin(crashed, tmp_path / "void")
    flip(log_of(main), 17)
    assert survey(main).header is None
    assert accepted_by_sqlite(main, tmp_path / "copy") == 0


def test_given_frames_are_not_counted_again(crashed: Path) -> None:
    """Where SQLite said what it accepted, the commits behind that are those which are lost."""
    all_of_it, none_of_it = survey(crashed), survey(crashed, committed=0)

    assert none_of_it.committed == none_of_it.pages == 0
    assert none_of_it.lost_commits > 20
    assert survey(crashed, committed=all_of_it.committed) == all_of_it


def test_index_counts_the_frames_of_its_log(crashed: Path) -> None:
    """The index of a crashed database names the log's generation and its last commit."""
    state, seen = read_shm(index_of(crashed)), survey(crashed)
    assert state is not None
    assert state.index is not None
    assert seen.header is not None
    assert (state.index.max_frame, state.index.salts) == (seen.committed, seen.header.salts)


def test_index_with_one_sound_header_counts(crashed: Path) -> None:
    """A writer killed between the two copies of the header leaves one that can be believed."""
    head = bytearray(index_of(crashed).read_bytes()[:100])
    whole = parse_index(bytes(head))
    head[20] ^= 0xFF
    assert parse_index(bytes(head)) == whole is not None
    head[70] ^= 0xFF
    assert parse_index(bytes(head)) is None


def test_index_may_be_blank_or_absent(tmp_path: Path) -> None:
    """An index that nobody initialised is no damage."""
    blank = tmp_path / "blank-shm"
    blank.write_bytes(bytes(32768))
    state = read_shm(blank)

    assert state is not None
    assert state.blank
    assert read_shm(tmp_path / "none-shm") is None


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_failing(data: bytes) -> None:
    """Bytes that are no header of a log or of an index are None, never an error."""
    assert parse_header(data) is None
    assert parse_index(data) is None


@settings(max_examples=40, deadline=None)
@given(position=st.integers(0, 60_000), mask=st.integers(1, 255), size=st.integers(0, 90_000))
def test_damage_anywhere_never_grows_the_log(crashed: Path, position: int, mask: int, size: int) -> None:
    """Whatever byte is changed and wherever the log is cut: no frame is accepted that SQLite would not accept."""
    whole = survey(crashed)
    log = log_of(crashed).read_bytes()
    folder = crashed.parent.parent / "damaged"
    folder.mkdir(exist_ok=True)
    damaged = folder / "runtime.sqlite-wal"
    changed = bytearray(log[: len(log) - size])
    if position < len(changed):
        changed[position] ^= mask
    damaged.write_bytes(changed)
    with ReadOnlyFile(damaged) as file:
        seen = survey_wal(file)

    assert seen.committed <= whole.committed
    reached = HEADER_SIZE + seen.committed * 4120
    assert seen.header is None or bytes(changed[:reached]) == log[:reached]
