"""What the first bytes of a database's files say of its last change, beside the times of the files."""

from __future__ import annotations

from pathlib import Path

from ..storage.files import ReadFailed, ReadOnlyFile
from .files import MAIN_HEADER_SIZE, DatabaseFiles
from .in_place import is_held
from .shm import HEAD_SIZE
from .wal import HEADER_SIZE


def read_heads(files: DatabaseFiles) -> bytes:
    """Return bytes that change with every commit: the main file's counter, the log's salts, the index of the log.

    None of it is read while the database is open in place, since closing one of its files would drop our locks.
    """
    if files.main_stamp is not None and is_held(files.main_stamp.identity):
        return b""
    places = ((files.main, MAIN_HEADER_SIZE), (files.wal, HEADER_SIZE), (files.shm, HEAD_SIZE))
    return b"\0".join(_head(path, size) for path, size in places)


def _head(path: Path, size: int) -> bytes:
    try:
        with ReadOnlyFile(path) as file:
            return file.read_at(0, size)
    except ReadFailed:
        return b""
