"""An orderly end: what a command made for the time being is removed, however the command is ended."""

from __future__ import annotations

import shutil
import signal
import socket
import sys
import tempfile
import threading
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final

Handler = Callable[[int, FrameType | None], Any] | signal.Handlers

_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
_ENDING: Final = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
"""Signals that end a process from outside; the systems have different ones."""


@contextmanager
def orderly_end(leave: Callable[[int], bool] | None = None) -> Iterator[Callable[[], None]]:
    """Let the signals that end a process end this block by SystemExit, with the usual exit code, so that it cleans up.

    Python loses what is raised inside some of its callbacks, those of weak references for one. So a signal is raised
    again at the end of the block, and wherever the function is called that this gives: a block that lasts calls it
    between its steps.

    Signals that are ignored stay so. In any thread but the main one this does nothing.

    Args:
        leave: asked first, with that exit code; where it says True the block ends by itself, and nothing is raised in
            the middle of whatever runs.

    """
    heard: list[int] = []

    def heed() -> None:
        if heard:
            raise SystemExit(heard[0])

    def end(number: int, frame: FrameType | None) -> None:
        del frame
        if leave is None or not leave(128 + number):
            heard.append(128 + number)
            heed()

    if threading.current_thread() is not threading.main_thread():
        yield heed
        return
    with _handled([number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN], end):
        yield heed
        heed()


@contextmanager
def woken_by_signals(loop: AbstractEventLoop) -> Iterator[None]:
    """Let every signal wake a loop. The system may give one to any thread, and only the main one acts on it.

    A main thread that waits would else go on waiting, until a key or a clock wakes it. On Windows loops see to that
    themselves; in any thread but the main one this does nothing.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    heard, told = socket.socketpair()
    with heard, told:
        heard.setblocking(False)
        told.setblocking(False)
        loop.add_reader(heard, _drain, heard)
        before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            if not loop.is_closed():
                loop.remove_reader(heard)


def _drain(heard: socket.socket) -> None:
    with suppress(OSError):
        heard.recv(1 << 12)


@contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """Make a folder and remove it at the end, which no key and no signal interrupts."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        yield folder
    finally:
        with _undisturbed():
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _undisturbed() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with _handled(_ENDING, signal.SIG_IGN):
        yield


@contextmanager
def _handled(numbers: Iterable[signal.Signals], handler: Handler) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            # None stands for a handler that Python did not set and cannot set again.
            signal.signal(number, signal.SIG_DFL if earlier is None else earlier)
