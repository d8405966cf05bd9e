"""Following a workspace: runs come, change and go, while the cursor stays on its run."""

from __future__ import annotations

from abc import abstractmethod

from core import WorkspaceFollower, WorkspaceNews

from ..sorted_runs import key_of
from .following import FollowingScreen, Look
from .runs_finding import RunsFinding


class RunsFollowing(FollowingScreen, RunsFinding):
    """Takes in what was written since."""

    _follower: WorkspaceFollower | None = None

    @abstractmethod
    def show_progress(self) -> None:
        """Say how many runs there are and how they stand."""

    def look(self) -> Look:
        """Read on from what is shown."""
        follower = self._follower = self._follower or WorkspaceFollower(self.workspace, tuple(self.runs))
        return lambda progress: follower.poll(self.app.now_ms(), progress)

    def end_following(self) -> None:
        """Close what is followed."""
        if self._follower is not None:
            self._follower.close()

    def show_following(self) -> None:
        """Say in the header whether the workspace is followed."""
        self.show_progress()

    def take_news(self, news: object) -> None:
        """Show the workspace as it is now."""
        if not isinstance(news, WorkspaceNews):
            return
        self.workspace = self.read_workspace = news.workspace
        self.all_runs = {(run.session_id, run.run_id): run for run in news.workspace.runs()}
        for key in news.gone:
            self.runs.drop(key)
        self.set_class(not self.all_runs, "-no-runs")
        self.settled = self.settled or self.rows_cursor > 0
        self.take([summary for summary in news.summaries if key_of(summary) in self.all_runs])
        if self.rows.cursor >= 0 and self.focused is None:
            self.rows.focus()
        self.show_progress()
        self.refresh_bindings()
        if news.said:
            self.say(news.said, wrong=True)
