"""Workspaces and folders that more than one file of these tests asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.harbor import calm_run, harbor_workspace
from tests.support.runs import call, text
from tests.support.workspaces import make_run


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a workspace with every verdict, which tests must not change."""
    return harbor_workspace(tmp_path_factory.mktemp("harbor") / "default")


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a workspace with one run that ended well."""
    root = tmp_path_factory.mktemp("calm")
    calm_run(root, "s1", "a", "2026-11-29 12:00:00", 6)
    return root


@pytest.fixture(scope="module")
def doubtful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a workspace with one run whose last call has no response."""
    root = tmp_path_factory.mktemp("doubtful")
    make_run(root, [text("e1"), call("e2", args={"command": "ls"})])
    return root


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """Give a workspace without runs."""
    (tmp_path / "empty" / "sessions").mkdir(parents=True)
    return tmp_path / "empty"


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """Make a folder for private copies that nobody else uses."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder
