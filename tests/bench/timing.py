"""Clocks: things timed by turns in one process, and what a process of its own took."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson

from core import Inspection, Ledger, Run, inspect, ledger_together, open_workspace
from tests.bench.targets import Samples

ROOT = Path(__file__).parents[2]


def seconds(work: Callable[[], object]) -> float:
    """Return how long a piece of work takes. What it returns is given back before the clock stops."""
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def by_turns(rounds: int, subject: Callable[[], object], floor: Callable[[], object]) -> Samples:
    """Time a subject and its floor by turns, after one turn that is not counted."""
    samples = Samples()
    floor()
    subject()
    for _ in range(rounds):
        least = seconds(floor)
        samples.add(seconds(subject), least)
    return samples


def bare_loop(*ledgers: Path) -> None:
    """Parse every line and keep nothing: the floor of everything that reads ledgers."""
    for ledger in ledgers:
        with ledger.open("rb", buffering=1 << 20) as lines:
            for line in lines:
                orjson.loads(line)


def plan_of(folder: Path, read: Callable[[Run], Ledger] = ledger_together) -> Inspection:
    """Open a place that holds one run, read the run, and decide."""
    with open_workspace(folder) as workspace:
        (run,) = workspace.runs()
        with closing(read(run)) as ledger:
            inspection = inspect(ledger)
            assert inspection.high_water
            return inspection


def in_child(module: str, *words: str) -> Any:
    """Run a module of this package in a process of its own and return what it printed, as JSON."""
    command: Sequence[str] = (sys.executable, "-m", f"tests.bench.{module}", *words)
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return json.loads(done.stdout)
