"""Rows of a database: what is right is read, what is damaged is located, and neither stops the other."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.sqlite.copy import ReadStopped
from core.sqlite.events import EventRow, damaged_payload, event_payload, read_append_order
from core.sqlite.opening import open_database
from core.sqlite.reading import Lost, damaged_tables
from core.sqlite.sessions import list_runs, read_header, read_sessions
from tests.support.databases import (
    SCHEMA,
    Statement,
    add_event,
    add_header,
    add_session,
    plain,
    rows_of,
    run_of,
    write_database,
)

PAGE = 4096
TABLE_LEAF, INDEX_LEAF = 0x0D, 0x0A


def made(tmp_path: Path, *statements: Statement) -> Path:
    """Write a database with Maka's tables and these rows."""
    return write_database(tmp_path / "runtime.sqlite", [*plain(*SCHEMA), *statements])


def spoil(main: Path, kind: int, needle: bytes, times: int = 1) -> None:
    """Overwrite with noise the first page of a kind that holds some bytes so many times."""
    data = bytearray(main.read_bytes())
    for start in range(0, len(data), PAGE):
        page = data[start : start + PAGE]
        if page[0] == kind and page.count(needle) >= times:
            data[start : start + PAGE] = b"\xa5" * PAGE
            main.write_bytes(data)
            return
    raise AssertionError("no such page")


def read(main: Path, run: str = "run-1") -> list[EventRow | Lost]:
    """Return all rows of a run."""
    with open_database(main) as database:
        return rows_of(database, run=run)


def test_rows_come_in_the_order_of_the_timeline(tmp_path: Path) -> None:
    """By event_seq, whatever the order in which they were written."""
    main = made(tmp_path, *(add_event(number) for number in (3, 1, 2)))
    rows = read(main)
    assert [row.sequence for row in rows if isinstance(row, EventRow)] == [1, 2, 3]


def test_a_row_says_all_that_its_columns_say(tmp_path: Path) -> None:
    """Ids, number and payload; the payload can be fetched again by its key."""
    main = made(tmp_path, add_event(1, payload='{"ä":1}'))
    with open_database(main) as database:
        (row,) = rows_of(database)
        assert isinstance(row, EventRow)
        assert event_payload(database, row.rowid) == row.payload == '{"ä":1}'.encode()
        assert event_payload(database, row.rowid + 1) is None
    assert row[1:7] == ("run-1-event-1", "sess-1", "run-1", "run-1", "turn-1", 1)
    assert damaged_payload(row) is None


def test_a_blob_in_place_of_a_payload_is_located(tmp_path: Path) -> None:
    """The runtime refuses it; its bytes are still there to be looked at."""
    spoiled = plain("UPDATE runtime_events SET payload_json = CAST(payload_json AS BLOB) WHERE event_seq = 2")
    rows = [row for row in read(made(tmp_path, *run_of(3), *spoiled)) if isinstance(row, EventRow)]
    findings = [damaged_payload(row) for row in rows]

    assert [finding and finding.code for finding in findings] == [None, "payload_damaged", None]
    assert b"run-1-event-2" in rows[1].payload


def test_every_row_beside_a_damaged_page_is_read(tmp_path: Path) -> None:
    """Rows on the page are located one by one; rows before and behind it are read, in order."""
    main = made(tmp_path, *run_of(200))
    spoil(main, TABLE_LEAF, b"run-1-event-100")
    rows = read(main)
    lost = [row for row in rows if isinstance(row, Lost)]
    kept = [row.sequence for row in rows if isinstance(row, EventRow)]

    assert len(rows) == 200
    assert 0 < len(lost) < 60
    assert {row.finding.code for row in lost} == {"page_corrupt"}
    assert [row.rowid for row in lost] == sorted(set(range(1, 201)) - set(kept))
    assert kept == sorted(kept)
    assert {1, 200} <= set(kept)
    assert lost[0].finding.detail == f"runtime_events rowid {lost[0].rowid}, event_seq {lost[0].rowid}"


