"""Following a workspace: runs that come, change and go, whatever storage holds them."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from core import CoreError, RunSummary, Verdict, WorkspaceFollower, WorkspaceNews, open_workspace, triage
from tests.support.collecting import without_collector
from tests.support.live_database import LiveDatabase
from tests.support.runs import call, header, response, text
from tests.support.workspaces import make_run


def _now() -> float:
    return time.time() * 1000


def _descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def _append(folder: Path, *rows: dict[str, Any]) -> None:
    with (folder / "runtime-events.jsonl").open("ab") as file:
        file.write(b"".join(json.dumps(row).encode() + b"\n" for row in rows))


def _following(root: Path) -> tuple[WorkspaceFollower, dict[str, RunSummary]]:
    workspace = open_workspace(root)
    known = {summary.run_id: summary for summary in triage(workspace, _now())}
    return WorkspaceFollower(workspace, known.values()), known


def _take(shown: dict[str, RunSummary], news: WorkspaceNews | None) -> None:
    if news is not None:
        shown.update((summary.run_id, summary) for summary in news.summaries)
        for _, run_id in news.gone:
            del shown[run_id]


def _assert_fresh(shown: dict[str, RunSummary], root: Path) -> None:
    with open_workspace(root) as workspace:
        fresh = {summary.run_id: summary.as_document() for summary in triage(workspace, _now())}
    for document in (*fresh.values(), *(found := {key: one.as_document() for key, one in shown.items()}).values()):
        document.pop("note", None)  # it tells the age of the last write
    assert found == fresh


def _run(root: Path, run_id: str, rows: list[dict[str, Any]], **head: Any) -> Path:
    return make_run(root, [{**row, "runId": run_id} for row in rows], head=header(runId=run_id, **head))


def test_only_what_changed_is_told(tmp_path: Path) -> None:
    """Nothing at first; then the run that was appended to, and only that."""
    quiet = _run(tmp_path, "run-1", [text("e1")])
    busy = _run(tmp_path, "run-2", [text("e1")])
    follower, shown = _following(tmp_path)

    assert follower.poll(_now()) is None
    _append(busy, call("e2", runId="run-2"))
    news = follower.poll(_now())
    assert news is not None
    assert [(one.run_id, one.events, one.unresolved) for one in news.summaries] == [("run-2", 2, 1)]
    assert follower.poll(_now()) is None
    _append(quiet, call("e2"))
    _append(busy, response("e3", runId="run-2"))
    _take(shown, news)
    _take(shown, follower.poll(_now()))
    _assert_fresh(shown, tmp_path)
    follower.close()


def test_what_was_written_before_the_first_look_is_told_with_it(tmp_path: Path) -> None:
    """Between the reading of a run and the first look no write is lost."""
    folder = _run(tmp_path, "run-1", [text("e1")])
    follower, _ = _following(tmp_path)
    time.sleep(0.01)
    _append(folder, call("e2"))

    news = follower.poll(_now())

    assert news is not None
    assert [summary.events for summary in news.summaries] == [2]
    follower.close()


def test_runs_and_sessions_come_and_go(tmp_path: Path) -> None:
    """A new run, a new session, a run that is removed; a run that a new one continues is told again."""
    _run(tmp_path, "run-1", [call("e1")])
    _run(tmp_path, "run-2", [text("e1")])
    follower, shown = _following(tmp_path)
    follower.poll(_now())
    source = {"sourceInvocationId": "i", "sourceRunId": "run-1", "sourceTurnId": "t", "sourceRuntimeEventHighWater": 1}
    _run(tmp_path, "run-3", [text("e1")], continuationSource=source)
    make_run(tmp_path, [text("e1", sessionId="sess-2", runId="run-4")], head=header(sessionId="sess-2", runId="run-4"))
    shutil.rmtree(tmp_path / "sessions" / "sess-1" / "runs" / "run-2")

    news = follower.poll(_now())

    assert news is not None
    assert {summary.run_id for summary in news.summaries} == {"run-1", "run-3", "run-4"}
    assert news.gone == (("sess-1", "run-2"),)
    assert [run.run_id for run in news.workspace.runs()] == ["run-1", "run-3", "run-4"]
    _take(shown, news)
    assert shown["run-1"].continued_by == ("run-3",)
    _assert_fresh(shown, tmp_path)
    follower.close()


def test_a_run_that_nobody_writes_to_any_longer_may_have_died(tmp_path: Path) -> None:
    """A minute after its last write a live run is judged anew, though nothing was written."""
    folder = _run(tmp_path, "run-1", [call("e1", ts=_now())])
    follower, shown = _following(tmp_path)
    assert shown["run-1"].verdict is Verdict.MAY_BE_RUNNING
    assert follower.poll(_now()) is None

    news = follower.poll(folder.stat().st_mtime * 1000 + 61_000)

    assert news is not None
    assert [summary.verdict for summary in news.summaries] == [Verdict.MAY_HAVE_RUN]
    follower.close()


def test_a_database_that_appears_takes_the_place_of_the_files(tmp_path: Path) -> None:
    """From then on Maka reads only the database: a person is told, and its runs are shown instead."""
    _run(tmp_path, "run-1", [text("e1")])
    follower, shown = _following(tmp_path)
    follower.poll(_now())
    database = LiveDatabase(tmp_path, closing=True)
    database.head(runId="run-9")

    news = follower.poll(_now())

    assert news is not None
    assert "Maka reads only that" in news.said
    assert news.workspace.storage == "sqlite"
    _take(shown, news)
    assert sorted(shown) == ["run-9"]
    follower.close()


def test_a_workspace_that_is_removed_is_an_error_until_it_is_back(tmp_path: Path) -> None:
    """Looking again fails with an error of ours, and goes on when the folder is there again."""
    root = tmp_path / "root"
    _run(root, "run-1", [text("e1")])
    follower, _ = _following(root)
    follower.poll(_now())
    root.rename(tmp_path / "away")

    with pytest.raises(CoreError):
        follower.poll(_now())
    (tmp_path / "away").rename(root)
    assert follower.poll(_now()) is None
    follower.close()


def test_a_workspace_in_a_database_is_followed(tmp_path: Path) -> None:
    """New runs, rows and headers of a database that a writer keeps open."""
    database = LiveDatabase(tmp_path)
    for number in range(3):
        database.head(runId=f"run-{number}", invocationId=f"inv-{number}")
    follower, shown = _following(tmp_path)
    _take(shown, follower.poll(_now()))
    database.add(call("e1", runId="run-1", invocationId="inv-1"))
    database.head(runId="run-7", invocationId="inv-7", sessionId="sess-7")
    database.head(runId="run-2", invocationId="inv-2", status="failed")

    news = follower.poll(_now())

    assert news is not None
    assert {summary.run_id for summary in news.summaries} == {"run-1", "run-2", "run-7"}
    _take(shown, news)
    _assert_fresh(shown, tmp_path)
    follower.close()
    database.close()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="only Linux lists open files")
def test_descriptors_are_few_however_many_runs_change(tmp_path: Path) -> None:
    """Of the runs that change most, some are kept open; of all others nothing is."""
    folders = [_run(tmp_path, f"run-{number}", [text("e1")]) for number in range(30)]
    follower, _ = _following(tmp_path)
    with without_collector():
        follower.poll(_now())
        before = _descriptors()
        for round_ in range(3):
            for number, folder in enumerate(folders):
                _append(folder, text(f"more-{round_}", runId=f"run-{number}"))
            news = follower.poll(_now())
            assert news is not None
            assert len(news.summaries) == 30
        assert _descriptors() - before <= 8
        follower.close()
        assert _descriptors() <= before
