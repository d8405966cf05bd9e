"""A run that is followed while real processes write it badly, are killed and come back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.collecting import without_collector
from tests.support.unruly import follow


@pytest.mark.parametrize("database", [False, True], ids=["files", "database"])
def test_what_is_followed_is_right_whenever_the_writer_is_gone(tmp_path: Path, *, database: bool) -> None:
    """After each of the writer's deaths the ledger, the strip and the decision are those of a fresh reading.

    No descriptor is left behind, whatever happened to the files; nor is one left to the collector.
    """
    with without_collector():
        found = follow(tmp_path / "root", 7, lambda lives: lives < 2, database=database)

    assert not found.wrong
    assert found.lives == 2
    assert max(found.descriptors) == min(found.descriptors)
    assert found.looks["read on"]
