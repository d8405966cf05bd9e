"""Readers: damaged runs by the thousand, each held to every law."""

from __future__ import annotations

import shutil
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.torture.corpus import RunFiles, handed_headers, handed_rows, handed_runs
from tests.torture.damage_bytes import BYTES_DAMAGES, ROW_DAMAGES
from tests.torture.damage_json import damage_row, respell
from tests.torture.laws import broken_laws
from tests.torture.outcome import Hang, Outcome, deadline

_SECONDS = 20.0
"""A case has this long. The largest takes a fraction of a second on an idle machine."""


def run(cases: int, seed: int, progress: Callable[[int], None] = lambda done: None) -> Outcome:
    """Damage that many runs and hold each to the laws."""
    outcome = Outcome("readers")
    work = Path(tempfile.mkdtemp(prefix="torture-readers-", dir=_fast_folder()))
    try:
        for number in range(cases):
            told = run_case(work / "w", seed, number)
            outcome.cases += 1
            for law in told:
                outcome.fail(f"readers {seed}:{number}", law)
            if number % 100 == 99:
                progress(number + 1)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return outcome


def run_case(root: Path, seed: int, number: int) -> list[str]:
    """Damage one run and return the laws that it breaks."""
    rng = Random(f"{seed}:{number}")
    files = damaged_run(rng)
    for folder in (root, root.with_name(root.name + "-clean")):
        shutil.rmtree(folder, ignore_errors=True)
    try:
        with deadline(_SECONDS):
            return list(broken_laws(root, files, rng, thorough=number % 4 == 0))
    except Hang as hang:
        return [f"{files.name}: {hang}"]
    except Exception:
        # Any exception at all is the finding here: a damaged run has an answer.
        return [f"{files.name}: {traceback.format_exc(limit=-6)}"]


def damaged_run(rng: Random) -> RunFiles:
    """Choose a handed run and damage one to three things of it; a few are left whole."""
    runs = handed_runs()
    # Recorded workspaces come first in the list and are few: they are chosen as often as all vectors together.
    files = rng.choice(runs[:110]) if rng.random() < 0.5 else rng.choice(runs)
    if len(files.ledger or b"") > 1 << 16 and rng.random() < 0.9:
        files = rng.choice(runs[110:])
    other = rng.choice(runs)
    for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 2, 3))):
        kind = rng.random()
        if kind < 0.75:
            files = files.changed(ledger=_damaged_ledger(rng, files, other))
        elif kind < 0.85:
            files = files.changed(header=_damaged_header(rng, files))
        else:
            files = _damaged_beside(rng, files, other)
    return files


def _damaged_ledger(rng: Random, files: RunFiles, other: RunFiles) -> bytes:
    ledger, donor = files.ledger or b"", other.ledger or b""
    if rng.random() < 0.5:
        # Rows of another run that claim to belong to this one.
        donor = donor.replace(other.run_id.encode(), files.run_id.encode())
        donor = donor.replace(other.session_id.encode(), files.session_id.encode())
    kind = rng.random()
    if kind < 0.2:
        return rng.choice(BYTES_DAMAGES)(rng, ledger, donor)
    if kind < 0.5:
        return rng.choice(ROW_DAMAGES)(rng, ledger, donor)
    rows = ledger.split(b"\n")
    place = rng.randrange(len(rows))
    pool = tuple(donor.split(b"\n")) if rng.random() < 0.5 else handed_rows()
    if kind < 0.6:
        rows.insert(place, damage_row(rng, rng.choice(handed_rows()), pool))
    else:
        rows[place] = damage_row(rng, rows[place], pool)
    return b"\n".join(rows)


def _damaged_header(rng: Random, files: RunFiles) -> bytes | None:
    header = files.header if files.header is not None and rng.random() < 0.7 else rng.choice(handed_headers())
    kind = rng.random()
    if kind < 0.1:
        return None
    if kind < 0.5:
        return rng.choice(BYTES_DAMAGES)(rng, header, rng.choice(handed_headers()))
    return damage_row(rng, header, handed_headers())


def _damaged_beside(rng: Random, files: RunFiles, other: RunFiles) -> RunFiles:
    kind = rng.randrange(4)
    if kind == 0 and files.partials:
        partials = dict(files.partials)
        name = rng.choice(list(partials))
        head, line_feed, rest = partials[name].partition(b"\n")
        damaged = damage_row(rng, head, handed_rows()) + line_feed + rest
        partials[name] = rng.choice((damaged, rng.choice(BYTES_DAMAGES)(rng, partials[name], head)))
        return files.changed(partials=partials)
    if kind == 1:
        trace = files.trace or b'{"type":"tool_started","ts":1e400,"data":{"toolCallId":"t"}}\n'
        rows = trace.split(b"\n")
        place = rng.randrange(len(rows))
        rows[place] = damage_row(rng, rows[place], handed_rows())
        return files.changed(trace=b"\n".join(rows))
    if kind == 2:
        session = files.session or b'{"name":"a session"}\n'
        return files.changed(session=rng.choice(BYTES_DAMAGES)(rng, damage_row(rng, session, ()), session))
    return files.changed(
        partials={**other.partials, "x.partial": respell(rng, {"version": 1, "event": {"partial": 1}})}
    )


def _fast_folder() -> str | None:
    """Return a folder in memory where there is one: 200,000 cases write two million files."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None
