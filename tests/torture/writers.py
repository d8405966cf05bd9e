"""A process that changes a ledger without end, in every way that a file can change."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import threading
from pathlib import Path
from random import Random

from tests.support.runs import call, response, text

_WIDTH = 400


def forged_halves(count: int) -> tuple[bytes, bytes]:
    """Return two ledgers of equal length that block, each for itself and in every beginning that has rows.

    The first half of the one and the second half of the other would be a ledger whose calls are all answered.
    """
    calls = [call(f"c{n}", f"t{n}") for n in range(count)]
    answers = [response(f"r{n}", f"t{n}") for n in range(count)]
    orphan = response("o", "nobody")
    more = [call(f"d{n}", f"u{n}") for n in range(count)]
    early = [orphan, *(text(f"x{n}") for n in range(count - 1))]
    return _rows([*calls, *more]), _rows([*early, *answers])


def _rows(events: list[dict[str, object]]) -> bytes:
    rows = [json.dumps(event, separators=(",", ":")).encode() for event in events]
    return b"".join(row + b" " * (_WIDTH - 1 - len(row)) + b"\n" for row in rows)


def change_for_ever(path: Path, ledgers: tuple[bytes, bytes], rng: Random, stop: threading.Event) -> None:
    """Change the file in one way after the other until it is time to stop. No state of the file is replayable."""
    while not stop.is_set():
        with contextlib.suppress(OSError):
            _change(path, ledgers, rng)
        stop.wait(rng.choice((0, 0.001, 0.005)))


def _change(path: Path, ledgers: tuple[bytes, bytes], rng: Random) -> None:
    kind, ledger = rng.randrange(7), rng.choice(ledgers)
    if path.is_dir():
        shutil.rmtree(path)
    if kind == 0:
        with path.open("r+b") as file:
            file.write(ledger)
    elif kind == 1:
        path.write_bytes(ledger)
    elif kind == 2:
        other = path.with_suffix(".new")
        other.write_bytes(ledger)
        other.replace(path)
    elif kind == 3:
        os.truncate(path, rng.randrange(len(ledger)))
    elif kind == 4:
        with path.open("ab") as file:
            file.write(rng.choice((b"{", ledger[:_WIDTH], b"\n")))
    elif kind == 5:
        path.unlink()
    else:
        path.unlink()
        path.mkdir()
