"""Runs a command in a real pseudo terminal and reads every byte that it sends there. POSIX only."""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType


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
        os.close(self._master)

    @staticmethod
    def _set_size(descriptor: int, size: tuple[int, int]) -> None:
        columns, lines = size
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

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
