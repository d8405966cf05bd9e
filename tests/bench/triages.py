"""A workspace of many runs: a line about each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from core import open_workspace, triage_together
from tests.bench.targets import Bench, Family, Samples, Target
from tests.bench.timing import bare_loop, by_turns

TRIAGE = Target("triage", "a line about every run, two processes", 0.9, 0.7, "orjson.loads over all lines, one process")


def measure(bench: Bench, keys: frozenset[str]) -> Mapping[str, Samples]:
    """Measure the one target."""
    root = bench.data.runs()
    ledgers = sorted(root.glob("sessions/*/runs/*/runtime-events.jsonl"))
    return {TRIAGE.key: by_turns(bench.rounds, lambda: _triage(root, len(ledgers)), lambda: bare_loop(*ledgers))}


def _triage(root: Path, runs: int) -> None:
    with open_workspace(root) as workspace:
        assert sum(1 for _ in triage_together(workspace)) == runs


FAMILY = Family("triages", (TRIAGE,), measure)
