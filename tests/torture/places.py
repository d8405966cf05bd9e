"""Workspaces to look at: every recorded one, and every sample of the tests; and what may happen to their files."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from random import Random

from tests.support.harbor import harbor_workspace
from tests.support.hostile import hostile_database, hostile_workspace
from tests.support.run_samples import SAMPLES
from tests.support.workspaces import unpack_workspaces
from tests.torture.damage_bytes import BYTES_DAMAGES
from tests.torture.databases import PACKED

Maker = Callable[[Path], object]
"""Makes a workspace at a path at which nothing lies."""


def places(stock: Path) -> dict[str, Maker]:
    """Return how to make each workspace, by its name; the recorded ones are unpacked in a folder of that name."""
    unpack_workspaces(stock / "files")
    with tarfile.open(PACKED) as packed:
        packed.extractall(stock / "databases", filter="data")
    found: dict[str, Maker] = {"harbor": harbor_workspace, "evil": hostile_workspace, "evil database": hostile_database}
    found |= {f"sample {name}": make for name, make in SAMPLES.items()}
    for root in sorted(path for kind in ("files", "databases") for path in (stock / kind).iterdir() if path.is_dir()):
        found[root.name] = partial(shutil.copytree, root, symlinks=True)
    return found


def meddle(rng: Random, root: Path) -> str:
    """Do something to one file of a workspace, as a runtime, a person or a bad disk may, and say what."""
    files = [path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink()]
    if not files:
        (root / "sessions").mkdir(parents=True, exist_ok=True)
        return "made a folder for sessions"
    path = rng.choice(files)
    act = rng.choice(ACTS)
    act(rng, path)
    return f"{act.__name__} {path.relative_to(root)}"


def write_on(rng: Random, path: Path) -> None:
    """Append the beginning of a file, a row of it, or half a row."""
    if path.name.startswith("runtime.sqlite"):
        _commit(rng, path.with_name("runtime.sqlite"))
        return
    row = (path.read_bytes().splitlines(keepends=True) or [b'{"id":"x"}\n'])[-1]
    row = row.replace(b'"id":"', b'"id":"%d-' % rng.randrange(1000), 1)
    with path.open("ab") as file:
        file.write(row * rng.choice((1, 1, 50)) if rng.random() < 0.7 else row[: rng.randrange(len(row))])


def _commit(rng: Random, path: Path) -> None:
    """Write through a connection of our own, as the runtime would."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(path, timeout=0.2)) as connection:
        connection.execute(
            rng.choice(
                (
                    "DELETE FROM runtime_events WHERE rowid = (SELECT max(rowid) FROM runtime_events)",
                    "UPDATE runtime_events SET event_json = '{\"half' WHERE rowid % 5 = 0",
                    "UPDATE runtime_events SET event_json = replace(event_json, 'text', 'next')",
                    "DELETE FROM core_agent_runs WHERE rowid % 2",
                )
            )
        )
        connection.commit()


def cut(rng: Random, path: Path) -> None:
    """Cut a file anywhere."""
    os.truncate(path, rng.randint(0, path.stat().st_size))


def damage(rng: Random, path: Path) -> None:
    """Damage the bytes of a file in its place."""
    payload = path.read_bytes()
    path.write_bytes(rng.choice(BYTES_DAMAGES)(rng, payload, payload[::-1])[: 1 << 20])


def replace(rng: Random, path: Path) -> None:
    """Put another file in the place of one, as an editor does."""
    other = path.with_name(f"{path.name}.new")
    other.write_bytes(path.read_bytes()[rng.randrange(100) :])
    other.replace(path)


def remove(rng: Random, path: Path) -> None:
    """Remove a file, or the folder that it lies in."""
    if rng.random() < 0.7:
        path.unlink()
    elif "runs" in path.parts:
        shutil.rmtree(path.parent)


def obstruct(rng: Random, path: Path) -> None:
    """Put a folder, a pipe or a link to itself where a file was."""
    path.unlink()
    rng.choice((path.mkdir, partial(os.mkfifo, path), partial(path.symlink_to, path.name)))()


def appear(rng: Random, path: Path) -> None:
    """Let the files of a folder appear once more under another name: a new run, or a new session."""
    if "sessions" in path.parts:
        folder = path.parent
        other = folder.with_name(f"{folder.name}-{rng.randrange(100)}")
        other.mkdir(exist_ok=True)
        for file in filter(Path.is_file, folder.iterdir()):
            shutil.copy2(file, other)


def touch(rng: Random, path: Path) -> None:
    """Give a file another time."""
    seconds = rng.choice((0, path.stat().st_mtime + 60, 4e9))
    os.utime(path, (seconds, seconds))


ACTS = (write_on, write_on, write_on, cut, damage, replace, remove, obstruct, appear, touch)
