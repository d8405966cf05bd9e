"""What finding, asking and reading on look like, on both usual screens, and a few of them in other colours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from textual.pilot import Pilot

from core import open_workspace
from tests.support.harbor import NOW_MS, harbor_workspace
from tests.support.run_samples import NOW, PLACE, SAMPLES, TITLE
from tests.support.stillness import rest, still
from viewer.app import ViewerApp
from viewer.screens.run import RunScreen
from viewer.screens.workspace import WorkspaceScreen
from viewer.themes import LIGHT, TERMINAL

SIZES = {"80x24": (80, 24), "120x36": (120, 36)}
COLOURS: dict[str, dict[str, Any]] = {
    "light": {"theme": LIGHT},
    "sixteen": {"theme": TERMINAL},
    "no-colour": {"no_color": True},
    "ascii": {"ascii_only": True},
}

Step: TypeAlias = str | tuple[str, ...]
"""A key, or keys that are typed in one go."""

RUN_STATES: dict[str, tuple[Step, ...]] = {
    "searching": ("slash", tuple("config")),
    "found": ("slash", tuple("config"), "enter", "n"),
    "not-found": ("slash", tuple("nowhere"), "enter"),
    "filtering": ("f", tuple("kind:call")),
    "filter-refused": ("f", tuple("kind:nothing")),
    "filtered": ("f", tuple("!kind:permission"), "enter", "slash", tuple("npm"), "enter"),
    "nothing-kept": ("f", tuple("kind:error"), "enter"),
    "go-to": ("ctrl+g", tuple("zzz"), "enter"),
    "expect": ("x", tuple("20")),
    "expected": ("x", tuple("20"), "enter"),
    "replay": ("3",),
    "run": ("4",),
    "raw": ("5",),
    "zoomed": ("tab", "tab", "z"),
    "since-the-start": ("t", "t"),
    "ago": ("t", "t", "t"),
    "copy": ("y",),
    "look-up": ("question_mark", "slash", tuple("pending")),
}
"""What is pressed on the run that may have run."""

WORKSPACE_STATES: dict[str, tuple[Step, ...]] = {
    "newest": ("s",),
    "sessions": ("s", "s"),
    "sessions-filtered": ("s", "s", "f", tuple("run:22c0"), "enter"),
    "found": ("slash", tuple("npm"), "enter", "n"),
    "filtered": ("f", tuple("!verdict:replayable"), "enter"),
    "nothing-kept": ("f", tuple("text:nowhere"), "enter"),
    "ages": ("t", "t"),
}


def pressing(*steps: Step) -> Callable[[Pilot[Any]], Awaitable[None]]:
    """Take steps, and wait after each for what it asked for."""

    async def before(pilot: Pilot[Any]) -> None:
        await still(pilot)
        for step in steps:
            await pilot.press(*((step,) if isinstance(step, str) else step))
            await rest(pilot)
        await still(pilot)

    return before


def run_app(root: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> ViewerApp:
    """Make the app on the run that may have run, in a folder that has the same name on every machine."""
    SAMPLES["may_have_run"](root / "default")
    monkeypatch.chdir(root)
    workspace = open_workspace("default")
    return ViewerApp(
        lambda: RunScreen(workspace.runs()[0], title=TITLE, place=PLACE, workspace=None),
        now_ms=lambda: NOW,
        **options,
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("state", RUN_STATES)
def test_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: Any, state: str, size: str) -> None:
    """Each state says what holds, and how to get out of it."""
    app = run_app(tmp_path, monkeypatch)

    assert snap_compare(app, terminal_size=SIZES[size], run_before=pressing(*RUN_STATES[state]))


@pytest.mark.parametrize("colours", COLOURS)
@pytest.mark.parametrize("state", ["filtered", "expected", "replay"])
def test_run_in_other_colours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: Any, state: str, colours: str
) -> None:
    """Light, in the terminal's own colours, in none and in ASCII the same is said."""
    app = run_app(tmp_path, monkeypatch, **COLOURS[colours])

    assert snap_compare(app, terminal_size=SIZES["80x24"], run_before=pressing(*RUN_STATES[state]))


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with the harbor workspace in `default`, which tests must not change."""
    folder = tmp_path_factory.mktemp("harbor")
    harbor_workspace(folder / "default")
    return folder


def workspace_app(harbor: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> ViewerApp:
    """Make the app on the harbor workspace."""
    monkeypatch.chdir(harbor)
    workspace = open_workspace("default")
    return ViewerApp(
        lambda: WorkspaceScreen(workspace, lambda run, title: RunScreen(run, title=title, place=PLACE)),
        now_ms=lambda: NOW_MS,
        **options,
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("state", WORKSPACE_STATES)
def test_workspace(harbor: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: Any, state: str, size: str) -> None:
    """Order, filter, search and times of the list."""
    app = workspace_app(harbor, monkeypatch)

    assert snap_compare(app, terminal_size=SIZES[size], run_before=pressing(*WORKSPACE_STATES[state]))


@pytest.mark.parametrize("colours", COLOURS)
def test_workspace_in_other_colours(
    harbor: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: Any, colours: str
) -> None:
    """Sessions with their runs are told apart in every set of colours and in ASCII."""
    app = workspace_app(harbor, monkeypatch, **COLOURS[colours])

    assert snap_compare(app, terminal_size=SIZES["80x24"], run_before=pressing(*WORKSPACE_STATES["sessions"]))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("keys", [(), ("w",), ("slash", tuple("run"), "enter")], ids=["wrapped", "cut", "found"])
def test_pager(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: Any, keys: tuple[Step, ...], size: str
) -> None:
    """A row has the whole screen to itself."""
    app = run_app(tmp_path, monkeypatch)

    async def before(pilot: Pilot[Any]) -> None:
        await pressing("5", "tab", "tab", "enter", *keys)(pilot)

    assert snap_compare(app, terminal_size=SIZES[size], run_before=before)
