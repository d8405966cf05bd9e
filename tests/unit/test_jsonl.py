"""Reading ledger files: places of rows, blank lines, huge rows, files that change, and what is no file at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Ledger, LedgerChanged, RowKind, inspect, open_workspace
from core.storage import jsonl as jsonl_module
from core.storage import jsonl_reading
from core.storage.line_reader import is_blank
from tests.support.runs import call, header, response, text
from tests.support.workspaces import make_run
from tests.torture.faults import failing_reads

ROWS = [text("e1"), call("e2", "t"), response("e3", "t")]


def _ledger(root: Path) -> Ledger:
    return open_workspace(root).runs()[0].ledger()


def test_rows_know_their_place(tmp_path: Path) -> None:
    """Line, offset and length of each row give back exactly its bytes; blank lines count as lines and are no rows."""
    folder = make_run(tmp_path, None)
    rows = [json.dumps(row).encode() for row in ROWS]
    blob = b"\n" + rows[0] + b"\n  \n\n" + rows[1] + b"\r\n" + rows[2] + b"\n"
    (folder / "runtime-events.jsonl").write_bytes(blob)

    ledger = _ledger(tmp_path)

    assert [(row.line, blob[row.offset : row.offset + row.length]) for row in ledger.rows] == [
        (2, rows[0]),
        (5, rows[1] + b"\r"),
        (6, rows[2]),
    ]
    assert [ledger.raw(index) for index in range(3)] == [rows[0], rows[1] + b"\r", rows[2]]
    assert [row.kind for row in ledger.rows] == [RowKind.USER, RowKind.CALL, RowKind.RESPONSE]
    assert ledger.committed_bytes == ledger.size == len(blob)
    assert (ledger.session_id, ledger.run_id) == ("sess-1", "run-1")


def test_a_tear_at_any_byte_of_the_last_row_is_never_a_fact(tmp_path: Path) -> None:
    """Cut anywhere inside its last row, a ledger holds the rows before it; cut at its end, all of them."""
    folder = make_run(tmp_path, ROWS[:2])
    path = folder / "runtime-events.jsonl"
    head = path.read_bytes()
    row = json.dumps(response("e3", "t", {"out": "naïve 👾 \\u"}), ensure_ascii=False).encode()

    for cut in range(len(row) + 1):
        path.write_bytes(head + row[:cut])
        ledger = _ledger(tmp_path)
        complete = cut == len(row)
        assert len(ledger) == (3 if complete else 2)
        assert (ledger.torn_tail is not None) == (0 < cut < len(row))
        assert inspect(ledger).plan.blocked == (not complete)
        if ledger.torn_tail is not None:
            place = (ledger.torn_tail.line, ledger.torn_tail.offset, ledger.torn_tail.length)
            assert place == (3, len(head), cut)


def test_rows_after_an_unreadable_one_are_shown_and_do_not_count(tmp_path: Path) -> None:
    """One bad row blocks; the rows behind it stay readable by themselves, without a number."""
    folder = make_run(tmp_path, None)
    lines = [json.dumps(ROWS[0]), '{"id":', json.dumps(ROWS[1]), json.dumps(ROWS[2])]
    (folder / "runtime-events.jsonl").write_text("\n".join(lines) + "\n")

    ledger = _ledger(tmp_path)

    assert [event.id for event in ledger] == ["e1"]
    assert [row.number for row in ledger.rows] == [1, None, None, None]
    shown = [ledger.event_at(row) for row in ledger.rows]
    assert [event.id if event else None for event in shown] == ["e1", None, "e2", "e3"]
    plan = inspect(ledger).plan
    assert plan.blocked
    assert list(plan.rejection_reasons) == ["runtime_ledger_unreadable"]
    assert plan.diagnostics[0].line == 2


def test_reasons_of_storage_come_first(tmp_path: Path) -> None:
    """With a bad row behind a dangling call, the storage's reason stands before the prefix's."""
    folder = make_run(tmp_path, None)
    (folder / "runtime-events.jsonl").write_text(json.dumps(ROWS[1]) + "\nnull\n")
    (folder / "run.json").unlink()

    plan = inspect(_ledger(tmp_path)).plan

    assert list(plan.rejection_reasons) == [
        "source_run_unreadable",
        "runtime_ledger_unreadable",
        "dangling_tool_state",
    ]


def test_a_row_too_large_to_decode_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row beyond the limit is located, not decoded, and makes the ledger unreadable."""
    for module in (jsonl_module, jsonl_reading):
        monkeypatch.setattr(module, "MAX_ROW", 2000)
    monkeypatch.setattr(jsonl_reading, "CHUNK", 1000)
    make_run(tmp_path, [text("e1"), text("e2", "x" * 3000), text("e3")])

    ledger = _ledger(tmp_path)

    assert [finding.code for finding in ledger.findings] == ["row_too_large"]
    assert ledger.rows[1].length > 3000
    assert ledger.rows[2].kind is RowKind.USER
    assert inspect(ledger).plan.blocked


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_does_not_hang(tmp_path: Path) -> None:
    """A pipe in the place of a ledger is a finding, at once."""
    folder = make_run(tmp_path, None)
    os.mkfifo(folder / "runtime-events.jsonl")

    ledger = _ledger(tmp_path)

    assert [finding.code for finding in ledger.findings] == ["ledger_unreadable"]
    assert inspect(ledger).plan.blocked


