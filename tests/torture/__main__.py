"""`python -m tests.torture SUBJECT`: what the tests try in part, at full size, with the figures.

Exit code 1 if any law did not hold. Every failure names the case; the same seed gives the same cases.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from typing import Final

SUBJECTS: Final = {
    "readers": ("readers", 200_000),
    "functions": ("functions", 1_000_000),
    "limits": ("limits", 1_000),
    "files": ("files", 2_000),
    "escape": ("escape", 400),
    "sqlite": ("databases", 5_000),
    "busy": ("busy", 400),
    "follow": ("following", 120),
    "screens": ("screens", 10_000),
    "terminals": ("terminals", 240),
}
"""Module and number of cases at full size; each module has `run(cases, seed) -> Outcome`."""


def main() -> int:
    """Run the subjects that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("subject", nargs="*", choices=[[], *SUBJECTS], help="all of them if none is named")
    parser.add_argument("--cases", type=int, help="instead of the full number")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    broken = False
    for name in options.subject or SUBJECTS:
        module, cases = SUBJECTS[name]
        started = time.monotonic()
        outcome = importlib.import_module(f"tests.torture.{module}").run(options.cases or cases, options.seed)
        spent = time.monotonic() - started
        figures = f"{name}: {outcome.cases:,} cases, {len(outcome.failures):,} failures, {spent:.0f} s"
        sys.stdout.write("\n    ".join(filter(None, (figures, *outcome.notes, outcome.told()))) + "\n")
        broken = broken or bool(outcome.failures)
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
