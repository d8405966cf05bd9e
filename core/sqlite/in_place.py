"""Reading a SQLite database where it lies, in the two ways that leave its folder as it is.

SQLite's locks belong to the process, not to a connection: closing any descriptor of a file drops them all. While a
database is open in place, nothing else in this process may open and close its files; `is_held` tells.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import threading
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from .files import DatabaseFiles, beside
from .private import PrivateFolder

WITH_LOG: Final = "mode=ro&readonly_shm=1"
"""Reads the log, takes part in locking, writes nothing. SQLite's manual does not promise it: tested before use."""

WITHOUT_LOG: Final = "mode=ro&immutable=1"
"""Sees the main file alone and takes no lock: right only where there is no log, no journal and no writer."""

OPENING: Final = threading.RLock()
"""Held while a database is looked at and opened, so that no other thread opens the same one in place meanwhile."""

# Process-wide because the locks are: see above.
_held: Final[Counter[tuple[int, int]]] = Counter()


def database_uri(main: Path, options: str) -> str:
    """Return the URI by which SQLite opens a file with options."""
    text = quote(os.fsencode(main) if sys.platform != "win32" else main.as_posix(), safe="/:")
    return f"file://{'' if text.startswith('/') else '/'}{text}?{options}"


def in_place_options(files: DatabaseFiles, owner_alive: bool) -> str | None:
    """Return how the database may be opened where it lies, or None where no way is safe."""
    if files.main_stamp is None or not files.main_stamp.size or files.journal_stamp is not None:
        return None
    if files.wal_size:
        return WITH_LOG if files.shm_stamp is not None else None
    return None if owner_alive else WITHOUT_LOG


def hold(identity: tuple[int, int]) -> None:
    """Note that the main file of that device and inode is open in place."""
    with OPENING:
        _held[identity] += 1


def release(identity: tuple[int, int]) -> None:
    """Note that it is open in place once less."""
    with OPENING:
        _held[identity] -= 1
        if _held[identity] <= 0:
            del _held[identity]


def is_held(identity: tuple[int, int]) -> bool:
    """Tell whether the main file of that device and inode is open in place in this process."""
    return identity in _held


def log_is_left_alone(parent: Path) -> bool:
    """Try `WITH_LOG` on a database of our own, left as after a crash, in a private folder under `parent`.

    True only if it sees what stands in the log and changes neither a byte nor an mtime nor the list of files.
    """
    try:
        with PrivateFolder(parent) as folder:
            main = _leave_behind(folder.path)
            before = _portrait(main.parent)
            uri = database_uri(main, WITH_LOG)
            with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
                seen = connection.execute("SELECT count(*) FROM trial").fetchone()
            return bool(seen == (1,) and _portrait(main.parent) == before)
    except (sqlite3.Error, OSError):
        return False


def _leave_behind(folder: Path) -> Path:
    """Make a database whose log holds a row and whose writer is gone without closing it."""
    live, left = folder / "live" / "trial.sqlite", folder / "left" / "trial.sqlite"
    live.parent.mkdir()
    left.parent.mkdir()
    with closing(sqlite3.connect(live, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE trial(row)")
        connection.execute("INSERT INTO trial VALUES (1)")
        shutil.copy2(live, left)
        shutil.copy2(beside(live, "-wal"), beside(left, "-wal"))
        beside(left, "-shm").write_bytes(bytes(32768))
        # Where the system refuses to read a locked index a blank one takes its place: as after a reboot.
        with suppress(OSError):
            shutil.copy2(beside(live, "-shm"), beside(left, "-shm"))
    return left


def _portrait(folder: Path) -> list[tuple[str, int, bytes]]:
    return sorted((file.name, file.stat().st_mtime_ns, file.read_bytes()) for file in folder.iterdir())
