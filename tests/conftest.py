"""Fixtures for every test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.workspaces import unpack_workspaces


def pytest_xdist_auto_num_workers() -> int:
    """Say how many tests run at a time: most of them wait for a process or a screen, not for the processor."""
    return max(4, os.cpu_count() or 1)


@pytest.fixture(scope="session")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack every recorded workspace once and give the folder; tests must not change it."""
    return unpack_workspaces(tmp_path_factory.mktemp("workspaces"))