def test_no_row_is_missed_because_an_index_is_damaged(tmp_path: Path) -> None:
    """Then the table itself is searched."""
    main = made(tmp_path, *run_of(200))
    spoil(main, INDEX_LEAF, b"sess-1run-1", times=20)
    rows = read(main)
    assert [row.sequence for row in rows if isinstance(row, EventRow)] == list(range(1, 201))
    with open_database(main) as database:
        runs, findings = list_runs(database)
    assert [run.events for run in runs] == [200]
    assert [finding.code for finding in findings] == ["page_corrupt"]


def test_a_damaged_table_is_named_before_its_rows_are_read(tmp_path: Path) -> None:
    """Walking through the pages is enough to know."""
    main = made(tmp_path, *run_of(200))
    with open_database(main) as database:
        assert damaged_tables(database) == []
    spoil(main, TABLE_LEAF, b"run-1-event-100")
    with open_database(main) as database:
        (finding,) = damaged_tables(database)
    assert (finding.code, finding.detail) == ("page_corrupt", "table runtime_events")


def test_a_damaged_page_of_headers_hides_no_run(tmp_path: Path) -> None:
    """Runs are listed from an index; the header is unreadable, not missing."""
    main = made(tmp_path, *run_of(2), *run_of(0, run="run-2"))
    spoil(main, TABLE_LEAF, b'"status": "running"')
    with open_database(main) as database:
        runs, _ = list_runs(database)
        record, findings = read_header(database, "sess-1", "run-1")

    assert [(run.run_id, run.has_header, run.events) for run in runs] == [("run-1", True, 2), ("run-2", True, 0)]
    assert record is None
    assert [finding.code for finding in findings] == ["header_unreadable"]


def test_a_damaged_page_of_sessions_hides_no_other(tmp_path: Path) -> None:
    """Sessions on it are told as lost; the others keep their titles."""
    main = made(tmp_path, *(add_session(f"sess-{number}", name="n" * 900) for number in range(1, 12)))
    spoil(main, TABLE_LEAF, b'"id": "sess-5"')
    with open_database(main) as database:
        sessions, findings = read_sessions(database)

    kept = {session.session_id for session in sessions}
    assert kept
    assert "sess-5" not in kept
    assert {finding.code for finding in findings} == {"page_corrupt"}
    assert len(kept) + len(findings) == 11


def test_runs_are_listed_though_their_table_and_its_index_are_damaged(tmp_path: Path) -> None:
    """What cannot be listed is told, and no run that still has rows is hidden."""
    main = made(tmp_path, *run_of(200), *(add_header(f"run-{number}") for number in range(2, 90)))
    spoil(main, INDEX_LEAF, b"sess-1run-1", times=20)
    spoil(main, TABLE_LEAF, b"run-1-event-100")
    with open_database(main) as database:
        runs, findings = list_runs(database)

    counted = next(run.events for run in runs if run.run_id == "run-1")
    assert 0 < counted < 200
    assert {finding.code for finding in findings} == {"page_corrupt"}


def test_a_query_that_names_no_table_is_an_error_and_no_stop(tmp_path: Path) -> None:
    """What SQLite refuses comes through as it is."""
    with open_database(made(tmp_path)) as database, pytest.raises(sqlite3.OperationalError, match="no such table"):
        database.execute("SELECT * FROM nowhere")


def test_a_message_that_is_no_text_is_damage(tmp_path: Path) -> None:
    """SQLite repeats damaged names in what it complains of; that must not become a fault of ours."""
    main = made(tmp_path, *plain("CREATE TABLE marked_name (x)"))
    main.write_bytes(main.read_bytes().replace(b"marked_name", b"marked_\xff\xfe(("))
    with open_database(main) as database:
        assert [finding.code for finding in database.findings] == ["page_corrupt"]
        assert not database.readable


def test_runs_are_those_with_a_header_or_an_event(tmp_path: Path) -> None:
    """The control stream is no run of a user; a run without a header is as old as its first event."""
    main = made(
        tmp_path,
        add_header("late", created_at=9000),
        add_event(1, run="headless"),
        add_event(1, run="control", session="maka_workspace_authority"),
    )
    with open_database(main) as database:
        runs, findings = list_runs(database)
        record, missing = read_header(database, "sess-1", "headless")

    assert [(run.run_id, run.has_header, run.created_at) for run in runs] == [
        ("headless", False, 1001),
        ("late", True, 9000),
    ]
    assert findings == ()
    assert (record, [finding.code for finding in missing]) == (None, ["header_missing"])


