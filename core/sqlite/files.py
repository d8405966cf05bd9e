"""The files of a SQLite database: which are there, in what state, and what the first 100 bytes of the main one say."""

from __future__ import annotations

import stat
import struct
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct

from ..errors import NotAWorkspace, WorkspaceForbidden, WorkspaceMissing
from ..storage.files import describe, is_link
from .wal import is_page_size

MAIN_HEADER_SIZE: Final = 100
MAGIC: Final = b"SQLite format 3\0"
"""The first bytes of a main file."""

_FRACTIONS: Final = bytes((64, 32, 32))

SETTLING: Final = 0.05
"""Seconds. File systems stamp writes by a clock that ticks this slowly at worst: two within may look like one."""


class Stamp(NamedTuple):
    """What tells one state of a file from another."""

    size: int
    """Bytes."""
    mtime_ns: int
    """Nanoseconds since 1970."""
    identity: tuple[int, int]
    """Device and inode; a replaced file has another."""


class DatabaseFiles(Struct, frozen=True):
    """The files of one database and how they stood when they were looked at; None for a file that is not there."""

    main: Path
    main_stamp: Stamp | None
    wal_stamp: Stamp | None
    shm_stamp: Stamp | None
    journal_stamp: Stamp | None

    @property
    def wal(self) -> Path:
        """The write-ahead log."""
        return beside(self.main, "-wal")

    @property
    def shm(self) -> Path:
        """The shared-memory index of the log."""
        return beside(self.main, "-shm")

    @property
    def journal(self) -> Path:
        """The rollback journal."""
        return beside(self.main, "-journal")

    @property
    def wal_size(self) -> int:
        """Bytes of the log; 0 where there is none."""
        return self.wal_stamp.size if self.wal_stamp else 0

    @property
    def journal_size(self) -> int:
        """Bytes of the rollback journal; 0 where there is none."""
        return self.journal_stamp.size if self.journal_stamp else 0

    @property
    def size(self) -> int:
        """Bytes of everything that a copy needs."""
        return (self.main_stamp.size if self.main_stamp else 0) + self.wal_size + self.journal_size

    def settled(self, now_ns: int) -> bool:
        """Tell whether any write after `now_ns` (nanoseconds since 1970) is sure to change a stamp."""
        stamps = (stamp for stamp in (self.main_stamp, self.wal_stamp, self.journal_stamp) if stamp)
        return all(abs(now_ns - stamp.mtime_ns) > SETTLING * 1e9 for stamp in stamps)


class MainHeader(Struct, frozen=True):
    """What the first 100 bytes of a main file say."""

    page_size: int
    """Bytes of a page."""
    wal_mode: bool
    """Whether the database keeps a write-ahead log."""
    pages: int | None
    """Pages of the database at the last write to the main file; None where an old library left it unsaid."""


def beside(main: Path, suffix: str) -> Path:
    """Return the file beside a main file that SQLite names with a suffix."""
    return main.with_name(main.name + suffix)


def look(path: Path) -> DatabaseFiles:
    """Look at the files of the database at `path` without opening any of them.

    Links are followed first: SQLite keeps its log beside the file that a link points to. Raises WorkspaceMissing,
    WorkspaceForbidden or NotAWorkspace.
    """
    try:
        main = path.resolve()
        stamps = [_stamp(beside(main, suffix)) for suffix in ("", "-wal", "-shm", "-journal")]
    except PermissionError as error:
        raise WorkspaceForbidden("permission to read is denied", path=str(path)) from error
    except (OSError, ValueError, RuntimeError) as error:
        said = describe(error) if isinstance(error, OSError) else str(error)
        raise NotAWorkspace(f"the database cannot be reached: {said}", path=str(path)) from error
    files = DatabaseFiles(main, *stamps)
    if files.main_stamp is None and not files.wal_size:
        raise WorkspaceMissing("no such database", path=str(path), hint="check the path")
    return files


def parse_main_header(data: bytes) -> MainHeader | None:
    """Read the first 100 bytes of a main file; None where SQLite would not accept them."""
    if len(data) < MAIN_HEADER_SIZE or not data.startswith(MAGIC) or data[21:24] != _FRACTIONS:
        return None
    raw_size, _, read_version = struct.unpack(">HBB", data[16:20])
    page_size = 65536 if raw_size == 1 else raw_size
    if not is_page_size(page_size) or read_version not in (1, 2):
        return None
    changes, pages = struct.unpack(">II", data[24:32])
    (valid_for,) = struct.unpack(">I", data[92:96])
    return MainHeader(page_size, read_version == 2, pages if pages and changes == valid_for else None)


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        if is_link(path):
            raise NotAWorkspace("a link that leads to nothing", path=str(path)) from None
        return None
    if not stat.S_ISREG(status.st_mode):
        raise NotAWorkspace("not a regular file", path=str(path))
    return Stamp(status.st_size, status.st_mtime_ns, (status.st_dev, status.st_ino))
