"""Two processes read of a ledger what one reads, whatever stands in it and whatever becomes of the second."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import deque
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core import Helper, HelperLost, Ledger, Run, ledger_together, open_workspace, plan_at
from core.apart import ledger as module
from core.apart.decoding import Decoding, SomeRows, decoded
from core.storage import ahead, row_reader
from core.storage.ahead import PlainColumns
from core.storage.files import ReadOnlyFile
from core.storage.jsonl import read_jsonl_ledger
from core.storage.jsonl_workspace import JsonlRunStorage
from core.storage.ledger import RunIdentity
from tests.support.runs import call, dispatch, event, response, text
from tests.support.workspaces import make_run
from tests.torture.readers import damaged_run


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the ways that are for large ledgers be taken in small ones, also where there is one processor."""
    monkeypatch.setattr(module, "processors", lambda: 2)
    monkeypatch.setattr(row_reader, "_LONG", 2)
    monkeypatch.setattr(ahead, "PLANNED", 8)


class Here:
    """Answers as the other process does, at once and in this one; `after` is called with what was asked for."""

    def __init__(self, file: ReadOnlyFile, after: Any = None) -> None:
        self.came = 0
        """Parts that came back decoded."""
        self._file = file
        self._after = after
        self._decoding = Decoding()
        self._answers: deque[bytes | None] = deque()

    def worth(self, rows: int) -> bool:
        """Help with any ledger."""
        return True

    def wants(self) -> bool:
        """Take any part."""
        return True

    def ask(self, start: int, end: int, execution: tuple[str, str, str, str]) -> None:
        """Decode a part."""
        asked = SomeRows(self._file.path, self._file.state().identity, start, end, execution)
        self._answers.append(self._decoding.answer(asked))
        if self._after is not None:
            self._after(start, end)

    def take(self) -> list[PlainColumns] | None:
        """Return the rows of the oldest part."""
        answer = self._answers.popleft()
        self.came += answer is not None
        return None if answer is None else decoded(answer)


def read_with(path: Path, identity: RunIdentity, after: Any = None) -> tuple[Ledger, Here]:
    """Read a ledger file with one who decodes ahead."""
    helpers: list[Here] = []

    def begin(file: ReadOnlyFile) -> Here:
        helpers.append(Here(file, after))
        return helpers[-1]

    ledger = read_jsonl_ledger(path, identity, None, ahead=begin)
    return ledger, helpers[-1]


