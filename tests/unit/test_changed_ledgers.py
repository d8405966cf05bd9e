"""Ledgers that change while they are read, or between two looks: never a mix of two, never an exception of the list."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from core import (
    CoreError,
    LedgerChanged,
    Pattern,
    call_facts,
    encode_document,
    inspect,
    locate,
    open_workspace,
    run_document,
    search,
    summarize_run,
)
from tests.support.runs import call, header, response, text
from tests.support.workspaces import make_run

Change = Callable[[Path], None]


def _rows(*events: dict[str, object]) -> bytes:
    """Return rows of 500 bytes each, so that rows of two ledgers can stand in each other's place."""
    rows = [json.dumps(event, separators=(",", ":")).encode() for event in events]
    return b"".join(row + b" " * (499 - len(row)) + b"\n" for row in rows)


CALM = _rows(*[text(f"e{n}") for n in range(4000)])
CALLS = _rows(*[event for n in range(2000) for event in (call(f"c{n}", f"t{n}"), response(f"r{n}", f"t{n}"))])
OPEN = _rows(*[call(f"c{n}", f"t{n}") for n in range(4000)])


def _in_place(payload: bytes) -> Change:
    def change(path: Path) -> None:
        with path.open("r+b") as file:
            file.write(payload)

    return change


def _anew(payload: bytes) -> Change:
    return lambda path: (path.write_bytes(payload), None)[1]


def _longer(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"{")


def _cut_and_grown(path: Path) -> None:
    os.truncate(path, 5_000)
    os.truncate(path, len(CALM) + 500)


def _reading(root: Path, payload: bytes, change: Change, *, at: float) -> Callable[[int, int], None]:
    folder = make_run(root, [], head=header(status="running"))
    path = folder / "runtime-events.jsonl"
    path.write_bytes(payload)
    done: list[bool] = []

    def progress(read: int, size: int) -> None:
        if not done and read >= size * at:
            done.append(True)
            change(path)

    return progress


@pytest.mark.parametrize("at", [0.3, 1.0])
@pytest.mark.parametrize("change", [_in_place(CALLS), _anew(CALLS), _anew(CALLS * 2), _cut_and_grown])
def test_a_mix_of_two_ledgers_is_no_ledger(change: Change, at: float, tmp_path: Path) -> None:
    """Rows that were overwritten under the reader block, also where every row of the mix is a good one."""
    progress = _reading(tmp_path, CALM, change, at=at)

    ledger = open_workspace(tmp_path).runs()[0].ledger(progress)

    assert not ledger.readable
    assert {"ledger_rewritten", "ledger_shrank", "ledger_unreadable"} & {finding.code for finding in ledger.findings}
    assert inspect(ledger).plan.blocked


def test_a_cut_ends_the_rows_where_they_were_whole(tmp_path: Path) -> None:
    """A row that was cut off while it was read is no torn tail: the file does not end there."""
    progress = _reading(tmp_path, CALM, lambda path: os.truncate(path, 300_100), at=0.1)

    ledger = open_workspace(tmp_path).runs()[0].ledger(progress)

    assert ledger.torn_tail is None
    assert [finding.code for finding in ledger.findings] == ["ledger_unreadable", "ledger_shrank"]


def test_growth_leaves_what_was_read(tmp_path: Path) -> None:
    """An append is no change to the rows before it."""
    progress = _reading(tmp_path, CALM, _longer, at=0.5)

    ledger = open_workspace(tmp_path).runs()[0].ledger(progress)

    assert [finding.code for finding in ledger.findings] == ["ledger_grew"]
    assert len(ledger) == 4000
    assert not inspect(ledger).plan.blocked


def test_the_fold_meets_another_row_than_it_took(tmp_path: Path) -> None:
    """Where the reader must look again at a call and finds another event, reading stops with a finding."""
    progress = _reading(tmp_path, OPEN[: 500 * 2000] + CALLS[500 * 2000 :], _in_place(CALM[: 500 * 2000]), at=0.5)

    ledger = open_workspace(tmp_path).runs()[0].ledger(progress)

    assert not ledger.readable
    assert inspect(ledger).plan.blocked


def test_a_list_of_runs_survives_a_ledger_that_changes_behind_it(tmp_path: Path) -> None:
    """A run whose rows are gone when its calls are asked for is a line that says so, not the end of the list."""
    progress = _reading(tmp_path, OPEN, lambda path: os.truncate(path, 0), at=1.0)

    summary = summarize_run(open_workspace(tmp_path).runs()[0], progress=progress)

    assert summary.blocked
    assert summary.unreadable


@pytest.mark.parametrize(
    "change", [_in_place(CALM), _anew(CALM), _in_place(b"x" * 50_000), lambda path: os.truncate(path, 100)]
)
def test_a_row_is_never_shown_for_another(change: Change, tmp_path: Path) -> None:
    """Asked again after a change, a row is the one that was indexed, or LedgerChanged."""
    path = make_run(tmp_path, []) / "runtime-events.jsonl"
    path.write_bytes(OPEN)
    ledger = open_workspace(tmp_path).runs()[0].ledger()
    change(path)

    with pytest.raises(LedgerChanged):
        ledger[7]
    with pytest.raises(CoreError):
        encode_document(run_document(inspect(ledger), "p"))


def test_what_is_asked_of_rows_that_are_gone_is_answered_without_them(tmp_path: Path) -> None:
    """A search, an id and what a call was about: each does without the row, and none of them fails."""
    path = make_run(tmp_path, [call("e1", "t1", {"command": "ls"}), text("e2")]) / "runtime-events.jsonl"
    ledger = open_workspace(tmp_path).runs()[0].ledger()
    doubts = inspect(ledger).doubts
    os.truncate(path, 0)

    assert list(search(ledger, Pattern("ls"))) == []
    with pytest.raises(CoreError, match="e1"):
        locate(ledger, "e1")
    (facts,) = [call_facts(ledger, operation) for operation in doubts]
    assert (facts.number, facts.summary, facts.arguments) == (1, "", ())
