"""Reading files that may be hostile, live, or vanish: regular files only, positioned reads, nothing ever written."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final

from msgspec import Struct

from ..errors import CoreError

_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
"""Not blocking, so that a named pipe in the place of a ledger cannot hang us."""
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_UNTOUCHED: Final = getattr(os, "O_NOATIME", 0)
_FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_FIRST_PIECE: Final = 1 << 12
_PIECE: Final = 1 << 20
"""Bytes that are asked for at once where a whole file is read, at first and at most: what is asked for takes memory
before it is there."""


class ReadFailed(CoreError):
    """The system refused or failed to read a file; `code` says how."""

    code = "read_failed"


class FileState(Struct, frozen=True):
    """What tells one state of a file from another."""

    size: int
    """Bytes."""
    mtime_ms: float
    """Milliseconds since 1970."""
    identity: tuple[int, int]
    """Device and inode; a replaced file has another."""


def describe(error: OSError) -> str:
    """Say in a few words what the system said."""
    return error.strerror or type(error).__name__


def is_link(path: str | Path) -> bool:
    """Tell whether a path is a symbolic link, or what Windows has in its place; False where nobody may look."""
    is_junction = getattr(os.path, "isjunction", None)
    try:
        return os.path.islink(path) or bool(is_junction and is_junction(path))  # noqa: PTH114  quicker, for many runs
    except OSError:
        return False


def is_there(path: str | Path) -> bool:
    """Tell whether there is a file, a folder or a link at a path; the quickest way where there mostly is none."""
    if os.access in os.supports_follow_symlinks:
        return os.access(path, os.F_OK, follow_symlinks=False)
    return os.path.lexists(path)


def read_failed(error: OSError, path: str | Path) -> ReadFailed:
    """Turn an error of the system into ours; missing files and refused ones keep codes of their own."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return ReadFailed("no such file", code="file_missing", path=str(path))
    if isinstance(error, PermissionError):
        return ReadFailed("permission to read is denied", code="file_forbidden", path=str(path))
    return ReadFailed(f"reading failed: {describe(error)}", path=str(path))


def open_untouched(path: str | os.PathLike[str], flags: int) -> int:
    """Open a file or folder for reading and return its descriptor; the time of its last access stays as it is.

    Linux alone can leave it, and only for the owner of the file: for others, and elsewhere, it may change.
    Raises OSError.
    """
    if _UNTOUCHED:
        try:
            return os.open(path, flags | _UNTOUCHED)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EINVAL):
                raise
    return os.open(path, flags)


@contextmanager
def listing(folder: str | os.PathLike[str]) -> Iterator[Iterator[os.DirEntry[str]]]:
    """List a folder, its time of last access untouched as by `open_untouched`. Of the entries use names, not paths."""
    if not _UNTOUCHED:
        with os.scandir(folder) as entries:
            yield entries
        return
    descriptor = open_untouched(folder, _FOLDER)
    try:
        with os.scandir(descriptor) as entries:
            yield entries
    finally:
        os.close(descriptor)


class ReadOnlyFile:
    """One regular file, opened for reading only and read at positions. A context manager.

    Threads may share it. Raises ReadFailed where the system fails, also when the path is no regular file. Without
    `follow` a link is not opened, for it may lead out of the workspace; what a person names is followed.
    """

    def __init__(self, path: Path, *, follow: bool = True) -> None:
        self.path = path
        self._seek_lock = threading.Lock()
        self._descriptor = -1
        self._descriptor = _open_regular(path, follow=follow)

    def __enter__(self) -> ReadOnlyFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Give the descriptor back; closing twice is harmless."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def state(self) -> FileState:
        """Return size, mtime and identity of the open file."""
        try:
            return _state(os.fstat(self._descriptor))
        except OSError as error:
            raise read_failed(error, self.path) from error

    def read_at(self, offset: int, size: int) -> bytes:
        """Return up to `size` bytes from `offset`; fewer only where the file ends."""
        pieces: list[bytes] = []
        missing = size
        while missing > 0:
            try:
                piece = self._read_once(offset, missing)
            except OSError as error:
                raise read_failed(error, self.path) from error
            if not piece:
                break
            pieces.append(piece)
            offset += len(piece)
            missing -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _read_once(self, offset: int, size: int) -> bytes:
        if hasattr(os, "pread"):
            return os.pread(self._descriptor, size, offset)
        with self._seek_lock:
            os.lseek(self._descriptor, offset, os.SEEK_SET)
            return os.read(self._descriptor, size)


def file_state(path: str | Path, *, follow: bool = True) -> FileState | None:
    """Return the state of the file at a path, or None where there is none or the system does not tell.

    Without `follow` a link has a state of its own.
    """
    try:
        return _state(os.stat(path, follow_symlinks=follow))  # noqa: PTH116  quicker, for many runs
    except (OSError, ValueError):
        return None


def read_whole(path: str | Path, limit: int, *, follow: bool = True) -> bytes:
    """Return the bytes of a small file. Raises ReadFailed, with code `file_too_large` above `limit` bytes."""
    descriptor = _open_regular(path, follow=follow)
    pieces: list[bytes] = []
    left, size = limit + 1, _FIRST_PIECE
    try:
        while piece := os.read(descriptor, min(left, size)):
            pieces.append(piece)
            left -= len(piece)
            size = min(size * 4, _PIECE)
    except OSError as error:
        raise read_failed(error, path) from error
    finally:
        os.close(descriptor)
    if not left:
        raise ReadFailed(f"larger than {limit:,} bytes", code="file_too_large", path=str(path))
    return b"".join(pieces)


def read_first_line(path: Path, limit: int, *, follow: bool = True) -> bytes:
    """Return a file's first line without its line feed, reading little more. Raises ReadFailed as `read_whole` does."""
    line = bytearray()
    with ReadOnlyFile(path, follow=follow) as file:
        for piece in _pieces(file, limit + 1):
            head, line_feed, _ = piece.partition(b"\n")
            line += head
            if line_feed:
                break
    if len(line) > limit:
        raise ReadFailed(f"its first line is larger than {limit:,} bytes", code="file_too_large", path=str(path))
    return bytes(line)


def _pieces(file: ReadOnlyFile, most: int) -> Iterator[bytes]:
    """Yield the first `most` bytes of a file, growing pieces at a time."""
    done, size = 0, _FIRST_PIECE
    while done < most and (piece := file.read_at(done, min(size, most - done))):
        yield piece
        done += len(piece)
        size = min(size * 4, _PIECE)


def _open_regular(path: str | Path, *, follow: bool) -> int:
    """Return the descriptor of a regular file that was opened for reading; see `ReadOnlyFile`. Raises ReadFailed."""
    if not follow and not _NO_LINK and is_link(path):
        raise _link_refused(path)
    descriptor = -1
    try:
        descriptor = open_untouched(path, _FLAGS if follow else _FLAGS | _NO_LINK)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
    except (OSError, ValueError) as error:
        if descriptor >= 0:
            os.close(descriptor)
        if not follow and is_link(path):
            raise _link_refused(path) from error
        raise read_failed(error if isinstance(error, OSError) else OSError(str(error)), path) from error
    raise ReadFailed("not a regular file", code="not_a_file", path=str(path))


def _link_refused(path: str | Path) -> ReadFailed:
    return ReadFailed("a link is not followed", code="link_not_followed", path=str(path))


def _state(status: os.stat_result) -> FileState:
    return FileState(status.st_size, status.st_mtime_ns / 1e6, (status.st_dev, status.st_ino))
