"""Databases that are written as fast as a process can: every opening is right, or says that it cannot be."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

from tests.support.writers import BUSY, Writer, look
from tests.torture.tally import OutOfTime, Tally, within

_SECONDS = 20.0
_IN_PLACE, _COPY = -1, 1 << 30


def run(cases: int, seed: int) -> Tally:
    """Open so many times, a quarter each with a log and with a rollback journal, from a copy and in place."""
    outcome = Tally(cases)
    told: Counter[str] = Counter()
    for mode in ("wal", "delete"):
        for limit in (_COPY, _IN_PLACE):
            way = f"{mode} {'copy' if limit == _COPY else 'in place'}"
            with tempfile.TemporaryDirectory(prefix="torture-") as folder:
                main = Path(folder, "root", "runtime.sqlite")
                with Writer(BUSY, main, mode):
                    for number in range(cases // 4):
                        _one(main.parent, limit, f"{way} {number}", outcome, told)
                names = {path.name for path in main.parent.iterdir()}
                if not names <= {main.name, f"{main.name}-wal", f"{main.name}-shm", f"{main.name}-journal"}:
                    outcome.fail(way, f"files were left: {sorted(names)}")
    outcome.notes.append(", ".join(f"{what} {count:,}" for what, count in sorted(told.items())))
    return outcome


def _one(root: Path, limit: int, case: str, outcome: Tally, told: Counter[str]) -> None:
    way = case.rpartition(" ")[0]
    try:
        with within(_SECONDS):
            found = look(root, limit)
    except OutOfTime as late:
        outcome.fail(case, str(late))
        return
    except Exception as error:
        outcome.fail(case, f"{type(error).__name__}: {error}")
        return
    told[f"{way}: {'still changing' if 'still_changing' in found['codes'] else 'right'}"] += not found["wrong"]
    for wrong in found["wrong"]:
        outcome.fail(case, f"{wrong}: {found}")
