"""A private copy of a SQLite database that others may be writing, believed only if it is consistent.

The order matters. The main file is copied first and the log after it: every page that a checkpoint moved into the main
file meanwhile is then in the copied log as well, as long as the log was not started anew, which its header would show.
"""

from __future__ import annotations

import ctypes
import errno
import importlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct

from ..errors import WorkspaceError, WorkspaceForbidden
from ..storage.files import ReadFailed, ReadOnlyFile, describe, open_untouched
from .files import SETTLING, DatabaseFiles, Stamp, beside, look
from .wal import HEADER_SIZE, parse_header

COPY_NAME: Final = "runtime.sqlite"
"""Name of the main file of a copy."""

_TRIES: Final = 4
_PAUSE: Final = 0.01
_SLACK: Final = 16 << 20
_CHUNK: Final = 1 << 18
_CLONE_REQUEST: Final = 0x40049409
_SOURCE: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_TARGET: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class CopyFailed(WorkspaceError):
    """A private copy cannot be made; reading in place may still be possible."""

    code = "copy_failed"


class NoRoom(CopyFailed):
    """There is not enough room for a private copy."""

    code = "no_room"


class ReadStopped(WorkspaceError):
    """The reading was stopped by the one who asked for it."""

    code = "read_stopped"


class Copied(Struct, frozen=True):
    """A copy as it was taken."""

    main: Path
    """The copied main file; the log and the journal lie beside it."""
    files: DatabaseFiles
    """How the originals stood when the copying began."""
    stable: bool
    """Whether the copy shows one state of the database; if not, a writer was faster each time."""


def copy_database(
    files: DatabaseFiles, folder: Path, stop: Callable[[], bool], clone_only: bool = False
) -> Copied | None:
    """Copy a database into `folder`, again and again until a copy is consistent or it was tried often enough.

    `clone_only` copies nothing byte by byte: None is returned where the file system cannot share the bytes. Raises
    NoRoom, ReadStopped, WorkspaceForbidden, and CopyFailed for anything else that the system refuses.
    """
    target = folder / COPY_NAME
    stable = False
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE * attempt)
            files = look(files.main)
        if not has_log(files):
            files = settle(files)
            if not files.settled(time.time_ns()):
                continue
        if not clone_only:
            check_room(files.size, folder)
        started = time.time_ns()
        try:
            generation = wal_header(files.wal)
            if not all(_copy_one(source, copy, stop, clone_only) for source, copy in _pairs(files, target)):
                return None
            stable = _is_stable(files, target, generation, started)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise _refused(error, files, folder) from error
        if stable:
            _supply_first_page(target)
            break
    return Copied(target, files, stable)


def check_room(size: int, folder: Path) -> None:
    """Raise NoRoom unless `folder` has room for `size` bytes and a little more."""
    free = shutil.disk_usage(folder).free
    if free < size + _SLACK:
        raise NoRoom(
            f"a private copy needs {size + _SLACK:,} bytes and {free:,} are free",
            path=str(folder),
            hint="make room, or set TMPDIR to a folder on another disk",
        )


def clone_file(source: Path, target: Path) -> bool:
    """Make `target` share the bytes of `source` without copying them, where the file system can; False where not."""
    if sys.platform == "darwin":
        try:
            if ctypes.CDLL(None).clonefile(os.fsencode(source), os.fsencode(target), 0) != 0:
                return False
        except (OSError, AttributeError):
            return False
        target.chmod(0o600)
        return True
    if not sys.platform.startswith("linux"):
        return False
    fcntl = importlib.import_module("fcntl")
    with _Opened(source, _SOURCE) as reading, _Opened(target, _TARGET) as writing:
        try:
            fcntl.ioctl(writing.number, _CLONE_REQUEST, reading.number)
        except OSError:
            return False
    return True


def copy_file(source: Path, target: Path, stop: Callable[[], bool]) -> None:
    """Copy the bytes of one file. Raises OSError and ReadStopped."""
    with _Opened(source, _SOURCE) as reading, _Opened(target, _TARGET) as writing:
        while piece := os.read(reading.number, _CHUNK):
            if stop():
                raise ReadStopped("copying the database was stopped", path=str(source))
            view = memoryview(piece)
            while view:
                view = view[os.write(writing.number, view) :]


def wal_header(wal: Path) -> bytes:
    """Return the first bytes of a log, which change when it is started anew; none where there is no log."""
    try:
        with ReadOnlyFile(wal) as file:
            return file.read_at(0, HEADER_SIZE)
    except ReadFailed:
        return b""


class _Opened:
    """An open descriptor as a context manager; files made are for this user alone."""

    def __init__(self, path: Path, flags: int) -> None:
        self.number = os.open(path, flags, 0o600) if flags & os.O_CREAT else open_untouched(path, flags)

    def __enter__(self) -> _Opened:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.number)


def _pairs(files: DatabaseFiles, target: Path) -> list[tuple[Path, Path]]:
    """Return what to copy where. An empty log or journal means the same as none and is left out."""
    wanted = (
        (files.main, "", files.main_stamp is not None),
        (files.wal, "-wal", files.wal_size > 0),
        (files.journal, "-journal", files.journal_size > 0),
    )
    for _, suffix, _ in wanted:
        beside(target, suffix).unlink(missing_ok=True)
    return [(source, beside(target, suffix)) for source, suffix, there in wanted if there]


def _copy_one(source: Path, target: Path, stop: Callable[[], bool], clone_only: bool) -> bool:
    if clone_file(source, target):
        return True
    if not clone_only:
        copy_file(source, target, stop)
    return not clone_only


def settle(files: DatabaseFiles) -> DatabaseFiles:
    """Wait, once and not for long, until further writes are sure to show in the stamps; return the files anew."""
    if files.settled(time.time_ns()):
        return files
    time.sleep(SETTLING)
    return look(files.main)


def has_log(files: DatabaseFiles) -> bool:
    """Tell whether a log is in use: then pages are safe in it before they reach the main file."""
    return parse_header(wal_header(files.wal)) is not None


def _is_stable(files: DatabaseFiles, target: Path, generation: bytes, started_ns: int) -> bool:
    now = look(files.main)
    main_unchanged = now.main_stamp == files.main_stamp
    if now.journal_stamp != files.journal_stamp or (files.journal_size and not main_unchanged):
        return False
    if parse_header(generation) is None:
        return main_unchanged and now.wal_size == files.wal_size and files.settled(started_ns)
    same_main = _identity(now.main_stamp) == _identity(files.main_stamp)
    return same_main and generation == wal_header(beside(target, "-wal")) == wal_header(files.wal)


def _identity(stamp: Stamp | None) -> tuple[int, int] | None:
    return stamp.identity if stamp else None


def _supply_first_page(target: Path) -> None:
    """Give a copy whose main file is empty one blank page: without it SQLite would throw the log away."""
    if target.exists() and target.stat().st_size:
        return
    header = parse_header(wal_header(beside(target, "-wal")))
    target.write_bytes(bytes(header.page_size) if header else b"")


def _refused(error: OSError, files: DatabaseFiles, folder: Path) -> WorkspaceError:
    if isinstance(error, PermissionError):
        return WorkspaceForbidden("permission to read is denied", path=str(files.main))
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoRoom("the room for a private copy ran out", path=str(folder), hint="make room, or set TMPDIR")
    return CopyFailed(f"copying failed: {describe(error)}", path=str(files.main))
