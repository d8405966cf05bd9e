"""Two processes say of every run what one says, whatever becomes of the second."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core import Helper, HelperLost, SomeRuns, Workspace, open_workspace, summarize_run, triage, triage_together
from core.apart import triage as module
from core.apart.share import Summarizing
from tests.support.runs import call, header, response, text
from tests.support.workspaces import make_run
from viewer.cli import main

RUNS = 90
NOW_MS = 2e12


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Return a workspace with many runs: calm, blocked, damaged, continued, without a header."""
    for number in range(RUNS):
        ids = {"sessionId": f"s{number % 7}", "runId": f"r{number}", "turnId": "turn-1", "invocationId": f"i{number}"}
        rows = [text("a"), call("b"), response("c"), text("d")][: 1 + number % 4]
        tail = b'{"id": "torn' if number % 11 == 0 else b"nonsense\n" if number % 13 == 0 else b""
        more = {"parentRunId": "r3"} if number % 10 == 0 else {}
        folder = make_run(tmp_path, [row | ids for row in rows], tail=tail, head=header(**ids, **more))
        if number % 17 == 0:
            (folder / "run.json").unlink()
    with open_workspace(tmp_path) as opened:
        yield opened


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the second process be asked from the first run on, also where there is one processor."""
    monkeypatch.setattr(module, "_ALONE_SECONDS", 0.0)
    monkeypatch.setattr(module, "_MANY", 1)
    monkeypatch.setattr(module, "processors", lambda: 2)


def test_two_say_what_one_says(workspace: Workspace) -> None:
    """Every run is told of once, and alike."""
    alone = {(one.session_id, one.run_id): one for one in triage(workspace, NOW_MS)}
    helpers: list[Helper] = []

    def start() -> Helper:
        helpers.append(Helper())
        return helpers[0]

    together = list(triage_together(workspace, NOW_MS, start=start))

    assert len(together) == len(alone) == RUNS
    assert {(one.session_id, one.run_id): one for one in together} == alone
    assert len(helpers) == 1
    assert_gone(helpers[0].pid)


def test_a_session_alone_is_shared_too(workspace: Workspace) -> None:
    """The other process finds its runs at whatever path was opened."""
    for session in workspace.sessions[:2]:
        with open_workspace(workspace.root / "sessions" / session.session_id) as opened:
            pairs = [(run, opened.sessions[0]) for run in opened.sessions[0].runs]
            keys = tuple((run.session_id, run.run_id, None) for run, _ in pairs)

            told = Summarizing().answer(SomeRuns(str(opened.root), keys, NOW_MS))

            assert told == tuple(summarize_run(run, None, NOW_MS) for run, _ in pairs)


@pytest.mark.skipif(sys.platform == "win32", reason="a process that is gone is told from its number")
def test_a_lost_process_loses_no_run(workspace: Workspace) -> None:
    """Killed at any moment, it leaves its share to us."""
    for after in (0, 1, 5, 40):
        helpers: list[Helper] = []

        def start(helpers: list[Helper] = helpers) -> Helper:
            helpers.append(Helper())
            return helpers[0]

        seen = set()
        for place, one in enumerate(triage_together(workspace, NOW_MS, start=start)):
            seen.add((one.session_id, one.run_id))
            if place == after and helpers:
                os.kill(helpers[0].pid, signal.SIGKILL)
        assert len(seen) == RUNS


def test_no_process_can_be_had(workspace: Workspace) -> None:
    """Then all is done here."""

    def none() -> Helper:
        raise HelperLost("no process can be started")

    assert len(list(triage_together(workspace, NOW_MS, start=none))) == RUNS


@pytest.mark.skipif(sys.platform == "win32", reason="a process that is gone is told from its number")
def test_leaving_early_leaves_no_process(workspace: Workspace) -> None:
    """Whoever stops listening, or is interrupted, leaves no process behind."""
    helpers: list[Helper] = []

    def start() -> Helper:
        helpers.append(Helper())
        return helpers[0]

    with closing(triage_together(workspace, NOW_MS, start=start)) as summaries:
        next(summaries)
        next(summaries)

    assert_gone(helpers[0].pid)


def test_some_runs_in_the_order_that_was_asked_for(workspace: Workspace) -> None:
    """Runs may be chosen; what the callback of one raises comes through."""
    (session, *_) = workspace.sessions
    pairs = [(run, session) for run in session.runs][::-1]

    told = list(triage_together(workspace, NOW_MS, runs=pairs[:1]))
    assert [one.run_id for one in told] == [pairs[0][0].run_id]

    class Enough(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        list(triage_together(workspace, NOW_MS, runs=pairs, progress=lambda run: stop))


def assert_gone(pid: int) -> None:
    """Check that there is no such process of ours any longer."""
    if sys.platform != "win32":
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_document_has_the_runs_in_the_workspaces_order(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever was quicker, `check` tells of the runs in the same order every time."""
    for _ in range(2):
        assert main(["check", "--json", str(workspace.root)]) == 3
        (told,) = json.loads(capsys.readouterr().out)["workspaces"]

        assert [run["runId"] for run in told["runs"]] == [run.run_id for run in workspace.runs()]
