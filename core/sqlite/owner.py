"""Whether a process has a database open right now: asked before we open it ourselves, by looking at locks."""

from __future__ import annotations

import importlib
import os
import struct
import sys
from pathlib import Path
from typing import Final

from ..storage.beside import NOT_KNOWN, Owner
from .files import DatabaseFiles

_SHM_OPEN_BYTE: Final = 128
"""Every connection to a database with a log holds this byte of `-shm` as long as it lives."""

_MAIN_LOCKS: Final = (0x40000000, 512)
"""Start and length of the bytes of the main file that stand for SQLite's locks."""

_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_FLOCK: Final = struct.Struct("hhqqi4x")


def find_owner(files: DatabaseFiles) -> Owner:
    """Ask Linux who holds SQLite's locks; other systems answer that it is not known.

    Opens and closes the files, which drops every lock that this very process holds on them: never call it for a
    database that is open in place.
    """
    if sys.platform != "linux" or sys.maxsize <= 2**32:
        return NOT_KNOWN
    pid = None
    if files.shm_stamp is not None:
        pid = _lock_holder(files.shm, _SHM_OPEN_BYTE, 1)
    if pid is None and files.main_stamp is not None:
        pid = _lock_holder(files.main, *_MAIN_LOCKS)
    return Owner(known=True, pid=pid)


def _lock_holder(path: Path, start: int, length: int) -> int | None:
    fcntl = importlib.import_module("fcntl")
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError:
        return None
    try:
        question = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, start, length, 0)
        kind, _, _, _, pid = _FLOCK.unpack(fcntl.fcntl(descriptor, fcntl.F_GETLK, question))
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return None if kind == fcntl.F_UNLCK else max(pid, 0)
