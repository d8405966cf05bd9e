"""Saving from the screens: reports, the screen itself, a redacted repro; new files only, never in the workspace."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from core import inspect, open_workspace
from tests.support.aio import run
from tests.support.harbor import NOW_MS, harbor_workspace
from tests.support.run_samples import NOW, PLACE, SAMPLES, TITLE
from tests.support.run_screens import settle
from tests.support.shots import screen_lines
from tests.support.stillness import rest
from tests.support.workspaces import fingerprint
from viewer.app import ViewerApp
from viewer.screens.run import RunScreen
from viewer.screens.save import SaveScreen
from viewer.screens.workspace import WorkspaceScreen

Steps = Callable[[SaveScreen, Pilot[Any]], Coroutine[Any, Any, None]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of the person's home."""
    folder = tmp_path / "home" / "work"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder.parent))
    monkeypatch.setenv("USERPROFILE", str(folder.parent))
    monkeypatch.chdir(folder)
    return folder


def saving(root: Path, steps: Steps, sample: str = "may_have_run") -> ViewerApp:
    """Open a run and its dialog, and take some steps there."""
    root.mkdir(exist_ok=True)
    SAMPLES[sample](root)
    workspace = open_workspace(root)
    app = ViewerApp(
        lambda: RunScreen(workspace.runs()[0], title=TITLE, place=PLACE, workspace=workspace), now_ms=lambda: NOW
    )

    async def body() -> None:
        async with app.run_test(size=(120, 36)) as pilot:
            await settle(pilot)
            await pilot.press("ctrl+s")
            await pilot.pause()
            await pilot.pause()
            await steps(cast("SaveScreen", app.screen), pilot)

    run(body())
    return app


async def done(pilot: Pilot[Any]) -> None:
    """Wait until nothing is written any more."""
    await pilot.pause()
    while any(not worker.is_finished for worker in pilot.app.workers):
        await pilot.pause(0.01)
    await pilot.pause()


def told(app: Any) -> str:
    """Give what was told last."""
    return str([notice.message for notice in app._notifications][-1])


@pytest.mark.parametrize(
    ("downs", "name", "begins"),
    [
        (0, "run-1-report.md", "# "),
        (1, "run-1-report.html", "<!doctype html>"),
        (2, "run-1-report.json", "{"),
        (4, "run-1.svg", "<svg"),
    ],
)
def test_each_file_is_written_where_one_is(tmp_path: Path, here: Path, downs: int, name: str, begins: str) -> None:
    """Enter writes a new file into the current folder and says where; the workspace is not touched."""
    root = tmp_path / "root"
    before: dict[str, Any] = {}

    async def steps(dialog: SaveScreen, pilot: Pilot[Any]) -> None:
        before.update(fingerprint(root))
        await pilot.press(*["down"] * downs)
        assert f"~/work/{name}" in "\n".join(screen_lines(dialog.app))
        await pilot.press("enter")
        await done(pilot)
        assert isinstance(pilot.app.screen, RunScreen)
        assert f"written to ~/work/{name}" in told(pilot.app)

    saving(root, steps)
    assert (here / name).read_text(encoding="utf-8").lower().startswith(begins)
    assert [path.name for path in here.iterdir()] == [name]
    assert fingerprint(root) == before


def test_a_name_that_begins_like_a_user_s_folder_is_a_name(tmp_path: Path, here: Path) -> None:
    """Where there is no such user, the folder is not there either, and that is said."""

    async def steps(dialog: SaveScreen, pilot: Pilot[Any]) -> None:
        dialog.field.value = "~nobody-of-that-name/report.md"
        dialog.field.focus()
        await pilot.press("enter")
        await done(pilot)
        assert pilot.app.screen is dialog
        assert "No such file or directory" in "\n".join(screen_lines(dialog.app))

    saving(tmp_path / "root", steps)
    assert list(here.iterdir()) == []


def test_a_redacted_repro_gets_the_same_decision(tmp_path: Path, here: Path) -> None:
    """The folder opens like any run and says nothing of what was said."""

    async def steps(dialog: SaveScreen, pilot: Pilot[Any]) -> None:
        await pilot.press("down", "down", "down", "enter")
        await done(pilot)

    saving(tmp_path / "root", steps)
    made = here / "run-1-repro"
    with open_workspace(made) as workspace:
        assert inspect(workspace.runs()[0].ledger()).verdict == "may_have_run"
    assert all("npm run deploy" not in path.read_text() for path in made.iterdir())
    assert json.loads((made / "manifest.json").read_text())


