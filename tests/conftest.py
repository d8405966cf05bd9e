"""Fixtures for every test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.workspaces import unpack_workspaces


@pytest.fixture(scope="session")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack every recorded workspace once and give the folder; tests must not change it."""
    return unpack_workspaces(tmp_path_factory.mktemp("workspaces"))
