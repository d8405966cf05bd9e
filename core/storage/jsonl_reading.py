"""One pass over the bytes of a ledger file, whole or in parts of which another process decodes some."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ..records.plain import Execution
from .ahead import Ahead, Part, PlainColumns, arrived, end_of_part, parts_of
from .file_changes import ReadSum
from .files import ReadOnlyFile
from .ledger import LedgerChanged
from .line_reader import LineReader
from .lines import MAX_ROW, HugeLine, Lines, Splitter
from .rows import RowIndex

CHUNK: Final = 1 << 17
LARGEST_CHUNK: Final = 1 << 19
ROWS_OF_CHUNK: Final = 64
"""Bytes that are read at once: at least the first, at most the second, and about so many rows. What is read together
should stay in the processor's cache, and each reading costs something of its own."""

_HEAD: Final = 1 << 12
"""Bytes in which the first line mostly ends."""

Progress = Callable[[int, int], None]
"""Called with bytes done and bytes in all; it may raise to stop the reading."""


class JsonlReading:
    """Reads the first `size` bytes of a file. Whoever asks it to finds what came of it, also where that was stopped."""

    def __init__(
        self, file: ReadOnlyFile, size: int, reader: LineReader, rows: RowIndex, progress: Progress | None
    ) -> None:
        self._file = file
        self._size = size
        self._reader = reader
        self._rows = rows
        self._progress = progress
        self.sums = ReadSum()
        self.ends_open = False
        """Whether all was read, and the last line lacks its line feed."""

    def read(self) -> None:
        """Read all of it. Raises ReadFailed and, where fewer bytes are there, LedgerChanged."""
        self._read(0, self._size)

    def read_with(self, ahead: Ahead) -> None:
        """Read all of it, with another process that decodes parts before their turn comes. Raises as `read` does."""
        file, size = self._file, self._size
        begun = end_of_part(file, 0, size)
        self._read(0, begun)
        if not ahead.worth(len(self._rows) * (size - begun) // (begun or 1)):
            self._read(begun, size)
            return
        for part in parts_of(file, begun, size, ahead, lambda: self._reader.execution):
            if part.asked is None or not self._take(part, part.asked, ahead.take()):
                self._read(part.start, part.end)

    def _take(self, part: Part, execution: Execution, answer: list[PlainColumns] | None) -> bool:
        """Take what came of a part that was asked for; False where it must be read here."""
        if answer is None or self._reader.execution is None:
            return False
        for columns in answer:
            self.sums.add_sum(columns.size, columns.checksum)
            self._reader.take_plain(arrived(columns, execution, self._file))
        self._tell(part.end)
        return True

    def _read(self, start: int, end: int) -> None:
        if start == end:
            return
        splitter = Splitter(start, max_row=MAX_ROW)
        for lines in self._lines(splitter, start, end):
            self._reader.take(lines)
        self.ends_open = end == self._size and splitter.held > 0

    def _lines(self, splitter: Splitter, offset: int, end: int) -> Iterator[Lines | HugeLine]:
        """Yield the lines of some bytes, some at a time; the last may lack its line feed.

        Where fewer bytes are there, what stands at the end is no row's own end.
        """
        file = self._file
        if offset == 0 and (first := self._first_line(end)):
            offset = len(first)
            yield from self._cut(splitter, first, offset)
            if offset == end:
                self._tell(end)
        while offset < end:
            usual = ROWS_OF_CHUNK * offset // (len(self._rows) or 1)
            chunk = file.read_at(offset, min(max(CHUNK, usual), LARGEST_CHUNK, end - offset))
            if not chunk:
                raise LedgerChanged("the file was cut while it was read", path=str(file.path), offset=offset)
            offset += len(chunk)
            yield from self._cut(splitter, chunk, offset)
            self._tell(offset)
        if splitter.rest is not None:
            yield splitter.rest

    def _tell(self, done: int) -> None:
        if self._progress is not None:
            self._progress(done, self._size)

    def _first_line(self, end: int) -> bytes:
        """Return the first line, if it is short: read by itself, it need not be cut from the others."""
        head = self._file.read_at(0, min(_HEAD, end))
        return head[: head.find(b"\n") + 1]

    def _cut(self, splitter: Splitter, chunk: bytes, end: int) -> Iterator[Lines | HugeLine]:
        """Yield the lines that are complete with some bytes, which end at this place."""
        self.sums.add(chunk)
        for some in splitter.take(chunk):
            first, last = some.offset == 0, end == self._size
            if (first or last) and isinstance(some, Lines):
                yield from some.ends_apart(first=first, last=last)
            else:
                yield some
