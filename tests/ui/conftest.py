"""One still picture: nothing of the machine that runs the tests may show on a screen."""

from __future__ import annotations

import os

# Textual reads these when it is imported, so they are set before.
os.environ.pop("TEXTUAL_THEME", None)
os.environ.pop("NO_COLOR", None)
os.environ.pop("TEXTUAL_FILTERS", None)
os.environ.update(
    TEXTUAL_ANIMATIONS="none", TEXTUAL_COLOR_SYSTEM="truecolor", COLORTERM="truecolor", TERM="xterm-256color"
)

from importlib.metadata import version
from pathlib import Path

import pytest
from textual.widgets import Input

from tests.support.harbor import harbor_workspace
from tests.support.run_samples import SAMPLES
from viewer.app import ViewerApp

RECORDED_WITH = {"textual": "8.2.8", "rich": "15.0.0"}
"""Versions that the snapshots were drawn with: others draw other pictures of the same screen."""


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to record snapshots with other versions than those they are compared with."""
    if not config.getoption("--snapshot-update", default=False):
        return
    for name, wanted in RECORDED_WITH.items():
        if version(name) != wanted:
            raise pytest.UsageError(f"snapshots are recorded with {name} {wanted}; here is {version(name)}")


@pytest.fixture(autouse=True)
def _no_state(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let copies and memories go to a folder of the test, never to the person's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no cursor blink."""
    monkeypatch.setattr(Input, "_toggle_cursor", lambda _self: None)


@pytest.fixture(autouse=True)
def _lasting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let toasts stay: how long a test takes must not decide what it finds."""
    monkeypatch.setattr(ViewerApp, "NOTIFICATION_TIMEOUT", 600)


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """Give the sample that may have run."""
    SAMPLES["may_have_run"](tmp_path / "default")
    return tmp_path / "default"


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the harbor workspace, which tests must not change."""
    root = tmp_path_factory.mktemp("harbor") / "default"
    harbor_workspace(root)
    return root
