"""Runs a command in a real pseudo terminal and reads every byte that it sends there. POSIX only."""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final

_ON_AT_FIRST: Final = {b"7", b"25"}
"""Modes that a terminal has by itself: long lines wrap, and the cursor is seen."""


def modes_left(output: bytes) -> set[str]:
    """Name the modes in which some output leaves a terminal other than it found it."""
    states = dict.fromkeys(_ON_AT_FIRST, True)
    for names, order in re.findall(rb"\x1b\[\?([\d;]+)([hl])", output):
        states |= dict.fromkeys(names.split(b";"), order == b"h")
    left = {name.decode() for name, on in states.items() if on != (name in _ON_AT_FIRST)}
    pushed = output.count(b"\x1b[>1u") - output.count(b"\x1b[<u")
    return left | ({"kitty keys"} if pushed > 0 else set())


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command left behind."""

    code: int
    output: bytes
    """Everything that it sent to the terminal, from the start."""


class Terminal:
    """A command that believes to have a terminal of its own; a context manager that never leaves it running."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        size: tuple[int, int] = (80, 24),
        environ: Mapping[str, str] | None = None,
        cwd: str | None = None,
    ) -> None:
        """Start the command.

        Args:
            command: program and arguments.
            size: columns and lines.
            environ: variables besides those of this process.
            cwd: its current folder.

        """
        self.output = b""
        self._master, slave = pty.openpty()
        self._set_size(slave, size)
        own = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        variables = {**own, "TERM": "xterm-256color", "COLORTERM": "truecolor", **(environ or {})}
        self.settings = self._settings()
        """How the terminal was set before the command began."""
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=variables, cwd=cwd, start_new_session=True
        )
        os.close(slave)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.hang_up()

    def hang_up(self) -> None:
        """Take the terminal away."""
        if self._master >= 0:
            os.close(self._master)
        self._master = -1

    @staticmethod
    def _set_size(descriptor: int, size: tuple[int, int]) -> None:
        columns, lines = size
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def _settings(self) -> list[Any]:
        return termios.tcgetattr(self._master)

    def is_as_before(self) -> bool:
        """Tell whether line mode, echo and the like are as they were before the command began."""
        return self._settings() == self.settings

    def read_for(self, seconds: float) -> None:
        """Read until nothing came for so long, or the command ended; something that moves is left after a while."""
        before, end = -1, time.monotonic() + 10 * seconds
        while before < len(self.output) and time.monotonic() < end:
            before = len(self.output)
            self._read(seconds)

    def read_while(self, waits: Callable[[], bool], *, seconds: float = 20) -> None:
        """Read as long as something holds.

        Raises:
            AssertionError: the command ended, or the time passed, and it still holds.

        """
        end = time.monotonic() + seconds
        while waits():
            assert self._read(0.1), f"ended too early: {self.output[-2000:]!r}"
            assert time.monotonic() < end, f"nothing happened in {seconds} s: {self.output[-2000:]!r}"

    def resize(self, size: tuple[int, int]) -> None:
        """Give the terminal another size, in columns and lines."""
        self._set_size(self._master, size)
        # The command does not have this terminal for its controlling one, so the system does not tell it.
        self.process.send_signal(signal.SIGWINCH)

    def send(self, keys: bytes) -> None:
        """Press keys, as the bytes that a terminal sends for them."""
        os.write(self._master, keys)

    def read_until(self, wanted: bytes, *, after: int = 0, seconds: float = 20) -> bytes:
        """Read until some bytes were sent since the start, or since so many others.

        Raises:
            AssertionError: the command ended, or the time passed, without them.

        """
        end = time.monotonic() + seconds
        while wanted not in self.output[after:]:
            alive = self._read(0.1)
            assert alive or wanted in self.output[after:], f"ended without {wanted!r}: {self.output[-2000:]!r}"
            assert time.monotonic() < end, f"no {wanted!r} in {seconds} s: {self.output[-2000:]!r}"
        return self.output

    def wait_until_stopped(self, *, seconds: float = 20) -> None:
        """Read until the command is stopped, as by ctrl+z: one that cannot send what it has to say never is.

        Raises:
            AssertionError: it ended, or did not stop in time.

        """
        end = time.monotonic() + seconds
        while not os.waitpid(self.process.pid, os.WUNTRACED | os.WNOHANG)[0]:
            self._read(0.1)
            assert time.monotonic() < end, f"not stopped after {seconds} s: {self.output[-2000:]!r}"
        assert self.process.poll() is None, "it ended"

    def wait(self, *, seconds: float = 20) -> Ended:
        """Read until the command ends.

        Raises:
            AssertionError: it did not end in time.

        """
        end = time.monotonic() + seconds
        while self._read(0.1):
            assert time.monotonic() < end, f"still running after {seconds} s: {self.output[-2000:]!r}"
        return Ended(self.process.wait(seconds), self.output)

    def _read(self, seconds: float) -> bool:
        """Read what there is; False when the other side is closed."""
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return self.process.poll() is None
        try:
            data = os.read(self._master, 1 << 16)
        except OSError as error:
            # Linux reports the end of a pseudo terminal as an input/output error.
            if error.errno != errno.EIO:
                raise
            return False
        self.output += data
        return bool(data)