def assert_same(one: Ledger, other: Ledger, name: str = "") -> None:
    """Compare what two readings found: every row, every finding, every plan."""
    assert list(one.rows) == list(other.rows), name
    assert one.findings == other.findings, name
    assert one.tool_ledger.blocked_after == other.tool_ledger.blocked_after, name
    assert one.tool_ledger.counts == other.tool_ledger.counts, name
    for end in range(0, len(one) + 1, max(1, len(one) // 7)):
        assert plan_at(one.tool_ledger, end) == plan_at(other.tool_ledger, end), (name, end)


def story(count: int) -> list[dict[str, Any]]:
    """Return rounds of calls that overlap, dispatched and answered, some failed; one call is never answered."""
    documents = [text("start") | {"actions": {"runtimeProtocol": {"toolBoundary": "t1_after_preflight_v1"}}}]
    for number in range(count):
        name, before, args = f"t{number}", f"t{number - 1}", {"command": f"make → {number}"}
        documents += [event(f"m{number}"), call(f"c{number}", name, args)]
        if number:
            answer = response(f"r{number}", before, refs={"toolCallId": before, "operationId": f"op-{before}"})
            answer["content"]["isError"] = number % 5 == 0
            documents.append(answer)
        documents.append(dispatch(f"d{number}", name, f"op-{name}", args))
    return documents


def write(folder: Path, documents: list[Any], end: str = "\n") -> Path:
    """Write a ledger file."""
    path = folder / "runtime-events.jsonl"
    path.write_text("\n".join(json.dumps(document) for document in documents) + end)
    return path


ANYBODY = RunIdentity("sess-1", "run-1")


@pytest.mark.parametrize("part", [300, 1000, 5000])
def test_parts_are_folded_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    """Whatever the size of parts, rows that came back are those that were read, and nearly all came back."""
    monkeypatch.setattr(ahead, "PART", part)
    path = write(tmp_path, story(60))

    plain = read_jsonl_ledger(path, ANYBODY, None)
    together, here = read_with(path, ANYBODY)

    assert_same(together, plain)
    assert len(plain) == 240
    assert here.came > (path.stat().st_size // part - ahead.PLANNED) // 2


def test_parts_that_came_back_are_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever decodes a part, whoever waits is told how far the reading is: ever further, by no more than a part."""
    monkeypatch.setattr(ahead, "PART", 1000)
    path = write(tmp_path, story(60))
    size = path.stat().st_size
    told: list[tuple[int, int]] = []

    read_jsonl_ledger(path, ANYBODY, None, progress=lambda done, of: told.append((done, of)), ahead=Here)

    done = [0, *(bytes_done for bytes_done, _ in told)]
    assert {of for _, of in told} == {size}
    assert done[-1] == size
    assert all(0 < after - before < 2000 for before, after in pairwise(done))


def test_any_ledger_is_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Damaged ledgers give the same rows, findings and plans."""
    from random import Random

    monkeypatch.setattr(ahead, "PART", 400)
    rng, came = Random(3), 0
    path = tmp_path / "runtime-events.jsonl"
    for case in range(200):
        run = damaged_run(rng)
        if not run.ledger or len(run.ledger) > 1 << 15:
            continue
        path.write_bytes(run.ledger)
        identity = RunIdentity(run.session_id, run.run_id)
        together, here = read_with(path, identity)
        assert_same(together, read_jsonl_ledger(path, identity, None), f"{case} {run.name}")
        came += here.came
    assert came > 10


@pytest.mark.parametrize("at", [0.3, 0.6])
@pytest.mark.parametrize("bad", ["nonsense", "", '{"id":', "again", "foreign", "cut", "two"])
def test_what_is_unusual_is_found_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: str, at: float) -> None:
    """A bad, blank, repeated or foreign row in the middle, and an open end, are found as without help."""
    monkeypatch.setattr(ahead, "PART", 500)
    documents = story(40)
    lines = [json.dumps(document) for document in documents]
    other = {"again": lines[3], "foreign": json.dumps(text("x") | {"runId": "other"}), "cut": lines[-1][:40]}
    other["two"] = json.dumps(text("x1")) + json.dumps(text("x2")) + "\n"
    lines.insert(len(lines) if bad == "cut" else int(len(lines) * at), other.get(bad, bad))
    path = tmp_path / "runtime-events.jsonl"
    path.write_text("\n".join(lines) + ("" if bad == "cut" else "\n"))

    together, here = read_with(path, ANYBODY)

    assert_same(together, read_jsonl_ledger(path, ANYBODY, None))
    assert here.came > 3


def test_rows_of_another_turn_stay_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody says which turn a run is of, rows of two are told apart as without help."""
    monkeypatch.setattr(ahead, "PART", 300)
    documents = [row | {"turnId": f"turn-{place // 50}"} for place, row in enumerate(story(50))]
    path = write(tmp_path, documents)

    together, _ = read_with(path, ANYBODY)

    assert_same(together, read_jsonl_ledger(path, ANYBODY, None))


@pytest.mark.parametrize("what", ["overwritten", "cut", "replaced"])
def test_a_file_that_changes_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Rows that were decoded before the file changed are never taken silently."""
    monkeypatch.setattr(ahead, "PART", 2000)
    path = write(tmp_path, story(60))
    asked: list[int] = []

    def change(start: int, end: int) -> None:
        asked.append(start)
        if len(asked) != 4:
            return
        if what == "overwritten":
            with path.open("r+b") as file:
                file.seek(path.read_bytes().index(b"make", start, end))
                file.write(b"fake")
            os.utime(path, ns=(1, 1))
        elif what == "cut":
            os.truncate(path, end)
        else:
            other = path.with_name("other")
            other.write_bytes(path.read_bytes())
            other.replace(path)

    ledger, here = read_with(path, ANYBODY, change)

    said = {"overwritten": "ledger_rewritten", "cut": "ledger_shrank", "replaced": "ledger_replaced"}[what]
    assert said in {finding.code for finding in ledger.findings}
    assert ledger.readable == (what == "replaced")
    assert here.came >= 3


class Counted(Helper):
    """A process that counts what it is asked for."""

    asked = 0

    def ask(self, task: SomeRows) -> None:
        """Ask for rows."""
        self.asked += 1
        super().ask(task)


class Starter:
    """Starts processes, and holds the reading up until the last of them is asked for rows, for a while."""

    def __init__(self) -> None:
        self.started: list[Counted] = []

    def __call__(self) -> Counted:
        """Start one."""
        self.started.append(Counted())
        return self.started[-1]

    def progress(self, done: int, total: int) -> None:
        """Wait a moment for a process that is coming up."""
        if self.started and self.started[-1].asked < 2:
            time.sleep(0.2)


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a run in a hundred parts."""
    monkeypatch.setattr(ahead, "PART", 1 << 12)
    make_run(tmp_path, story(320))
    (run,) = open_workspace(tmp_path).runs()
    return run


def always(size: int) -> int:
    """Call any ledger worth a process."""
    return 0


def test_a_process_reads_the_same(large: Run) -> None:
    """A real process gives the same ledger, and is gone afterwards."""
    starter = Starter()

    alone = large.ledger()
    together = ledger_together(large, starter.progress, worth=always, start=starter)

    assert_same(together, alone)
    assert len(starter.started) == 1
    assert starter.started[0].asked > 2
    assert starter.started[0]._process.poll() is not None
    assert together.beside.last_write_ms() == alone.beside.last_write_ms()


def test_an_id_that_comes_twice_is_found_together(large: Run) -> None:
    """All is read once more then, by two processes again, and it is what one process finds."""
    assert isinstance(large.storage, JsonlRunStorage)
    path = large.storage.folder.ledger
    rows = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join((*rows, rows[700])))
    starter = Starter()

    alone = large.again().ledger()
    assert_same(ledger_together(large.again(), starter.progress, worth=always, start=starter), alone)

    assert alone.tool_ledger.issues
    assert [process._process.poll() is None for process in starter.started] == [False, False]


def test_a_small_ledger_needs_no_process(large: Run) -> None:
    """Nobody is started for little."""

    def start() -> Helper:
        pytest.fail("a process was started")

    assert len(ledger_together(large, start=start)) == 1280
    assert len(ledger_together(large, worth=lambda size: size, start=start)) == 1280
    assert len(ledger_together(large, worth=lambda size: None, start=start)) == 1280


def test_no_process_is_no_harm(large: Run) -> None:
    """Where none can be started, all is read here."""

    def start() -> Helper:
        raise HelperLost("no process can be started")

    assert_same(ledger_together(large, worth=always, start=start), large.ledger())


@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind do not exist there")
@pytest.mark.parametrize("after", [1, 3, 10, 40])
def test_a_process_that_dies_is_no_harm(large: Run, after: int) -> None:
    """Killed at any moment, it is missed by nobody: the rest is read here."""
    starter = Starter()

    def progress(done: int, total: int) -> None:
        starter.progress(done, total)
        if starter.started and starter.started[0].asked >= after:
            os.kill(starter.started[0].pid, signal.SIGKILL)

    assert_same(ledger_together(large, progress, worth=always, start=starter), large.ledger())


def test_it_can_be_stopped(large: Run) -> None:
    """What progress raises comes through, and no process stays behind."""
    starter = Starter()

    def stop(done: int, total: int) -> None:
        if done > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ledger_together(large, stop, worth=always, start=starter)

    assert starter.started[0]._process.poll() is not None