def test_a_folder_in_the_place_of_a_ledger_blocks(tmp_path: Path) -> None:
    """A folder where the ledger should be is unreadable, not empty."""
    folder = make_run(tmp_path, None)
    (folder / "runtime-events.jsonl").mkdir()

    ledger = _ledger(tmp_path)

    assert [finding.message for finding in ledger.findings] == ["the ledger cannot be read: not a regular file"]
    assert (ledger.size, ledger.modified_ms) == (0, None)
    assert inspect(ledger).plan.blocked
    with pytest.raises(LedgerChanged, match=r"there is no ledger file$"):
        ledger.source.read_row(0, 1)


def test_a_run_without_a_ledger_file_has_an_empty_ledger(tmp_path: Path) -> None:
    """Nothing needs to exist: a run that has written no row has none, and nothing is wrong with it."""
    make_run(tmp_path, None)

    ledger = _ledger(tmp_path)

    assert (len(ledger.rows), ledger.findings, ledger.size) == (0, (), 0)
    assert not inspect(ledger).plan.blocked


def test_a_file_cut_after_it_was_read_is_said(tmp_path: Path) -> None:
    """Rows that are gone raise LedgerChanged; rows that are still there can be read."""
    folder = make_run(tmp_path, ROWS)
    ledger = _ledger(tmp_path)
    os.truncate(folder / "runtime-events.jsonl", ledger.rows[1].offset + 5)

    assert ledger[0].id == "e1"
    with pytest.raises(LedgerChanged, match=r"byte \d+: the file was cut after it was read$"):
        ledger.raw(1)


def test_a_file_cut_while_it_is_read_blocks(tmp_path: Path) -> None:
    """What was read is shown, with a finding; the decision is blocked."""
    folder = make_run(tmp_path, [text(f"e{n}", "x" * 5000) for n in range(200)])
    path = folder / "runtime-events.jsonl"

    def cut(_done: int, _size: int) -> None:
        os.truncate(path, 300_000)

    ledger = open_workspace(tmp_path).runs()[0].ledger(cut)

    assert "ledger_shrank" in [finding.code for finding in ledger.findings]
    assert 0 < len(ledger) < 200
    assert inspect(ledger).plan.blocked


@pytest.mark.skipif(os.name == "nt", reason="reads are made to fail as POSIX has them")
def test_no_row_is_torn_where_reading_stopped(tmp_path: Path) -> None:
    """A damaged row before the place where the disk fails is no torn tail: more may follow, nobody knows."""
    folder = make_run(tmp_path, [text(f"e{n}", "x" * 5000) for n in range(20)])
    with (folder / "runtime-events.jsonl").open("ab") as ledger:
        ledger.write(b'{"id":"cut"' + b"\n" + json.dumps(text("long", "y" * 900_000)).encode())
    said = set()
    for first in range(8):
        with failing_reads(first):
            found = [finding.code for finding in _ledger(tmp_path).findings]
        if "ledger_unreadable" in found:
            assert "torn_tail" not in found
            said.update(found)
    assert "row_invalid_json" in said


