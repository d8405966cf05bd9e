"""Runs that are followed while unruly processes write them, are killed and come back: never a wrong ledger at rest."""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Final

from tests.support.unruly import Following, follow
from tests.torture.outcome import Outcome

_WARM: Final = 5
"""Lives after which memory is measured: by then everything is loaded."""
_LIVES: Final = 4 * _WARM
"""So many lives at least, however slow the machine is: less tells nothing of memory."""


def run(cases: int, seed: int) -> Outcome:
    """Follow for so many seconds, or some lives longer: three quarters of them files, the rest a database."""
    outcome = Outcome("follow")
    for name, seconds in (("files", cases * 0.75), ("database", cases * 0.25)):
        end = time.monotonic() + seconds
        with tempfile.TemporaryDirectory(prefix="torture-") as folder:
            database = name == "database"
            found = follow(Path(folder, "root"), seed, partial(_goes_on, end), database=database)
        outcome.cases += found.lives
        for wrong in found.wrong:
            outcome.fail(f"{name}, seed {seed}", wrong)
        outcome.notes += _figures(name, found)
    return outcome


def _goes_on(end: float, lives: int) -> bool:
    return lives < _LIVES or time.monotonic() < end


def _figures(name: str, found: Following) -> list[str]:
    looks = ", ".join(f"{what} {count:,}" for what, count in sorted(found.looks.items()))
    memory = [size / (1 << 20) for size in found.resident[_WARM:]] or [0.0]
    descriptors = found.descriptors[_WARM:] or [0]
    grown = f"{memory[0]:.1f} MiB after {_WARM} lives, {memory[-1]:.1f} at the end, {max(memory):.1f} at most"
    return [
        f"{name}: {found.lives} lives, {sum(found.looks.values()):,} looks: {looks}",
        f"{name}: descriptors {min(descriptors)} to {max(descriptors)}, memory {grown}",
    ]
