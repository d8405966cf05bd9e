"""Faults of the system, made at its own door: reads that are short or fail, and rights that are taken away."""

from __future__ import annotations

import errno
import os
import resource
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

NOBODY = 65534


@contextmanager
def reads(change: Callable[[int, Callable[..., bytes], tuple[Any, ...]], bytes]) -> Iterator[None]:
    """Let every positioned read go through `change`, which gets its number, the real read and its arguments."""
    real, count = os.pread, iter(range(1 << 60))
    os.pread = lambda *given: change(next(count), real, given)
    try:
        yield
    finally:
        os.pread = real


def short_reads(rng: Random) -> Any:
    """Give fewer bytes than were asked for, as a network file system may."""

    def change(number: int, real: Callable[..., bytes], given: tuple[Any, ...]) -> bytes:
        descriptor, size, offset = given
        return real(descriptor, max(1, min(size, rng.choice((1, 7, 100, 4096, size)))), offset)

    return reads(change)


def failing_reads(first: int, code: int = errno.EIO) -> Any:
    """Let every read from number `first` on fail, as a dying disk does."""

    def change(number: int, real: Callable[..., bytes], given: tuple[Any, ...]) -> bytes:
        if number >= first:
            raise OSError(code, os.strerror(code))
        return real(*given)

    return reads(change)


@contextmanager
def failing_calls(name: str, first: int, code: int = errno.EIO) -> Iterator[None]:
    """Let a function of `os` fail from its call number `first` on; other threads are left alone."""
    real, owner, count = getattr(os, name), threading.get_ident(), iter(range(1 << 60))

    def call(*given: Any, **named: Any) -> Any:
        if threading.get_ident() == owner and next(count) >= first:
            raise OSError(code, os.strerror(code), given[0] if given else None)
        return real(*given, **named)

    setattr(os, name, call)
    try:
        yield
    finally:
        setattr(os, name, real)


@contextmanager
def interruptions() -> Iterator[None]:
    """Send this process a signal every millisecond: every call that can be interrupted is."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGVTALRM, lambda number, frame: None)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.001, 0.001)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """Let the system refuse to write a file any longer, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Have no more rights on files than anybody; a superuser becomes nobody for a while."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
