"""Reading runs in batches, until nobody wants them."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.message import Message

from core import Workspace, open_workspace
from tests.support.harbor import NOW_MS, harbor_workspace
from tests.support.slow import gated_workspace
from viewer.loading import BEAT_SECONDS, Beat, RunReader, Stopped, watch
from viewer.messages import ReadingEnded, ReadingProgress, RunsRead


class Clock:
    """A clock that goes on by so much at each look."""

    def __init__(self, step: float) -> None:
        self.now = 0.0
        self.step = step

    def __call__(self) -> float:
        """Look at the clock."""
        self.now += self.step
        return self.now


def read(workspace: Workspace, step: float, stop_after: int | None = None) -> list[Message]:
    """Read a workspace, one look at the clock taking `step` seconds; stop after so many messages."""
    posted: list[Message] = []
    reader = RunReader(
        lambda: NOW_MS, posted.append, lambda: stop_after is not None and len(posted) >= stop_after, Clock(step)
    )
    reader.read_workspace(workspace)
    return posted


def ids(messages: list[Message]) -> list[str]:
    """Give the runs that were told of, in order."""
    return [s.run_id for message in messages if isinstance(message, RunsRead) for s in message.summaries]


def test_every_run_is_told_of_once(tmp_path: Path) -> None:
    """However the batches fall, each run is in one of them, and then the end is told."""
    harbor_workspace(tmp_path, 5)
    for step in (0.0, BEAT_SECONDS / 7, BEAT_SECONDS * 2):
        with open_workspace(tmp_path) as workspace:
            posted = read(workspace, step)
            assert sorted(ids(posted)) == sorted(run.run_id for run in workspace.runs())
            assert isinstance(posted[-1], ReadingEnded)


def test_the_last_written_run_is_read_first(tmp_path: Path) -> None:
    """A crash is most likely where somebody wrote last."""
    harbor_workspace(tmp_path, 5)
    with open_workspace(tmp_path) as workspace:
        assert ids(read(workspace, 0.0))[:3] == ["run-7f40", "run-7f3e", "run-22c0"]


def test_batches_follow_the_clock(tmp_path: Path) -> None:
    """A quick reading is told of in one batch, a slow one run by run."""
    harbor_workspace(tmp_path, 5)
    with open_workspace(tmp_path) as workspace:
        runs = len(workspace.runs())
        assert len([m for m in read(workspace, 0.0) if isinstance(m, RunsRead)]) == 1
        assert len([m for m in read(workspace, BEAT_SECONDS) if isinstance(m, RunsRead)]) == runs


def test_a_stopped_reading_says_no_more(tmp_path: Path) -> None:
    """Once nobody wants it, nothing is told, the end neither."""
    harbor_workspace(tmp_path, 5)
    with open_workspace(tmp_path) as workspace:
        for count in range(4):
            assert len(read(workspace, BEAT_SECONDS, count)) == count


def test_single_runs_can_be_read_again(tmp_path: Path) -> None:
    """Only the runs that are named are read."""
    harbor_workspace(tmp_path, 5)
    posted: list[Message] = []
    with open_workspace(tmp_path) as workspace:
        reader = RunReader(lambda: NOW_MS, posted.append, lambda: False)
        reader.read_again(workspace, {("sess-port", "run-7f40")})
    assert ids(posted) == ["run-7f40"]


def test_a_fault_of_ours_is_one_summary(tmp_path: Path) -> None:
    """What fails inside becomes an unreadable run that says why; the others are read."""
    harbor_workspace(tmp_path, 5)
    workspace = gated_workspace(tmp_path, {}, {"run-7f3e": ValueError("boom")})
    summaries = {s.run_id: s for m in read(workspace, 0.0) if isinstance(m, RunsRead) for s in m.summaries}

    assert summaries["run-7f3e"].unreadable
    assert summaries["run-7f3e"].note == "ValueError: boom"
    assert len(summaries) == len(workspace.runs())


def test_watching_raises_and_reports() -> None:
    """A watched reading ends by an exception of its own, and reports on the beat only."""
    stop = False
    told: list[tuple[int, int]] = []
    progress = watch(lambda: stop, lambda done, total: told.append((done, total)), Beat(Clock(BEAT_SECONDS / 2)))
    for done in range(6):
        progress(done, 6)
    assert told == [(0, 6), (2, 6), (4, 6)]

    stop = True
    with pytest.raises(Stopped):
        progress(6, 6)


def test_progress_takes_the_place_of_progress_only() -> None:
    """Older progress that nobody has seen is dropped; runs never are."""
    progress = ReadingProgress("r", 0.5)
    assert progress.can_replace(ReadingProgress("r", 0.1))
    assert not progress.can_replace(RunsRead([]))
    assert not RunsRead([]).can_replace(progress)
