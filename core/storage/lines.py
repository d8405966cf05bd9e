"""Cuts the bytes of a ledger file into lines, as the bytes come in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

MAX_ROW: Final = 128 << 20
"""Bytes. A longer row is located, shown and not decoded: it blocks, and cannot exhaust the memory."""


class Lines(NamedTuple):
    """Some lines of the file that stand one behind the other."""

    offset: int
    """Of the first line."""
    payloads: list[bytes]
    """Each without its line feed."""


class HugeLine(NamedTuple):
    """A line that is too long to decode."""

    offset: int
    length: int


class Splitter:
    """Takes the bytes of a file in order; holds back the last line until its line feed comes."""

    def __init__(self, start: int = 0, max_row: int = MAX_ROW) -> None:
        self.start = start
        """Offset of the line that is held back."""
        self.held = 0
        """Bytes of it so far."""
        self._pieces: list[bytes] = []
        self._max_row = max_row

    def take(self, chunk: bytes) -> Iterator[Lines | HugeLine]:
        """Yield the lines that are complete with the next bytes."""
        payloads = chunk.split(b"\n")
        rest = payloads.pop()
        if not payloads:
            self._hold(rest)
            return
        if self.held + len(payloads[0]) > self._max_row:
            huge = HugeLine(self.start, self.held + len(payloads.pop(0)))
            yield huge
            self.start += huge.length + 1
        elif self._pieces:
            payloads[0] = b"".join((*self._pieces, payloads[0]))
        if payloads:
            yield Lines(self.start, payloads)
            self.start += sum(map(len, payloads)) + len(payloads)
        self._pieces, self.held = [], 0
        self._hold(rest)

    @property
    def rest(self) -> Lines | HugeLine | None:
        """The line that is held back, as if it ended here; None where there is nothing of it."""
        if self.held > self._max_row:
            return HugeLine(self.start, self.held)
        return Lines(self.start, [b"".join(self._pieces)]) if self.held else None

    def drop(self) -> None:
        """Forget what is held back."""
        self._pieces, self.held = [], 0

    def _hold(self, piece: bytes) -> None:
        self.held += len(piece)
        if self.held > self._max_row:
            self._pieces = []
        elif piece:
            self._pieces.append(piece)
