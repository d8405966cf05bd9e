"""Databases: damaged ones by the thousand, each held to what must hold for every run of it."""

from __future__ import annotations

import shutil
import sqlite3
import tarfile
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from core import CoreError, Run, Workspace, inspect, open_workspace, summarize_run
from core.sqlite.sessions import CONTROL_SESSION
from core.storage.findings import COMMITS_LOST
from tests.torture.database_damage import DAMAGES, Files, whole_files
from tests.torture.tally import OutOfTime, Tally, within
from viewer.words import lost

PACKED = Path(__file__).parent.parent / "data" / "sqlite-workspaces.tar.xz"
MAIN = "runtime.sqlite"
ENDS = ("", "-wal", "-shm", "-journal")

_SECONDS = 5.0
_LOSSES = COMMITS_LOST | {"main_zero_length", "shm_missing", "shm_damaged", "main_header_damaged"}
"""Remarks after which a run may be an earlier whole state of itself: its log, or the index that counts it, is hurt."""

_GONE = "runs are gone, and nothing says that more may be there than are seen"

RunKey = tuple[str, str]


@dataclass(frozen=True)
class Handed:
    """One recorded workspace, and what it holds when nothing is damaged."""

    name: str
    files: Files
    truth: dict[RunKey, tuple[bytes, ...]]
    """The payloads of every run, in order."""


def run(cases: int, seed: int) -> Tally:
    """Damage recorded databases so many times and hold every answer to the laws."""
    outcome = Tally()
    verdicts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="torture-", dir=_fast_folder()) as folder:
        scratch = Path(folder, "scratch")
        scratch.mkdir()
        before, tempfile.tempdir = tempfile.tempdir, str(scratch)
        try:
            for number in range(cases):
                case = f"sqlite seed {seed} case {number}"
                _one(Random(f"{seed}/{number}"), Path(folder, "root"), outcome, case, verdicts)
        finally:
            tempfile.tempdir = before
        left = sorted(path.name for path in scratch.iterdir())
        if left:
            outcome.fail("all", f"private copies are left behind: {left[:3]}")
    outcome.cases = cases
    outcome.notes.append(", ".join(f"{what} {count:,}" for what, count in sorted(verdicts.items())))
    return outcome


def _one(rng: Random, root: Path, outcome: Tally, case: str, verdicts: Counter[str]) -> None:
    handed, other = rng.choice(handed_databases()), rng.choice(handed_databases())
    files = dict(handed.files)
    damages = [rng.choice(DAMAGES) for _ in range(rng.choice((1, 1, 1, 2)))]
    for damage in damages:
        files = damage(rng, files, other.files)
    told = f"{case} ({handed.name}: {', '.join(damage.__name__ for damage in damages)})"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    for end, payload in files.items():
        (root / f"{MAIN}{end}").write_bytes(payload)
    before = _portrait(root)
    try:
        with within(_SECONDS):
            for law in _broken_laws(root, handed, verdicts):
                # In another database these runs have never been.
                if law is not _GONE or whole_files not in damages:
                    outcome.fail(told, law)
    except OutOfTime as late:
        outcome.fail(told, str(late))
    except CoreError as error:
        verdicts[f"refused: {error.code}"] += 1
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        outcome.fail(told, f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}: {error}")
    if _portrait(root) != before:
        outcome.fail(told, "reading changed the workspace")


def _broken_laws(root: Path, handed: Handed, verdicts: Counter[str]) -> Iterator[str]:
    with open_workspace(root) as workspace:
        codes = {finding.code for finding in workspace.findings}
        verdicts["runs lost" if not workspace.runs() and handed.truth else "opened"] += 1
        left = {(one.session_id, one.run_id) for one in workspace.runs()}
        gone = any(key not in left and key[0] != CONTROL_SESSION for key in handed.truth)
        if gone and not lost(workspace.findings) and not codes & _LOSSES:
            yield _GONE
        for one in workspace.runs():
            yield from _run_laws(workspace, one, handed, codes, verdicts)


def _run_laws(workspace: Workspace, one: Run, handed: Handed, codes: set[str], verdicts: Counter[str]) -> Iterator[str]:
    ledger = one.ledger()
    inspection = inspect(ledger, now_ms=None)
    verdicts[str(inspection.verdict)] += 1
    summary = summarize_run(one)
    if summary.blocked != inspection.plan.blocked:
        yield "the list of runs and the run itself decide differently"
    inspection.witnesses, one.lineage, one.partials, one.interactions  # noqa: B018  # asked as a screen asks
    truth = handed.truth.get((one.session_id, one.run_id))
    if inspection.plan.blocked or truth is None:
        return
    if not ledger.readable or ledger.header is None:
        yield "safe_replay where a row or the header cannot be read"
    rows = [ledger.raw(index) for index in range(len(ledger.rows))]
    changed = sum(one_row != known for one_row, known in zip(rows, truth, strict=False))
    if len(rows) > len(truth):
        yield f"{len(rows)} rows where there were {len(truth)}"
    if changed > 1:
        yield f"safe_replay with {changed} other rows than before"
    if len(rows) < len(truth) and not codes & _LOSSES:
        yield f"safe_replay with {len(rows)} of {len(truth)} rows and no word of it: {sorted(codes)}"


@cache
def handed_databases() -> tuple[Handed, ...]:
    """Return every recorded workspace that keeps its headers in the database."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(PACKED) as packed:
            packed.extractall(folder, filter="data")
        for root in sorted(path for path in Path(folder).iterdir() if path.is_dir()):
            files = {end: (root / f"{MAIN}{end}").read_bytes() for end in ENDS if (root / f"{MAIN}{end}").exists()}
            if not (root / "sessions").exists():
                found.append(Handed(root.name, files, _truth(root / MAIN)))
    return tuple(found)


def _truth(main: Path) -> dict[RunKey, tuple[bytes, ...]]:
    """Ask SQLite itself for the rows of every run."""
    runs: dict[RunKey, list[bytes]] = {}
    query = "SELECT session_id, run_id, CAST(payload_json AS BLOB) FROM runtime_events ORDER BY event_seq"
    try:
        with closing(sqlite3.connect(main)) as connection:
            for session_id, run_id, payload in connection.execute(query):
                runs.setdefault((session_id, run_id), []).append(payload)
    except sqlite3.Error:
        return {}
    return {key: tuple(payloads) for key, payloads in runs.items()}


def _portrait(root: Path) -> list[tuple[str, int, bytes]]:
    return sorted((path.name, path.stat().st_mtime_ns, path.read_bytes()) for path in root.iterdir())


def _fast_folder() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None
