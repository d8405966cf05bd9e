"""Times no calendar has, and ids spelled in odd ways: they are written and found all the same."""

from __future__ import annotations

import json
import math
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Ledger, RequestError, ago, clock_time, day, duration_text, locate, open_workspace, short_time
from tests.support.runs import text
from tests.support.workspaces import make_run

LAST_DAY = 253_402_297_200_000
"""An hour before the last day of the last year of calendars ends, milliseconds since 1970."""


def _ledger(root: Path, *rows: bytes) -> Ledger:
    folder = make_run(root, [])
    (folder / "runtime-events.jsonl").write_bytes(b"".join(row + b"\n" for row in rows))
    return open_workspace(root).runs()[0].ledger()


def _row(event_id: str, ts: float = 5) -> bytes:
    return json.dumps(text(event_id, ts=ts)).encode()


@given(st.floats())
def test_every_number_is_a_time(ms: float) -> None:
    """Whatever a writer put down as a time, it is written down, and in no more cells than there are for it."""
    assert len(duration_text(ms)) <= 6
    assert len(ago(ms)) <= 10
    for write in (clock_time, day, short_time):
        assert write(ms, UTC).isprintable()


def test_times_far_apart_are_told_by_their_bound() -> None:
    """What no calendar spans is more than a number; what runs backwards has a sign."""
    assert duration_text(math.inf) == ">9999d"
    assert duration_text(86_400_000.0 * 9999) == "9999d"
    assert [duration_text(ms) for ms in (-100.0, -125_000.0, -math.inf)] == ["-0.1s", "-2m05", "<-999d"]
    assert ago(math.inf) == ">9999y ago"


@pytest.mark.parametrize(
    ("row", "event_id"),
    [
        (_row("abc").replace(b'"abc"', b'"\\u0061bc"'), "abc"),
        (_row("a/c").replace(b'"a/c"', b'"a\\/c"'), "a/c"),
        (_row("abc").replace(b'"abc"', b'"a\xf4\x90"'), "a\ufffd\ufffd"),
        (_row("abc").replace(b'"abc"', b'"\\ud83d\\ude00"'), "\U0001f600"),
        (_row("e\u0301"), "e\u0301"),
    ],
)
def test_an_id_is_found_however_its_row_spells_it(row: bytes, event_id: str, tmp_path: Path) -> None:
    """Escapes and replaced bytes are spellings of the same id; it also wins over one that merely begins so."""
    ledger = _ledger(tmp_path, _row(event_id + "-longer"), row)

    assert locate(ledger, event_id) == 1


@pytest.mark.parametrize("event_id", ["77", "20261129", "12:30", "2026-11-29"])
def test_an_id_that_reads_as_a_number_or_time_is_still_an_id(event_id: str, tmp_path: Path) -> None:
    """Where the ledger has no such number or time, the event of that name is meant."""
    ledger = _ledger(tmp_path, _row("e1"), _row(event_id))

    assert locate(ledger, event_id) == 1


def test_the_last_day_of_all_has_no_day_after(tmp_path: Path) -> None:
    """A clock time before the first event of the last day that calendars have is a time that the ledger lacks."""
    ledger = _ledger(tmp_path, _row("e1", LAST_DAY))

    assert locate(ledger, "12:00") == 0
    assert locate(ledger, "0001-01-02", UTC) == 0
    with pytest.raises(RequestError):
        locate(ledger, "9999-12-31T23:59:59-12:00", None)
