"""What is remembered of the bytes of a file that grows: enough to see whether they still stand where they were read."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from .files import ReadOnlyFile

_WINDOW: Final = 4096
"""Bytes at either end that are compared: rows have ids and times, so two histories never agree in so many."""
_CHUNK: Final = 1 << 20


class Mark(Struct, frozen=True):
    """The first `size` bytes of a file."""

    size: int = 0
    sum: int = 0
    end: bytes = b""
    """The last of them."""

    def behind(self, piece: bytes) -> Mark:
        """Return the mark behind the bytes that follow."""
        end = piece[-_WINDOW:] if len(piece) >= _WINDOW else (self.end + piece)[-_WINDOW:]
        return Mark(self.size + len(piece), zlib.crc32(piece, self.sum), end)

    def ends_alike(self, file: ReadOnlyFile) -> bool:
        """Tell whether the last bytes are in the file as they were. Raises ReadFailed."""
        return file.read_at(self.size - len(self.end), len(self.end)) == self.end


class KnownBytes:
    """The first bytes of a file as they were read: whole lines, and behind them the beginning of one."""

    def __init__(self) -> None:
        self._head = b""
        self._lines = self._all = Mark()

    @property
    def size(self) -> int:
        """Bytes that are known."""
        return self._all.size

    @property
    def lines(self) -> int:
        """Bytes of the whole lines among them, line feeds included."""
        return self._lines.size

    def add(self, chunk: bytes) -> None:
        """Note the bytes that follow."""
        if len(self._head) < _WINDOW:
            self._head = (self._head + chunk)[:_WINDOW]
        cut = chunk.rfind(b"\n") + 1
        if cut:
            self._lines = self._all.behind(chunk[:cut])
            self._all = self._lines.behind(chunk[cut:])
        else:
            self._all = self._all.behind(chunk)

    def drop_unfinished(self) -> None:
        """Forget the beginning of a line at the end."""
        self._all = self._lines
        self._head = self._head[: self._all.size]

    @property
    def mark(self) -> Mark:
        """What is known by now, for `stand_since`."""
        return self._all

    def stand(self, file: ReadOnlyFile) -> bool:
        """Tell whether both ends are as they were; quick. Raises ReadFailed."""
        return _begins(file, self._head) and self._all.ends_alike(file)

    def lines_stand(self, file: ReadOnlyFile) -> bool:
        """Tell whether both ends of the whole lines are as they were; quick. Raises ReadFailed."""
        return _begins(file, self._head[: self.lines]) and self._lines.ends_alike(file)

    def stand_since(self, mark: Mark, file: ReadOnlyFile) -> bool:
        """Tell whether every byte behind a mark, and those just before it, are as they were. Raises ReadFailed."""
        found = mark.sum
        for piece in _pieces(file, mark.size, self.size):
            found = zlib.crc32(piece, found)
        return found == self._all.sum and mark.ends_alike(file)

    def stand_all(self, file: ReadOnlyFile) -> bool:
        """Tell whether every byte is as it was; reads all of them again. Raises ReadFailed."""
        return self.stand_since(Mark(), file)


def _begins(file: ReadOnlyFile, head: bytes) -> bool:
    return file.read_at(0, len(head)) == head


def _pieces(file: ReadOnlyFile, start: int, stop: int) -> Iterator[bytes]:
    while start < stop and (piece := file.read_at(start, min(_CHUNK, stop - start))):
        yield piece
        start += len(piece)
