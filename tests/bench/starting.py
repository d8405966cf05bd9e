"""How soon a command answers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial

from tests.bench.targets import Bench, Family, Samples, Target
from tests.bench.timing import ROOT, by_turns

_ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
"""As an installed program has it: its modules are compiled once, in the turn that is not counted."""

_TURNS = 4
"""Rounds of something so short, for each round of the long ones."""

CHECK = Target("check", "check --json of a small run", 2.0, 1.5, 'python -c "import orjson, msgspec"')


def measure(bench: Bench, keys: frozenset[str]) -> Mapping[str, Samples]:
    """Measure the one target."""
    folder = str(bench.data.mixed(0.0002))
    check, floor = ("-m", "viewer", "check", "--json", folder), ("-c", "import orjson, msgspec")
    return {CHECK.key: by_turns(bench.rounds * _TURNS, partial(_run, check), partial(_run, floor))}


def _run(words: Sequence[str]) -> None:
    done = subprocess.run((sys.executable, *words), cwd=ROOT, env=_ENVIRONMENT, check=False, capture_output=True)
    assert done.returncode in (0, 1), done.stderr


FAMILY = Family("starting", (CHECK,), measure)
