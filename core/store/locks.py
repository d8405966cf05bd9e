"""An advisory lock between processes on an open file, on systems that have one.

Where there is none the caller goes on without: rows are still written in one piece, two writers are then only kept from
interleaving, not from contradicting each other.
"""

from __future__ import annotations

import errno
import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Final

_UNSUPPORTED: Final = frozenset(
    getattr(errno, name) for name in ("ENOLCK", "ENOTSUP", "EOPNOTSUPP", "EINVAL", "ENOSYS") if hasattr(errno, name)
)
_LOCKED_BYTE: Final = 0x7FFF_FFFF
"""Windows locks are mandatory, so the byte that stands for the file lies where hardly any ledger reaches."""


@contextmanager
def exclusive(descriptor: int) -> Iterator[None]:
    """Hold the file behind `descriptor` for this process and this descriptor alone; waits as long as it takes."""
    if (posix := _module("fcntl")) is not None:
        with _flock(posix, descriptor):
            yield
    elif (windows := _module("msvcrt")) is not None:
        with _byte_lock(windows, descriptor):
            yield
    else:
        yield


@contextmanager
def _flock(fcntl: ModuleType, descriptor: int) -> Iterator[None]:
    # Not lockf: that lock is lost as soon as any thread closes any other descriptor of the same file.
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        yield
        return
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextmanager
def _byte_lock(msvcrt: ModuleType, descriptor: int) -> Iterator[None]:
    while True:
        try:
            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
            break
        except OSError as error:
            # The system gives up after ten seconds of waiting; we do not.
            if error.errno not in (errno.EDEADLK, errno.EACCES):
                raise
    try:
        yield
    finally:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)


def _module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
