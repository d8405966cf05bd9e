"""Cuts the bytes of a ledger file into lines, as the bytes come in."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from itertools import accumulate
from operator import itemgetter
from typing import Final, NamedTuple

MAX_ROW: Final = 128 << 20
"""Bytes. A longer row is located, shown and not decoded: it blocks, and cannot exhaust the memory."""

_SHORT: Final = 1 << 12
"""Bytes."""
_LAST_WORDS: Final = (b'"status"', b'"endInvocation"')
"""With one of these a run ends."""


_OPEN: Final = ord("{")
_CLOSE: Final = ord("}")
_BRACE: Final = {_OPEN}
_CLOSING: Final = {_CLOSE}
_FIRST: Final = itemgetter(0)
_LAST: Final = itemgetter(-2)
"""Of a line, behind which stands its line feed."""


class Measures(NamedTuple):
    """Where lines lie."""

    offsets: list[int]
    """In the file."""
    lengths: list[int]
    """Without line feeds."""
    objects: bool
    """Whether each line begins and ends with a brace: then a JSON value in it neither goes on in the next one nor comes
    from the one before, since no value may stand where a line ends inside of another."""


class Lines(NamedTuple):
    """Some lines of the file that stand one behind the other."""

    offset: int
    """Of the first line."""
    data: bytes
    """All of them, with their line feeds; the last one may lack it."""

    @property
    def payloads(self) -> list[bytes]:
        """Each line without its line feed."""
        payloads = self.data.split(b"\n")
        if self.data.endswith(b"\n"):
            payloads.pop()
        return payloads

    def measured(self) -> Measures:
        """Return where each line lies, and whether each looks like an object of its own."""
        data = self.data
        if data.find(b"\n") > _SHORT or not data.endswith(b"\n"):
            return self._measured_long()
        lines = list(BytesIO(data))
        ends = list(map(len, lines))
        offsets = list(accumulate(ends, initial=self.offset))
        offsets.pop()
        # A line with a first byte of this kind has another one before its line feed.
        objects = set(map(_FIRST, lines)) == _BRACE and set(map(_LAST, lines)) == _CLOSING
        return Measures(offsets, [length - 1 for length in ends], objects)

    def _measured_long(self) -> Measures:
        """Look for the ends of lines: cutting long ones out, to measure them, would cost more."""
        data, first, start = self.data, self.offset, 0
        find, offsets, lengths, objects = data.find, [], [], True
        while start < len(data):
            end = find(b"\n", start)
            end = len(data) if end < 0 else end
            offsets.append(first + start)
            lengths.append(end - start)
            objects = objects and data[start] == _OPEN and data[end - 1] == _CLOSE
            start = end + 1
        return Measures(offsets, lengths, objects)

    def ends_apart(self, *, first: bool, last: bool) -> Iterator[Lines]:
        """Yield these lines with the first or the last one by itself, if it may say what no other row of a run says."""
        data = self.data
        start = data.find(b"\n") + 1 if first else 0
        end = max(start, data.rfind(b"\n", 0, -1) + 1) if last else len(data)
        if data.endswith(b"\n") and not any(data.find(word, end) >= 0 for word in _LAST_WORDS):
            end = len(data)
        for begin, stop in ((0, start), (start, end), (end, len(data))):
            if begin < stop:
                yield Lines(self.offset + begin, data[begin:stop])


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
        first, cut = chunk.find(b"\n") + 1, chunk.rfind(b"\n") + 1
        if not cut:
            self._hold(chunk)
            return
        start = 0
        if self.held + first - 1 > self._max_row:
            start = first
            huge = HugeLine(self.start, self.held + first - 1)
            yield huge
            self.start += huge.length + 1
            self._pieces = []
        if start < cut:
            whole = not start and cut == len(chunk) and not self._pieces
            data = chunk if whole else b"".join((*self._pieces, memoryview(chunk)[start:cut]))
            lines = Lines(self.start, data)
            yield lines
            self.start += len(lines.data)
        self._pieces, self.held = [], 0
        self._hold(chunk[cut:])

    @property
    def rest(self) -> Lines | HugeLine | None:
        """The line that is held back, as if it ended here; None where there is nothing of it."""
        if self.held > self._max_row:
            return HugeLine(self.start, self.held)
        return Lines(self.start, b"".join(self._pieces)) if self.held else None

    def drop(self) -> None:
        """Forget what is held back."""
        self._pieces, self.held = [], 0

    def _hold(self, piece: bytes) -> None:
        self.held += len(piece)
        if self.held > self._max_row:
            self._pieces = []
        elif piece:
            self._pieces.append(piece)
