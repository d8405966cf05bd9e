"""A viewer in a real pseudo terminal, and how long a key takes to the frame that shows what it did. POSIX only."""

from __future__ import annotations

import os
import re
import select
import subprocess
import time
from collections.abc import Iterator

from tests.support.pty import Terminal

CURSOR = rb"\xe2\x96\x8c\x1b\[0m\x1b\[[0-9;]*m *"
"""What is written before the number of the row under the cursor: its bar, then the style of numbers."""

_QUIET_S = 0.06
_QUIET_AT_MOST_S = 0.5


class Pressed(Terminal):
    """A terminal whose output is read as soon as it comes."""

    def quiet(self) -> None:
        """Wait until nothing was written for a while: what is on its way would be taken for the next key's frame."""
        end = time.monotonic() + _QUIET_AT_MOST_S
        while time.monotonic() < end and self._read_soon(_QUIET_S):
            pass

    def press(self, keys: bytes, shown: bytes, seconds: float = 20) -> float:
        """Press keys and return after how many milliseconds bytes were written that match what only their frame shows.

        Raises:
            AssertionError: no such bytes came.

        """
        wanted, start = re.compile(shown), len(self.output)
        began = time.perf_counter()
        self.send(keys)
        while not wanted.search(self.output, start):
            left = seconds - (time.perf_counter() - began)
            assert left > 0, f"no {shown!r} after {keys!r}: {self.output[start:][-1000:]!r}"
            self._read_soon(left)
        return (time.perf_counter() - began) * 1000

    def resident(self) -> int:
        """Return the bytes of memory of the command and of all processes that it started."""
        return sum(_resident(pid) for pid in _family(self.process.pid))

    def last(self, pattern: bytes) -> int:
        """Return the number that stands behind the last match of a pattern."""
        found = re.findall(pattern + rb"([0-9,]+)", self.output)
        return int(found[-1].replace(b",", b""))

    def _read_soon(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], seconds)
        if ready:
            self.output += os.read(self._master, 1 << 16)
        return bool(ready)


def _family(pid: int) -> Iterator[int]:
    yield pid
    children = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    for child in children.stdout.split():
        yield from _family(int(child))


def _resident(pid: int) -> int:
    told = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return int(told.stdout.strip() or 0) * 1024
