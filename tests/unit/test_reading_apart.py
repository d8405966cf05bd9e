"""A run that another process reads is the run that this one reads, and no such process outlives its use."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import orjson
import pytest

from core import EventLinks, Helper, Ledger, Run, bytes_apart, inspect, open_workspace
from tests.support.children import is_there
from tests.support.command import python
from tests.support.run_samples import SAMPLES, may_have_run, open_sample
from tests.support.runs import RUN_PATH, call, dispatch, header, response, text
from tests.support.slow import gated_workspace
from tests.support.workspaces import make_run
from viewer.reading_apart import SMALL, Helpers, helper_ahead, is_one_run


class Enough(Exception):
    """Somebody left."""


@pytest.fixture(scope="module")
def helper() -> Iterator[Helper]:
    """Give a process that reads one run after the other."""
    made = Helper()
    yield made
    made.close()


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a run that is worth a process of its own: thousands of calls, the last one in doubt."""
    root = tmp_path_factory.mktemp("big")
    folder = root / RUN_PATH
    folder.mkdir(parents=True)
    (folder / "run.json").write_bytes(as_json(header()))
    with (folder / "runtime-events.jsonl").open("wb") as file:
        for number in range(2_700):
            call_id = f"t{number}"
            rows = [
                text(f"u{number}", f"words {number}"),
                call(f"c{number}", call_id, {"command": f"ls {number}"}),
                dispatch(f"d{number}", call_id, f"op-{number}", args={"command": f"ls {number}"}),
                response(f"r{number}", call_id, "ok" * (number % 7)),
            ]
            for row in rows[: 3 if number == 2_699 else 4]:
                file.write(as_json(row) + b"\n")
    return root


def as_json(document: object) -> bytes:
    """Return a document as compact JSON."""
    return orjson.dumps(document)


def quiet(done: int, total: int) -> None:
    """Hear of progress."""


def gone(pid: int) -> bool:
    """Wait until a process is gone."""
    end = time.monotonic() + 20
    while is_there(pid):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def assert_same(ledger: Ledger, links: EventLinks, run: Run, ends: Sequence[int] | None = None) -> None:
    """Compare what another process read with what this one reads, for every prefix or some, whatever is asked."""
    own = run.again().ledger()
    own_links = EventLinks(own)
    own_links.complete()
    facts = ("session_id", "run_id", "header", "findings", "size", "modified_ms", "path", "keyed", "readable")
    assert [getattr(ledger, name) for name in facts] == [getattr(own, name) for name in facts]
    assert list(ledger.rows[-500:]) == list(own.rows[-500:])
    for column in ("kinds", "offsets", "lengths", "times"):
        assert bytes(getattr(ledger.rows, column)) == bytes(getattr(own.rows, column))
    assert (links.numbers, links.waiting) == (own_links.numbers, own_links.waiting)
    assert ledger.tool_ledger.blocked_after == own.tool_ledger.blocked_after
    for end in range(len(own) + 1) if ends is None else ends:
        mine, other = (inspect(one, high_water=end, now_ms=1e12) for one in (ledger, own))
        assert mine.plan.as_document() == other.plan.as_document()
        assert (mine.verdict, mine.doubts) == (other.verdict, other.doubts)
    for index in range(max(0, len(own) - 300), len(own)):
        event = own[index]
        assert ledger[index] == event
        call_id = getattr(event.content, "id", None)
        if isinstance(call_id, str):
            found = {one.tool_ledger.find(event.invocation_id, call_id) for one in (ledger, own)}
            assert len(found) == 1
    assert ledger.tool_ledger.find("nobody", "nothing") is None


@pytest.mark.parametrize("name", SAMPLES)
def test_another_process_reads_the_same(tmp_path: Path, name: str, helper: Helper) -> None:
    """Rows, findings, header, links and every decision are those of a reading here, of whatever kind the run is."""
    SAMPLES[name](tmp_path)
    run = open_sample(tmp_path)
    ledger, links = helper.read(run, quiet)
    assert_same(ledger, links, run, (0, 2_000, len(ledger)) if name == "long" else None)
    assert (run.header, run.findings) == (run.again().header, run.again().findings)
    ledger.close()


def test_columns_come_in_pieces(big: Path, helper: Helper) -> None:
    """A ledger of many rows arrives whole, and one process may read one run after the other."""
    run = open_workspace(big).runs()[0]
    beats: list[tuple[int, int]] = []
    for _ in range(2):
        ledger, links = helper.read(run, lambda *beat: beats.append(beat))
        assert_same(ledger, links, run, ends=(0, 40))
        ledger.close()
    assert beats
    assert all(0 <= done <= total for done, total in beats)


