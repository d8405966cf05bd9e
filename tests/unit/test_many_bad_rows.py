"""A ledger of nothing but bad rows, or of nothing but blank lines, costs little and is told in few words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core import Ledger, RowKind, inspect, open_workspace
from core.storage.later_findings import MOST_FINDINGS
from tests.support.runs import call, text
from tests.support.workspaces import make_run

BAD = (b"x", b"{}", b"[]", b'{"id":', b"\xff")


def _read(root: Path, blob: bytes) -> Ledger:
    folder = make_run(root, [])
    (folder / "runtime-events.jsonl").write_bytes(blob)
    return open_workspace(root).runs()[0].ledger()


@pytest.mark.parametrize("good_first", [0, 3])
def test_behind_a_thousand_bad_rows_their_number_is_told(good_first: int, tmp_path: Path) -> None:
    """The first are findings of their own, the others a sum for each code; every row still says what it is."""
    good = json.dumps(text("e1")).encode()
    count = MOST_FINDINGS + 500
    rows = [good] * good_first + [BAD[number % len(BAD)] for number in range(count)] + [good, b"x"]

    ledger = _read(tmp_path, b"\n".join(rows) + b"\n")

    assert len(ledger) == good_first
    assert len(ledger.rows) == len(rows)
    assert inspect(ledger).plan.blocked
    assert len(ledger.findings) == MOST_FINDINGS + 2
    sums = {finding.code: finding.message for finding in ledger.findings[MOST_FINDINGS:]}
    assert sums == {"row_invalid_json": "301 more rows of this kind", "row_invalid_event": "200 more rows of this kind"}
    for index, row in enumerate(ledger.rows):
        wrong = rows[index] != good
        assert (row.finding is not None) == wrong == (row.kind is RowKind.UNREADABLE)
        if row.finding is not None:
            expected = "row_invalid_event" if rows[index] in (b"{}", b"[]") else "row_invalid_json"
            assert (row.finding.code, row.finding.line, row.finding.length) == (expected, index + 1, len(rows[index]))


@pytest.mark.parametrize("bad", [MOST_FINDINGS - 1, MOST_FINDINGS, MOST_FINDINGS + 1])
def test_a_torn_tail_behind_many_bad_rows_is_told(bad: int, tmp_path: Path) -> None:
    """The last row is torn whatever stands before it, and is not counted among the bad ones as well."""
    ledger = _read(tmp_path, b"x\n" * bad + json.dumps(text("e1")).encode()[:40])

    assert ledger.torn_tail is not None
    assert ledger.torn_tail.line == bad + 1
    assert ledger.rows[-1].kind is RowKind.TORN
    assert sum(finding.message.endswith("more rows of this kind") for finding in ledger.findings) == (
        bad > MOST_FINDINGS
    )


@pytest.mark.parametrize("line", [b"", b"  ", b"\t\r", b"\x0b\x0c", "\u00a0\u2003\ufeff".encode()])
def test_blank_lines_by_the_thousand_are_no_rows(line: bytes, tmp_path: Path) -> None:
    """They count as lines, keep nothing, and the row behind them knows its place."""
    blank = (line + b"\n") * 100_000

    ledger = _read(tmp_path, blank + json.dumps(call("e1")).encode())

    assert len(ledger) == 1
    assert (ledger.rows[0].line, ledger.rows[0].offset) == (100_001, len(blank))