def test_a_header_is_its_text(tmp_path: Path) -> None:
    """As it is stored; a blob is refused as the runtime refuses it."""
    main = made(tmp_path, *run_of(0), add_header("run-2"), *plain(_BLOB_HEADER))
    with open_database(main) as database:
        record, findings = read_header(database, "sess-1", "run-1")
        refused, why = read_header(database, "sess-1", "run-2")

    assert record is not None
    assert json.loads(record)["runId"] == "run-1"
    assert findings == ()
    assert (refused, [finding.code for finding in why]) == (None, ["header_unreadable"])


_BLOB_HEADER = "UPDATE core_agent_runs SET record_json = CAST(record_json AS BLOB) WHERE run_id = 'run-2'"


@pytest.mark.parametrize("payload", ['{"id":"sess-2","na', '"text"', '{"id":"another","name":"Wrong"}', "null"])
def test_a_damaged_session_keeps_its_title(tmp_path: Path, payload: str) -> None:
    """It comes from the column beside the record, and other sessions are listed as ever."""
    main = made(tmp_path, add_session(name="First"), add_session("sess-2", name="From the column", payload=payload))
    with open_database(main) as database:
        sessions, findings = read_sessions(database)

    assert [(session.session_id, session.title) for session in sessions] == [
        ("sess-1", "First"),
        ("sess-2", "From the column"),
    ]
    assert [session.damaged for session in sessions] == [False, True]
    assert [(finding.code, finding.detail) for finding in findings] == [("session_row_damaged", "session sess-2")]


def test_missing_tables_and_columns_are_empty(tmp_path: Path) -> None:
    """Nothing is demanded of a schema: what is not there is not read."""
    main = write_database(tmp_path / "runtime.sqlite", plain("CREATE TABLE session_metadata (session_id TEXT)"))
    with closing(sqlite3.connect(main)) as connection:
        connection.execute("INSERT INTO session_metadata VALUES ('sess-1')")
        connection.commit()
    with open_database(main) as database:
        sessions, findings = read_sessions(database)
        assert list_runs(database) == ((), ())
        assert rows_of(database) == []
        assert read_append_order(database, "sess-1") == ()
    assert [(session.session_id, session.title) for session in sessions] == [("sess-1", None)]
    assert [finding.code for finding in findings] == ["session_row_damaged"]


def test_a_view_in_place_of_a_table_is_not_run(tmp_path: Path) -> None:
    """A view may compute without end; only tables are read."""
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS session_id FROM n"
    main = write_database(tmp_path / "runtime.sqlite", plain(f"CREATE VIEW session_metadata AS {endless}"))
    with open_database(main) as database:
        assert read_sessions(database) == ((), ())


def test_append_order_is_that_of_the_ordinals(tmp_path: Path) -> None:
    """Where the database keeps none, the keys tell in which order rows were written."""
    rows = [add_event(number) for number in (2, 1, 3)]
    main = made(tmp_path, *rows)
    with open_database(main) as database:
        assert read_append_order(database, "sess-1") == ("run-1-event-2", "run-1-event-1", "run-1-event-3")
    ordinals = plain(
        "CREATE TABLE runtime_session_event_ordinals (session_id TEXT, ordinal INTEGER, event_id TEXT,"
        " PRIMARY KEY (session_id, ordinal)) WITHOUT ROWID",
        "INSERT INTO runtime_session_event_ordinals SELECT session_id, 10 - event_seq, event_id FROM runtime_events",
    )
    write_database(main, ordinals)
    with open_database(main) as database:
        assert read_append_order(database, "sess-1") == ("run-1-event-3", "run-1-event-2", "run-1-event-1")


def test_reading_stops_when_told_to(tmp_path: Path) -> None:
    """A query that would go on ends with an error that says so; it is no damage."""
    main = made(tmp_path, *run_of(1))
    told: list[bool] = []
    with open_database(main, stop=lambda: bool(told)) as database:
        told.append(True)
        with pytest.raises(ReadStopped):
            database.execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
            ).fetchall()
