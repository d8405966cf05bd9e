"""Some of what `python -m tests.torture` tries in full: damage, faults of the system, traps, a monkey at the keys."""

from __future__ import annotations

import importlib
import os

import pytest

PARTS = {"readers": 800, "functions": 6_000, "files": 100, "escape": 10, "screens": 160, "terminals": 8}
"""Subject and number of cases; together they take less than two minutes."""


@pytest.mark.parametrize("subject", list(PARTS))
@pytest.mark.skipif(os.name == "nt", reason="pipes, sockets and rights on files are made as POSIX has them")
def test_no_law_is_broken(subject: str) -> None:
    """No exception but ours, no hang, no replay of what is damaged, nothing read or written outside."""
    outcome = importlib.import_module(f"tests.torture.{subject}").run(PARTS[subject], seed=7)

    assert not outcome.failures, outcome.told()
    assert outcome.cases
