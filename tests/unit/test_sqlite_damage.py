"""What the files of a database prove to be lost, and what can be read all the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from core.sqlite.damage import WALK_LIMIT, Evidence, inspect_log, judge
from core.sqlite.events import EventRow
from core.sqlite.files import look
from core.sqlite.opening import COPY_LIMIT, open_database
from core.sqlite.shm import read_shm
from tests.support.databases import (
    SCHEMA,
    add_event,
    crash_database,
    cut,
    flip,
    index_of,
    log_of,
    plain,
    rows_of,
    run_of,
    twin,
    write_database,
)
from tests.support.workspaces import fingerprint

MANY = [*plain(*SCHEMA), *run_of(60)]
IN_PLACE = -1


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Leave a database whose tables and rows are all in its log."""
    return crash_database(tmp_path_factory.mktemp("crashed") / "root" / "runtime.sqlite", MANY)


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Leave a database that was closed once, with 60 events, and then crashed with 5 more in its log."""
    main = write_database(tmp_path_factory.mktemp("grown") / "root" / "runtime.sqlite", MANY)
    return crash_database(main, [add_event(number) for number in range(61, 66)])


def look_at(main: Path, copy_limit: int = COPY_LIMIT) -> tuple[list[str], int]:
    """Return the codes of all findings and how many events can be read; nothing may change meanwhile."""
    before = fingerprint(main.parent)
    with open_database(main, copy_limit=copy_limit) as database:
        rows = rows_of(database)
        codes = [finding.code for finding in database.findings]
    assert fingerprint(main.parent) == before
    return codes, sum(1 for row in rows if isinstance(row, EventRow))


@pytest.mark.parametrize("copy_limit", [COPY_LIMIT, IN_PLACE])
def test_a_plain_crash_is_no_damage(crashed: Path, grown: Path, copy_limit: int) -> None:
    """A killed writer loses nothing that was committed, and there is nothing to remark."""
    assert look_at(crashed, copy_limit) == ([], 60)
    assert look_at(grown, copy_limit) == ([], 65)


@pytest.mark.parametrize("copy_limit", [COPY_LIMIT, IN_PLACE])
def test_a_transaction_that_was_never_committed_is_no_damage(tmp_path: Path, copy_limit: int) -> None:
    """Its frames may be in the log; they are no facts and no loss."""
    spill = plain("PRAGMA cache_size = 5", "BEGIN")
    many = [add_event(number) for number in range(61, 400)]
    main = crash_database(tmp_path / "runtime.sqlite", [*MANY, *spill, *many])
    assert look_at(main, copy_limit) == ([], 60)


@pytest.mark.parametrize("copy_limit", [COPY_LIMIT, IN_PLACE])
def test_a_cut_log_is_told_by_its_index(grown: Path, tmp_path: Path, copy_limit: int) -> None:
    """The index still counts the frames that are gone, also where the cut falls between two frames."""
    main = twin(grown, tmp_path / "cut")
    frames = (log_of(main).stat().st_size - 32) // 4120
    cut(log_of(main), 32 + (frames - 1) * 4120)
    assert look_at(main, copy_limit) == (["wal_truncated"], 64)


@pytest.mark.parametrize("copy_limit", [COPY_LIMIT, IN_PLACE])
def test_a_damaged_log_is_told_by_the_commits_behind(grown: Path, tmp_path: Path, copy_limit: int) -> None:
    """Later commits stand in the log and cannot be used: with the index and without it."""
    main = twin(grown, tmp_path / "flipped")
    flip(log_of(main), 32 + 4120 + 500)
    assert look_at(main, copy_limit) == (["wal_damaged"], 60)
    index_of(main).unlink()
    assert look_at(main) == (["wal_damaged", "shm_missing"], 60)


def test_a_damaged_log_says_where(grown: Path, tmp_path: Path) -> None:
    """The finding names the byte at which the first frame begins that cannot be trusted."""
    main = twin(grown, tmp_path / "flipped")
    flip(log_of(main), 32 + 3 * 4120 + 500)
    with open_database(main) as database:
        (finding,) = database.findings
    assert (finding.code, finding.offset, finding.path) == ("wal_damaged", 32 + 3 * 4120, str(log_of(main)))


def test_a_log_with_a_damaged_header_is_void(crashed: Path, tmp_path: Path) -> None:
    """Nothing of it is used, and that is said."""
    main = twin(crashed, tmp_path / "void")
    flip(log_of(main), 20)
    codes, events = look_at(main)
    assert (codes[0], events) == ("wal_damaged", 0)
    cut(log_of(main), 20)
    assert look_at(main)[0][0] == "wal_truncated"


def test_a_missing_or_emptied_log_is_told_by_its_index(grown: Path, tmp_path: Path) -> None:
    """Commits that were in it are lost; the database alone looks as if it had been closed."""
    main = twin(grown, tmp_path / "emptied")
    log_of(main).write_bytes(b"")
    assert look_at(main) == (["wal_truncated"], 60)
    log_of(main).unlink()
    assert look_at(main) == (["wal_missing"], 60)
    index_of(main).unlink()
    assert look_at(main) == ([], 60)


def test_a_main_file_without_tables_misses_its_log(crashed: Path, tmp_path: Path) -> None:
    """Where the whole database was in the log, its absence shows without the index, too."""
    main = twin(crashed, tmp_path / "alone")
    log_of(main).unlink()
    index_of(main).unlink()
    assert look_at(main) == (["wal_missing"], 0)


def test_a_log_that_is_too_large_is_not_walked(crashed: Path, tmp_path: Path) -> None:
    """Where SQLite has not told what it accepts, checksums of such a log would take minutes: nothing is said of it."""
    main = twin(crashed, tmp_path / "large")
    os.truncate(log_of(main), WALK_LIMIT + 1)
    evidence = Evidence(look(main), read_shm(index_of(main)), owner_alive=False)

    assert inspect_log(evidence, main, None).wal is None
    assert inspect_log(evidence, main, 3).wal is not None


def test_newer_pages_in_the_main_file_than_in_the_log_are_told(crashed: Path, tmp_path: Path) -> None:
    """A checkpoint had moved more than what is left of the log: what is shown may mix two states."""
    main = twin(crashed, tmp_path / "mixed")
    index = read_shm(index_of(main))
    assert index is not None
    assert index.index is not None
    moved = replace(index, index=replace(index.index, backfilled=index.index.max_frame))
    evidence = inspect_log(Evidence(look(main), moved, owner_alive=False), main, 3)

    assert "states_mixed" in {finding.code for finding in judge(evidence)}
    assert "states_mixed" not in {finding.code for finding in judge(replace(evidence, owner_alive=True))}
    assert "states_mixed" not in {finding.code for finding in judge(inspect_log(evidence, main, 0))}


def test_an_index_may_be_missing_damaged_or_another_log_s(grown: Path, crashed: Path, tmp_path: Path) -> None:
    """Nothing is lost with it but the knowledge of what the log lost."""
    main = twin(grown, tmp_path / "indexless")
    index_of(main).write_bytes(index_of(crashed).read_bytes())
    assert look_at(main) == (["shm_damaged"], 65)
    index_of(main).write_bytes(b"\xaa" * 32768)
    assert look_at(main) == (["shm_damaged"], 65)
    index_of(main).write_bytes(bytes(32768))
    assert look_at(main) == (["shm_damaged"], 65)
    index_of(main).unlink()
    assert look_at(main) == (["shm_missing"], 65)


@pytest.mark.parametrize("remove", [False, True])
def test_an_empty_main_file_is_made_again_from_its_log(crashed: Path, tmp_path: Path, remove: bool) -> None:
    """SQLite would delete the log; in a copy with one blank page every row comes back."""
    main = twin(crashed, tmp_path / "empty")
    main.write_bytes(b"")
    if remove:
        main.unlink()
    assert look_at(main) == (["main_zero_length"], 60)
    assert look_at(main, IN_PLACE) == (["main_zero_length"], 60)


def test_a_damaged_main_header_is_healed_by_the_log(crashed: Path, tmp_path: Path) -> None:
    """Page 1 in the log holds a sound header: everything can be read, and the damage is said."""
    main = twin(crashed, tmp_path / "healed")
    main.write_bytes(b"no database at all" + main.read_bytes()[18:])
    assert look_at(main) == (["main_header_damaged"], 60)


def test_a_main_file_that_is_no_database_opens_without_content(tmp_path: Path) -> None:
    """It is a finding, not an error, whatever the file holds."""
    main = write_database(tmp_path / "root" / "runtime.sqlite", MANY)
    flip(main, 3)
    with open_database(main) as database:
        assert [finding.code for finding in database.findings] == ["not_a_database"]
        assert not database.readable
        assert not database.schema.tables
        assert rows_of(database) == []
    cut(main, 60)
    assert look_at(main) == (["main_truncated"], 0)


@pytest.mark.parametrize("copy_limit", [COPY_LIMIT, IN_PLACE])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_cut_main_file_is_told_by_its_pages(grown: Path, tmp_path: Path, share: float, copy_limit: int) -> None:
    """Pages that neither the main file nor the log holds are gone; what is left is read as far as it goes."""
    main = twin(grown, tmp_path / "cut")
    cut(main, int(main.stat().st_size * share))
    codes, events = look_at(main, copy_limit)
    assert codes == ["main_truncated"]
    assert events < 65


def half_written(path: Path) -> Path:
    """Leave a database in rollback mode whose writer was killed when half of a transaction was in the main file."""
    write_database(path, [*MANY, *plain("CREATE TABLE bulk(x)")], "delete")
    rows = [("INSERT INTO bulk VALUES (randomblob(3000))", ())] * 60
    late = plain("PRAGMA cache_size = 5", "BEGIN", "DELETE FROM runtime_events")
    return crash_database(path, [*late, *rows], "delete")


@pytest.mark.parametrize("copy_limit", [COPY_LIMIT, IN_PLACE])
def test_a_half_written_transaction_is_undone_in_the_copy(tmp_path: Path, copy_limit: int) -> None:
    """A hot journal is played back where we look, and stays as it was where it lies."""
    main = half_written(tmp_path / "runtime.sqlite")
    assert (tmp_path / "runtime.sqlite-journal").stat().st_size > 0
    assert look_at(main, copy_limit) == (["hot_journal"], 60)
