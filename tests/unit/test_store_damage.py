"""A ledger that others damaged, repaired, replaced or added to while the store had it open."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import AppendRefused, EventDecodeError, IdentityConflict
from core.store.store import AppendOutcome, RuntimeEventStore
from tests.support.runs import RUN, SESSION, append_all, call, new_run, response, text


@pytest.mark.parametrize("rows_before", [0, 1])
@pytest.mark.parametrize("damage", [b"garbage\n", b'{"id":"x"}\n', b"{\n", b"\x00\n", b"12\n"])
def test_a_damaged_ledger_takes_nothing(damage: bytes, rows_before: int, tmp_path: Path) -> None:
    """The damaged row is located, and the file stays as it was, however often one tries."""
    ledger = new_run(tmp_path)
    append_all(tmp_path, text("a"))
    good = ledger.read_bytes()
    ledger.write_bytes(good * rows_before + damage + good.replace(b'"a"', b'"b"'))
    before = ledger.read_bytes()
    store = RuntimeEventStore(tmp_path)
    for _ in range(2):
        with pytest.raises(AppendRefused) as caught:
            store.append(SESSION, RUN, text("c"))
        assert (caught.value.line, caught.value.offset) == (rows_before + 1, len(good) * rows_before)
    with pytest.raises(EventDecodeError) as read:
        store.read_immutable(SESSION, RUN)

    assert read.value.line == rows_before + 1
    assert ledger.read_bytes() == before


def test_a_ledger_with_a_row_of_another_run_takes_nothing(tmp_path: Path) -> None:
    """A sound row that names another run is damage too: it is located, and nothing is put behind it."""
    ledger = new_run(tmp_path)
    append_all(tmp_path, text("a"))
    good = ledger.read_bytes()
    ledger.write_bytes(good + good.replace(b'"run-1"', b'"run-9"'))

    with pytest.raises(AppendRefused) as caught:
        RuntimeEventStore(tmp_path).append(SESSION, RUN, text("b"))

    assert (caught.value.line, caught.value.offset) == (2, len(good))
    assert caught.value.field == "$.runId"
    assert ledger.read_bytes().count(b"\n") == 2


def test_a_repaired_ledger_takes_rows_again(tmp_path: Path) -> None:
    """Once somebody has taken the damage away, the open store goes on."""
    ledger = new_run(tmp_path)
    store = append_all(tmp_path, text("a"))
    good = ledger.read_bytes()
    ledger.write_bytes(good + b"}")
    with pytest.raises(AppendRefused):
        store.append(SESSION, RUN, text("b"))
    ledger.write_bytes(good)
    store.append(SESSION, RUN, text("b"))

    assert [item.id for item in store.read_immutable(SESSION, RUN)] == ["a", "b"]


def test_rows_of_others_are_seen(tmp_path: Path) -> None:
    """What another store added since is known: repeated, in conflict, or the call that a response answers."""
    new_run(tmp_path)
    one, other = RuntimeEventStore(tmp_path), RuntimeEventStore(tmp_path)
    one.append(SESSION, RUN, text("a"))
    other.append(SESSION, RUN, text("b"))
    other.append(SESSION, RUN, call("c"))

    assert one.append(SESSION, RUN, text("b")) is AppendOutcome.UNCHANGED
    with pytest.raises(IdentityConflict):
        one.append(SESSION, RUN, text("b", "other"))
    assert one.append(SESSION, RUN, response("d")) is AppendOutcome.WRITTEN
    assert [item.id for item in one.read_immutable(SESSION, RUN)] == ["a", "b", "c", "d"]


def test_a_replaced_ledger_is_read_anew(tmp_path: Path) -> None:
    """Rows of a file that was put in the ledger's place count, those that are gone do not."""
    ledger = new_run(tmp_path)
    store = append_all(tmp_path, text("a"), text("b"))
    rows = ledger.read_bytes().splitlines(keepends=True)
    spare = ledger.with_name("spare")
    spare.write_bytes(rows[1].replace(b'"b"', b'"x"') + rows[1])
    spare.replace(ledger)

    assert store.append(SESSION, RUN, text("a")) is AppendOutcome.WRITTEN
    assert store.append(SESSION, RUN, text("x")) is AppendOutcome.UNCHANGED


def test_a_shortened_ledger_is_read_anew(tmp_path: Path) -> None:
    """Rows that were cut off are written again."""
    ledger = new_run(tmp_path)
    store = append_all(tmp_path, text("a"), text("b"))
    ledger.write_bytes(ledger.read_bytes().splitlines(keepends=True)[0])

    assert store.append(SESSION, RUN, text("b")) is AppendOutcome.WRITTEN
    assert [item.id for item in store.read_immutable(SESSION, RUN)] == ["a", "b"]


def test_a_last_row_without_a_line_feed_counts(tmp_path: Path) -> None:
    """A complete row that only lacks its line feed is committed: it gets one, and is never doubled."""
    ledger = new_run(tmp_path)
    append_all(tmp_path, text("a"), text("b"))
    whole = ledger.read_bytes()
    ledger.write_bytes(whole[:-1])
    store = RuntimeEventStore(tmp_path)

    assert store.append(SESSION, RUN, text("b")) is AppendOutcome.UNCHANGED
    assert ledger.read_bytes() == whole[:-1]
    assert store.append(SESSION, RUN, text("c")) is AppendOutcome.WRITTEN
    assert store.append(SESSION, RUN, text("d")) is AppendOutcome.WRITTEN
    assert [item.id for item in store.read_immutable(SESSION, RUN)] == ["a", "b", "c", "d"]
    assert ledger.read_bytes().startswith(whole)


def test_a_row_glued_to_an_open_one_is_damage(tmp_path: Path) -> None:
    """Where somebody added a row without the line feed that was missing, the two are one damaged row."""
    ledger = new_run(tmp_path)
    store = append_all(tmp_path, text("a"), text("b"))
    first, second = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(first[:-1])
    assert store.append(SESSION, RUN, text("a")) is AppendOutcome.UNCHANGED
    ledger.write_bytes(first[:-1] + second)
    with pytest.raises(AppendRefused) as caught:
        store.append(SESSION, RUN, text("c"))

    assert (caught.value.code, caught.value.line, caught.value.offset) == ("row_invalid_json", 1, 0)


def test_blank_lines_are_no_rows(tmp_path: Path) -> None:
    """Blank lines, CRLF and a tail of spaces are taken as the reader takes them, and lines are still counted."""
    ledger = new_run(tmp_path)
    store = append_all(tmp_path, text("a"))
    ledger.write_bytes(b"\n\r\n" + ledger.read_bytes()[:-1] + b"\r\n\xef\xbb\xbf\n   ")
    store.append(SESSION, RUN, text("b"))
    ledger.write_bytes(ledger.read_bytes() + b"x\n")
    with pytest.raises(AppendRefused) as caught:
        store.append(SESSION, RUN, text("c"))

    assert caught.value.line == 6
