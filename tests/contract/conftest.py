"""Fixtures of the tests against recorded answers."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

PACKED = Path(__file__).parent.parent / "data" / "sqlite-workspaces.tar.xz"


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack every recorded database once and give the folder; tests must not change it."""
    target = tmp_path_factory.mktemp("sqlite-workspaces")
    with tarfile.open(PACKED) as packed:
        packed.extractall(target, filter="data")
    return target
