"""A private folder for a copy of evidence: closed to other users, gone when we are done with it, whatever ends us.

It is removed when closed, when collected and when the interpreter ends. A killed process cannot clean up: its folder is
recognised by its name and by a lock that nobody holds any more, and the next viewer removes it.
"""

from __future__ import annotations

import importlib
import os
import shutil
import stat
import sys
import tempfile
import weakref
from collections.abc import Collection, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final

from ..storage.scratch import temporary_folder_at

PREFIX: Final = "maka-ledger-copy-"
"""How the name of every such folder begins."""

_LOCK_NAME: Final = "in-use"
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL


class PrivateFolder:
    """A folder of mode 0700 under `parent`; a context manager. Raises OSError where it cannot be made."""

    def __init__(self, parent: Path) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        self._finalizer = weakref.finalize(self, _remove, self.path, _take_lock(self.path), os.getpid())

    def __enter__(self) -> PrivateFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the folder and all that is in it; closing twice is harmless."""
        self._finalizer()


def remove_left_overs(parent: Path) -> int:
    """Remove the folders under `parent` that killed processes of this user left; return how many. Never raises."""
    removed = 0
    try:
        folders = [Path(entry.path) for entry in os.scandir(parent) if entry.name.startswith(PREFIX)]
    except OSError:
        return 0
    for folder in folders:
        try:
            removed += _remove_if_abandoned(folder)
        except OSError:
            continue
    return removed


def scratch_parents(
    sources: Collection[Path], environ: Mapping[str, str], home: Path, platform: str = sys.platform
) -> list[Path]:
    """Return the folders that may hold private copies of a database lying in the folders `sources`, the best first.

    None of them is one of `sources` or lies in it: nothing new may appear in what we inspect.
    """
    if platform == "win32":
        cache = environ.get("LOCALAPPDATA") or str(home / "AppData" / "Local")
    elif platform == "darwin":
        cache = str(home / "Library" / "Caches")
    else:
        cache = environ.get("XDG_CACHE_HOME") or str(home / ".cache")
    inspected = [source.resolve() for source in sources]

    def allowed(folder: Path) -> bool:
        return not any(folder.resolve().is_relative_to(source) for source in inspected)

    temporary = temporary_folder_at(allowed, environ, platform)
    parents = [Path(cache)] if temporary is None else [temporary, Path(cache)]
    return [parent for parent in parents if parent.is_absolute() and _is_folder(parent) and allowed(parent)]


def _is_folder(path: Path) -> bool:
    """Tell whether a folder is there that we may reach: where we may not, Python raises."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _take_lock(folder: Path) -> int | None:
    """Return a descriptor that marks the folder as in use, or None where the system has no such lock."""
    try:
        if sys.platform == "win32":
            # There an open file cannot be removed, which is lock enough.
            return os.open(folder / _LOCK_NAME, _NEW)
        # Locked before it gets its name: nobody ever sees it unlocked while its owner lives.
        unnamed = folder / f"{_LOCK_NAME}.new"
        descriptor = os.open(unnamed, _NEW | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    if not _flock(descriptor):
        os.close(descriptor)
        return None
    unnamed.rename(folder / _LOCK_NAME)
    return descriptor


def _remove(folder: Path, lock: int | None, owner: int) -> None:
    # A forked child inherits the finalizer and must not take the folder from under its parent.
    if os.getpid() != owner:
        return
    if lock is not None and sys.platform == "win32":
        os.close(lock)
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None and sys.platform != "win32":
        os.close(lock)


def _remove_if_abandoned(folder: Path) -> bool:
    lock = folder / _LOCK_NAME
    if sys.platform == "win32":
        lock.unlink()
        shutil.rmtree(folder, ignore_errors=True)
        return True
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        return False
    descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        abandoned = _flock(descriptor)
        if abandoned:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)
    return abandoned


def _flock(descriptor: int) -> bool:
    fcntl = importlib.import_module("fcntl")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
