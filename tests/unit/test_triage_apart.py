"""Runs that processes summarize are told of as if they were read here, and no process is left."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from textual.message import Message

from core import Helper, open_workspace
from tests.support.children import is_there
from tests.support.harbor import NOW_MS, harbor_workspace
from tests.support.runs import new_run, text
from viewer.loading import RunReader
from viewer.messages import ReadingEnded, RunsRead
from viewer.reading_apart import SMALL, Helpers
from viewer.triage_apart import MANY, Sharing

Told = dict[str, dict[str, object]]


class Hurry:
    """A clock by which every reading here has taken too long."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Look at the clock."""
        self.now += 1.0
        return self.now


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a workspace of many runs."""
    return harbor_workspace(tmp_path_factory.mktemp("many"), 2 * MANY)


def told(messages: list[Message]) -> Told:
    """Give what was told of each run; each is told of once."""
    found = [summary for message in messages if isinstance(message, RunsRead) for summary in message.summaries]
    documents: Told = {summary.run_id: summary.as_document() for summary in found}
    assert len(documents) == len(found)
    return documents


def read(
    root: Path, helpers: Helpers | None, news: Callable[[Message], object] = lambda message: None
) -> list[Message]:
    """Read a workspace with or without processes; `news` hears of messages and stops by False."""
    posted: list[Message] = []
    stopped: list[bool] = []

    def post(message: Message) -> None:
        posted.append(message)
        if news(message) is False:
            stopped.append(True)

    with open_workspace(root) as workspace:
        RunReader(lambda: NOW_MS, post, lambda: bool(stopped), Hurry(), helpers).read_workspace(workspace)
    return posted


def test_processes_tell_the_same(root: Path) -> None:
    """Whoever reads, the same is told of every run, and in the end the processes are gone."""
    helper = Helper()
    helpers = Helpers(helper)
    apart = read(root, helpers)
    assert not is_there(helper.pid)
    assert isinstance(apart[-1], ReadingEnded)
    alone = told(read(root, None))
    assert len(alone) > 2 * MANY
    assert told(apart) == alone


def test_a_process_that_dies_costs_no_run(root: Path) -> None:
    """Where processes end in the middle, or none can be had, the runs that are left are read here."""
    alone = told(read(root, None))
    helpers = Helpers()
    assert told(read(root, helpers, lambda message: helpers.close())) == alone
    assert told(read(root, helpers)) == alone


def test_a_big_run_among_few_is_read_by_a_process(tmp_path: Path) -> None:
    """What somebody would wait for at each key is not read here, and the same is told of it."""
    filler = "x" * 1000
    rows = (orjson.dumps(text(f"e{number}", filler)) + b"\n" for number in range(SMALL // 800))
    new_run(tmp_path).write_bytes(b"".join(rows))
    helper = Helper()
    apart = read(tmp_path, Helpers(helper))
    assert not is_there(helper.pid)
    assert told(apart) == told(read(tmp_path, None))


def test_who_leaves_ends_the_processes(root: Path) -> None:
    """When nobody wants the runs any longer, no more are told of, and no process goes on."""
    helper = Helper()
    posted = read(root, Helpers(helper), lambda message: not isinstance(message, RunsRead))
    assert not any(isinstance(message, ReadingEnded) for message in posted)
    assert not is_there(helper.pid)


def test_a_run_that_is_opened_goes_first(root: Path, tmp_path: Path) -> None:
    """While a big run is read for somebody who waits for it, no other run is begun."""
    filler = "x" * 1000
    rows = (orjson.dumps(text(f"e{number}", filler)) + b"\n" for number in range(SMALL // 800))
    new_run(tmp_path).write_bytes(b"".join(rows))
    helpers, reading, go_on = Helpers(), threading.Event(), threading.Event()

    def progress(done: int, total: int) -> None:
        reading.set()
        assert go_on.wait(30)

    with open_workspace(root) as workspace, open_workspace(tmp_path) as other:
        opening = threading.Thread(target=lambda: helpers.read(other.runs()[0], progress)[0].close())
        opening.start()
        assert reading.wait(30)
        waiting = deque((run, session) for session in workspace.sessions for run in session.runs)
        count = len(waiting)
        with Sharing(workspace, waiting, NOW_MS, helpers) as sharing:
            assert not any(sharing.found() for _ in range(10))
            assert len(waiting) == count
            go_on.set()
            found = 0
            while sharing.at_work():
                found += len(sharing.found())
            found += len(sharing.found())
        opening.join()
    assert found + len(sharing.left) == count
