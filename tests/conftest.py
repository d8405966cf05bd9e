"""Fixtures for every test."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from tests.support.workspaces import unpack_workspaces


def pytest_configure(config: pytest.Config) -> None:
    """Where nothing may be compiled beside the sources, compile them elsewhere: hundreds of processes load them."""
    if sys.dont_write_bytecode and not hasattr(config, "workerinput"):
        folder = tempfile.mkdtemp(prefix="compiled-")
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_xdist_auto_num_workers() -> int:
    """Say how many tests run at a time: most of them wait for a process or a screen, not for the processor."""
    return max(4, os.cpu_count() or 1)


@pytest.fixture(scope="session")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack every recorded workspace once and give the folder; tests must not change it."""
    return unpack_workspaces(tmp_path_factory.mktemp("workspaces"))
