"""A row costs no more memory and time than is bounded, however it is made; what is too much is said to be too much."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import EventDecodeError, decode_event, inspect, open_workspace
from core.records.bounds import MOST_VALUES, holds_too_many
from core.records.json_text import classify
from tests.support.records import as_row, event_with
from tests.support.runs import call, text
from tests.support.workspaces import make_run

MANY = b"0," * MOST_VALUES + b"0"


def _with_args(args: bytes) -> bytes:
    return as_row(call("e1", args="@")).replace(b'"@"', args)


def test_values_are_counted_and_not_what_strings_hold() -> None:
    """One value more than the limit is too many; any number of marks inside strings, escaped quotes too, is not."""
    assert holds_too_many(b"[" + MANY + b"]")
    assert not holds_too_many(b"[" + MANY[4:] + b"]")
    assert not holds_too_many(b'["' + MANY + b'\\",[{' + MANY + b'\\\\"]')
    assert holds_too_many("[" + '"\\"",' * (MOST_VALUES + 1) + "0]")


@pytest.mark.parametrize("first", [b"0", b'"\xff"', b'"\\ud800"'])
def test_a_row_of_too_many_values_is_not_judged(first: bytes) -> None:
    """Neither way of reading takes it, and the code says that it is large, not that it is wrong."""
    with pytest.raises(EventDecodeError) as caught:
        decode_event(_with_args(b"[" + first + b"," + MANY + b"]"))

    assert caught.value.code == "row_too_large"


def test_a_long_string_is_one_value() -> None:
    """A result of twenty million bytes with as many commas is read as any other, damaged UTF-8 or not."""
    for damage in (b"", b"\xff"):
        event = decode_event(_with_args(b'"' + b"," * 20_000_000 + damage + b'"'))
        assert event.content is not None


def test_a_torn_row_of_too_many_values_is_no_torn_tail(tmp_path: Path) -> None:
    """Where nobody can tell whether a row was torn, it blocks; the rows before it stand."""
    folder = make_run(tmp_path, [text("e1")])
    row = as_row(event_with(actions={"stateDelta": {"a": "@"}})).partition(b'"@"')[0] + b"[" + b"[]," * (1 << 19)
    with (folder / "runtime-events.jsonl").open("ab") as file:
        file.write(row)

    ledger = open_workspace(tmp_path).runs()[0].ledger()

    assert [finding.code for finding in ledger.findings] == ["row_too_large"]
    assert len(ledger) == 1
    assert inspect(ledger).plan.blocked


def test_what_nobody_read_to_its_end_is_not_complete() -> None:
    """A text of too many values is neither complete nor a beginning, so that nothing is appended to it."""
    assert classify(f"[{MANY.decode()}]") == "invalid"
    assert classify(f"[{MANY.decode()}") == "invalid"


@pytest.mark.parametrize("depth", [512, 513, 5_000, 100_000])
def test_depth_is_classified_alike_however_it_is_read(depth: int) -> None:
    """A deep document is complete; cut inside, it is a beginning down to the depth of the format, and else invalid."""
    opened = "[" * depth
    assert classify(opened + "]" * depth) == "complete"
    assert classify(opened) == ("incomplete-prefix" if depth <= 513 else "invalid")
    assert classify(opened + "]" * (depth - 1) + "}") == "invalid"