def test_no_row_is_torn_where_the_file_was_cut_behind_it(tmp_path: Path) -> None:
    """A damaged row with a line feed stays a damaged row, though the file was cut in the middle of the reading."""
    folder = make_run(tmp_path, ROWS)
    path = folder / "runtime-events.jsonl"
    with path.open("ab") as file:
        file.write(b'{"id":"cut"' + b"\n" + json.dumps(text("long", "y" * 900_000)).encode())

    ledger = open_workspace(tmp_path).runs()[0].ledger(lambda _done, _size: os.truncate(path, 900))

    assert [finding.code for finding in ledger.findings] == ["ledger_unreadable", "row_invalid_json", "ledger_shrank"]
    assert ledger.findings[0].message == "reading stopped here: the file was cut while it was read"


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system does not list open files")
def test_a_ledger_that_is_closed_holds_no_file(tmp_path: Path) -> None:
    """Whoever closes a ledger gives its file back at once, however long the ledger itself is kept."""
    make_run(tmp_path, ROWS)
    before = len(list(Path("/proc/self/fd").iterdir()))

    ledger = _ledger(tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before + 1
    ledger.close()

    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert len(ledger) == 3


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_the_end_of_a_reading_is_told(tmp_path: Path, rows: int) -> None:
    """However short the ledger is: whoever wants the reading to stop is asked."""
    path = make_run(tmp_path, [text(f"e{number}") for number in range(rows)]) / "runtime-events.jsonl"
    told: list[tuple[int, int]] = []

    open_workspace(tmp_path).runs()[0].ledger(lambda done, size: told.append((done, size)))

    assert told == [(path.stat().st_size, path.stat().st_size)]


def test_a_file_that_grows_or_vanishes_while_it_is_read_is_said(tmp_path: Path) -> None:
    """Growth is noted, a removed file is still shown; neither invents rows."""
    folder = make_run(tmp_path, ROWS)
    path = folder / "runtime-events.jsonl"

    def grow(_done: int, _size: int) -> None:
        with path.open("ab") as file:
            file.write(b'{"half')

    grown = open_workspace(tmp_path).runs()[0].ledger(grow)
    vanished = open_workspace(tmp_path).runs()[0].ledger(lambda _done, _size: path.unlink())

    assert [finding.code for finding in grown.findings] == ["ledger_grew"]
    assert len(grown) == 3
    assert [finding.code for finding in vanished.findings] == ["torn_tail", "ledger_vanished"]
    assert len(vanished) == 3


def test_progress_can_stop_the_reading(tmp_path: Path) -> None:
    """What the progress callback raises comes through."""
    make_run(tmp_path, ROWS)

    class Stop(Exception):
        pass

    def stop(_done: int, _size: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        open_workspace(tmp_path).runs()[0].ledger(stop)


@given(st.text(alphabet=" \t\v\f\r\u00a0\ufeff\u1680\u2003\u2028\u2029\u202f\u205f\u3000", max_size=12))
def test_white_space_of_ecmascript_is_blank(line: str) -> None:
    """A line of nothing but ECMAScript white space is blank."""
    assert is_blank(line.encode())


@pytest.mark.parametrize("character", ["\u0085", "\u001c", "\u001f", "\u200b", "\u180e", "\0", "x"])
def test_what_only_python_calls_blank_is_not(character: str) -> None:
    """Characters that Python strips and ECMAScript does not make a line that is not blank."""
    assert not is_blank(f" {character} ".encode())


def test_the_header_of_another_run_is_not_trusted(tmp_path: Path) -> None:
    """A header that names another run blocks with its own reason; the rows are still shown."""
    folder = make_run(tmp_path, ROWS)
    (folder / "run.json").write_text(json.dumps(header(runId="other")))

    ledger = _ledger(tmp_path)

    assert [(finding.code, finding.field) for finding in ledger.findings] == [("header_unreadable", "$.runId")]
    assert len(ledger.rows) == 3
    assert list(inspect(ledger).plan.rejection_reasons) == ["source_run_unreadable"]