def read_with_trouble(run: Run, trouble: Callable[[Helper], None]) -> tuple[Ledger, EventLinks]:
    """Read a run by a helper that gets into trouble at its first sign of life."""
    helper = Helper()
    helpers = Helpers(helper)
    told: list[int] = []

    def progress(done: int, total: int) -> None:
        if not told:
            told.append(done)
            trouble(helper)

    ledger, links = helpers.read(run, progress)
    assert gone(helper.pid)
    return ledger, links


def test_where_the_process_dies_this_one_reads(big: Path) -> None:
    """A process that is killed in the middle costs nothing but time."""
    run = open_workspace(big).runs()[0]
    ledger, links = read_with_trouble(run, lambda helper: helper.close())
    links.complete()
    assert_same(ledger, links, run, ends=(40,))
    ledger.close()


def test_where_the_ledger_is_replaced_this_one_reads(big: Path, tmp_path: Path) -> None:
    """Rows of one file are never shown by the index of another."""
    folder = tmp_path / RUN_PATH
    folder.mkdir(parents=True)
    for name in ("run.json", "runtime-events.jsonl"):
        (folder / name).write_bytes((big / RUN_PATH / name).read_bytes())
    path = folder / "runtime-events.jsonl"

    def replace_it(_helper: Helper) -> None:
        lines = path.read_bytes().splitlines(keepends=True)
        (tmp_path / "other").write_bytes(b"".join(lines[2:]))
        (tmp_path / "other").replace(path)

    run = open_workspace(tmp_path).runs()[0]
    ledger, links = read_with_trouble(run, replace_it)
    links.complete()
    assert_same(ledger, links, run, ends=(40,))
    ledger.close()


def test_where_no_process_can_be_started_this_one_reads(big: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that gives us no process still shows the run."""
    monkeypatch.setattr(sys, "executable", str(big / "nothing"))
    assert helper_ahead(str(big)) is None
    run = open_workspace(big).runs()[0]
    ledger, links = Helpers().read(run, quiet)
    links.complete()
    assert_same(ledger, links, run, ends=(40,))
    ledger.close()


def test_who_leaves_ends_the_process(big: Path) -> None:
    """What is raised at a report comes through, and neither the process nor an open file is left."""
    helper = Helper()

    def leave(done: int, total: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        Helpers(helper).read(open_workspace(big).runs()[0], leave)
    assert gone(helper.pid)


def test_a_process_that_nobody_needed_ends(tmp_path: Path) -> None:
    """What was started ahead ends when the viewer does, and then no other is started."""
    helper = Helper()
    helpers = Helpers(helper)
    may_have_run(tmp_path)
    ledger, _ = helpers.read(open_sample(tmp_path), quiet)
    ledger.close()
    assert is_there(helper.pid) or os.name != "posix"
    helpers.close()
    helpers.close()
    assert gone(helper.pid)


def test_no_process_outlives_who_started_it() -> None:
    """However the process that asks ends, the one that reads ends too."""
    said = python("import os; from core import Helper; print(Helper().pid, flush=True); os._exit(9)")
    assert said.returncode == 9
    assert gone(int(said.stdout))


def test_only_what_may_be_big_is_worth_a_process(big: Path, tmp_path: Path) -> None:
    """A small ledger, and storage of another kind, is read here; a state root may hold anything."""
    may_have_run(tmp_path)
    run = open_workspace(tmp_path).runs()[0]
    assert 0 < bytes_apart(run) <= SMALL < bytes_apart(open_workspace(big).runs()[0])
    gated = gated_workspace(tmp_path, {}).runs()[0]
    assert bytes_apart(gated) == 0
    folder = tmp_path / RUN_PATH
    for path in (folder, folder / "runtime-events.jsonl"):
        assert helper_ahead(os.fspath(path)) is None
    ahead = helper_ahead(os.fspath(big / RUN_PATH))
    assert ahead is not None
    ahead.close()


def test_the_place_of_one_run_is_known_by_names(tmp_path: Path) -> None:
    """A ledger and the folder of one are; what may hold more, is stale, or is not there has to be opened first."""
    folder = make_run(tmp_path, [text("e1")])
    ledger = folder / "runtime-events.jsonl"

    assert is_one_run(str(folder))
    assert is_one_run(str(ledger))
    assert not is_one_run(str(tmp_path))
    assert not is_one_run(str(tmp_path / "nowhere.jsonl"))
    assert not is_one_run("\0.jsonl")
    for name in ("runtime.sqlite", "runtime.sqlite-wal", "sessions"):
        (folder / name).touch()
        assert not is_one_run(str(folder))
        (folder / name).unlink()
