"""A row without an end: torn where its writer is gone, being written where it may be at work. It decides nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import Inspection, entry, inspect, open_workspace, run_sheet, summarize_run, why_run
from tests.support.runs import call, header, terminal, text
from tests.support.workspaces import make_run

NOW = 1_800_000_000_000.0
ROWS = [text("e1", ts=NOW - 9000), call("e2", ts=NOW - 5000)]
HALF = b'{"id":"e3","role":"tool","content":{"kind":"function_resp'


def _look(root: Path, age_ms: float, status: str = "running", last: str = "") -> Inspection:
    rows = [*ROWS, terminal(last, ts=NOW - 1000)] if last else ROWS
    make_run(root, rows, tail=HALF, written_ms=NOW - age_ms, head=header(status=status))
    return inspect(open_workspace(root).runs()[0].ledger(), now_ms=NOW)


def test_a_row_without_an_end_of_a_live_run_is_being_written(tmp_path: Path) -> None:
    """Written to a moment ago: the finding says so at the row's place, everywhere; it is not counted."""
    inspection = _look(tmp_path, 2000)

    (finding,) = inspection.findings
    assert (finding.code, finding.line, finding.length) == ("being_written", 3, len(HALF))
    assert inspection.live
    assert inspection.high_water == 2
    told = [line.text for lines in why_run(inspection).sections.values() for line in lines]
    assert any("is being written" in line for line in told)
    assert not any("torn" in line for line in told)
    remarks = next(section for section in run_sheet(inspection) if section.title == "Remarks on the storage")
    assert [(line.name, line.row, line.contradicts) for line in remarks.lines] == [("being_written", 2, False)]
    summary = summarize_run(open_workspace(tmp_path).runs()[0], now_ms=NOW)
    assert summary.findings == ("being_written",)
    assert "a row is being written" in (summary.note or "")
    assert entry("being_written") is not None


@pytest.mark.parametrize(
    ("age_ms", "status", "last"),
    [(120_000, "running", ""), (-120_000, "running", ""), (2000, "failed", ""), (2000, "running", "e3")],
)
def test_it_is_torn_as_soon_as_the_writer_is_known_to_be_gone(
    tmp_path: Path, age_ms: float, status: str, last: str
) -> None:
    """No write for a minute, one at a time to come, a header that says the run ended, or a terminal fact."""
    inspection = _look(tmp_path, age_ms, status, last)

    assert [finding.code for finding in inspection.findings] == ["torn_tail"]
    assert inspection.being_written is None


def test_without_a_clock_or_in_a_shorter_prefix_nothing_is_being_written(tmp_path: Path) -> None:
    """A script that gives no clock, and a what-if, see the storage as it is."""
    ledger = _look(tmp_path, 2000).ledger

    assert [finding.code for finding in inspect(ledger).findings] == ["torn_tail"]
    assert [finding.code for finding in inspect(ledger, high_water=1, now_ms=NOW).findings] == ["torn_tail"]
