"""A run of a database that another process reads from the private copy is the run that this one reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core import CoreError, EventLinks, Helper, HelperLost, bytes_apart, inspect, open_workspace
from tests.support.databases import SCHEMA, plain, run_of, write_database
from tests.support.workspaces import fingerprint, unpack_workspaces

RECORDED = Path(__file__).parents[1] / "data" / "sqlite-workspaces.tar.xz"


@pytest.fixture(scope="module")
def helper() -> Iterator[Helper]:
    """Give a process that reads one run after the other."""
    made = Helper()
    yield made
    made.close()


def quiet(done: int, total: int) -> None:
    """Hear of progress."""


def assert_same(root: Path, helper: Helper) -> int:
    """Compare every run of a workspace as it is read there and here; return how many were read there."""
    count = 0
    with open_workspace(root) as workspace:
        for run in workspace.runs():
            try:
                ledger, links = helper.read(run, quiet)
            except HelperLost:
                continue
            own = run.again().ledger()
            own_links = EventLinks(own)
            own_links.complete()
            for name in ("session_id", "run_id", "header", "findings", "size", "modified_ms", "path", "keyed"):
                assert getattr(ledger, name) == getattr(own, name)
            for column in ("kinds", "offsets", "lengths", "times"):
                assert bytes(getattr(ledger.rows, column)) == bytes(getattr(own.rows, column))
            assert list(ledger.rows.findings.items()) == list(own.rows.findings.items())
            assert list(ledger) == list(own)
            assert links.numbers == own_links.numbers
            mine, other = (inspect(one, now_ms=1e12) for one in (ledger, own))
            assert mine.plan.as_document() == other.plan.as_document()
            assert (mine.verdict, mine.doubts) == (other.verdict, other.doubts)
            assert run.findings == run.again().findings
            count += 1
    return count


def test_recorded_databases_are_read_the_same(tmp_path: Path, helper: Helper) -> None:
    """Rows, findings, header, links and decision are the same, of damaged databases too, and no byte is touched."""
    before = fingerprint(unpack_workspaces(tmp_path, RECORDED))
    count = 0
    for root in sorted(path for path in tmp_path.iterdir() if path.is_dir()):
        try:
            count += assert_same(root, helper)
        except CoreError:
            continue
    assert count > 20
    assert fingerprint(tmp_path) == before


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_database_is_read_the_same(tmp_path: Path, helper: Helper, mode: str) -> None:
    """Whatever its journal, the run is the same, and it is known how much there is to read."""
    root = tmp_path / "state"
    root.mkdir()
    write_database(root / "runtime.sqlite", [*plain(*SCHEMA), *run_of(40)], mode)
    assert assert_same(root, helper) == 1
    with open_workspace(root) as workspace:
        assert bytes_apart(workspace.runs()[0]) > 40 * 100


def test_a_closed_workspace_is_not_read_elsewhere(tmp_path: Path, helper: Helper) -> None:
    """Once the private copy is gone there is nothing to share."""
    root = tmp_path / "state"
    root.mkdir()
    write_database(root / "runtime.sqlite", [*plain(*SCHEMA), *run_of(3)])
    with open_workspace(root) as workspace:
        run = workspace.runs()[0]
    with pytest.raises((HelperLost, CoreError)):
        helper.read(run, quiet)
    assert bytes_apart(run) == 0