def test_nothing_is_ever_overwritten(tmp_path: Path, here: Path) -> None:
    """Where a file of that name lies, the next number is taken; a name that was typed is refused in one line."""
    (here / "run-1-report.md").write_text("mine")

    async def steps(dialog: SaveScreen, pilot: Pilot[Any]) -> None:
        assert "~/work/run-1-report-2.md" in "\n".join(screen_lines(dialog.app))
        await pilot.press("tab", "home", "ctrl+k", *"run-1-report.md", "enter")
        await done(pilot)
        assert pilot.app.screen is dialog
        assert "exists already" in "\n".join(screen_lines(dialog.app))
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(pilot.app.screen, RunScreen)

    saving(tmp_path / "root", steps)
    assert (here / "run-1-report.md").read_text() == "mine"
    assert len(list(here.iterdir())) == 1


def test_a_place_in_the_workspace_is_refused(tmp_path: Path, here: Path) -> None:
    """A path that leads into the workspace, by way of links too, is refused; the dialog stays."""
    root = tmp_path / "root"
    root.mkdir()
    try:
        (here / "link").symlink_to(root, target_is_directory=True)
    except OSError:
        pytest.skip("this system makes no links")

    async def steps(dialog: SaveScreen, pilot: Pilot[Any]) -> None:
        before = fingerprint(root)
        await pilot.press("tab", "home", "ctrl+k", *"link/x.md", "enter")
        await done(pilot)
        assert "inside the workspace" in "\n".join(screen_lines(dialog.app))
        assert fingerprint(root) == before

    saving(root, steps)


def test_in_the_workspace_a_private_folder_is_taken_and_said(
    tmp_path: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever stands in the workspace finds the file elsewhere, and is told why."""
    root = tmp_path / "root"
    root.mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setenv("XDG_STATE_HOME", str(here.parent / "state"))

    async def steps(dialog: SaveScreen, pilot: Pilot[Any]) -> None:
        assert "private folder" in "\n".join(screen_lines(dialog.app))
        await pilot.press("enter")
        await done(pilot)
        assert "lies in the workspace" in told(pilot.app)

    saving(root, steps)
    assert [path.name for path in (here.parent / "state").rglob("*.md")] == ["run-1-report.md"]
    assert not list(root.rglob("*.md"))


@pytest.mark.parametrize(("sample", "downs", "said"), [("replayable", 3, "replayable"), ("stale", 3, "stale")])
def test_what_cannot_be_made_is_said_in_one_line(
    tmp_path: Path, here: Path, sample: str, downs: int, said: str
) -> None:
    """Nothing to reproduce, or storage that Maka does not read: the dialog says it and stays."""

    async def steps(dialog: SaveScreen, pilot: Pilot[Any]) -> None:
        await pilot.press(*["down"] * downs, "enter")
        await done(pilot)
        assert pilot.app.screen is dialog
        assert said in str(dialog.told.render())

    root = tmp_path / "root"
    root.mkdir()
    SAMPLES[sample](root)
    workspace = open_workspace(root / "sessions" / "sess-1")
    app = ViewerApp(
        lambda: RunScreen(workspace.runs()[0], title=TITLE, place=PLACE, workspace=workspace), now_ms=lambda: NOW
    )

    async def body() -> None:
        async with app.run_test(size=(120, 36)) as pilot:
            await settle(pilot)
            await pilot.press("ctrl+s")
            await pilot.pause()
            await steps(cast("SaveScreen", app.screen), pilot)

    run(body())
    assert not list(here.iterdir())


def test_the_list_of_runs_saves_reports_on_one_or_all(tmp_path: Path, here: Path) -> None:
    """The run under the cursor, and every run in doubt, each in each format."""
    root = harbor_workspace(tmp_path / "root")
    workspace = open_workspace(root)
    app = ViewerApp(lambda: WorkspaceScreen(workspace, lambda one, title: RunScreen(one, title=title, place=PLACE)),
                    now_ms=lambda: NOW_MS)  # fmt: skip

    async def body() -> None:
        async with app.run_test(size=(120, 36)) as pilot:
            await rest(pilot)
            await pilot.pause()
            await pilot.press("ctrl+s")
            await pilot.pause()
            await pilot.press("enter")
            await done(pilot)
            await pilot.press("ctrl+s")
            await pilot.pause()
            await pilot.press(*["down"] * 4, "enter")
            await done(pilot)

    run(body())
    written = {path.name: path.read_text(encoding="utf-8") for path in here.iterdir()}
    assert sorted(written) == ["run-7f3e-report.md", "workspace-report.md"]
    assert "run-22c0" in written["workspace-report.md"]
    assert "run-22c0" not in written["run-7f3e-report.md"]
