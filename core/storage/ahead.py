"""Parts of a large ledger that another process decodes before their turn comes: who asks, and what comes back.

What comes back says nothing that this process would not have found: of a part in which anything is unusual, nothing
does, and then it is read here.
"""

from __future__ import annotations

import zlib
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, Protocol

from ..records.plain import Execution, PlainRows
from ..records.plain_facts import PlainFacts
from .files import ReadOnlyFile
from .ledger import LedgerChanged

PART: Final = 1 << 20
"""Bytes, about: a part ends with a line. One that is much longer is not asked for."""
PLANNED: Final = 24
"""Parts that are planned at once: what is asked for has so long until its turn comes."""
_PIECE: Final = 1 << 14


class PlainColumns(NamedTuple):
    """Some plain rows, as they travel; they stand one behind the other, each with its line feed."""

    size: int
    """Bytes."""
    checksum: int
    """CRC-32 of these."""
    offsets: bytes
    """Of an array of 64-bit numbers, as is `lengths`; `times` are doubles."""
    lengths: bytes
    times: bytes
    kinds: bytes
    ids: list[str]
    facts: tuple[object, ...] | None
    """Of a `PlainFacts`."""


class Ahead(Protocol):
    """Another process that decodes, asked by one thread."""

    def worth(self, rows: int) -> bool:
        """Tell whether it is to help with about so many rows that are to come; it is asked once, and first."""

    def wants(self) -> bool:
        """Tell whether it is up and has little left to do."""

    def ask(self, start: int, end: int, execution: Execution) -> None:
        """Ask for the plain rows of one execution that are the bytes from `start` to `end` of the ledger."""

    def take(self) -> list[PlainColumns] | None:
        """Wait for the answer to the first question without one; None where the part must be read here."""


class Part(NamedTuple):
    """A part of a ledger file. Where it is not the last one, it ends with a line feed."""

    start: int
    end: int
    asked: Execution | None
    """Whose rows were asked for; None where nothing was."""


def parts_of(
    file: ReadOnlyFile, start: int, size: int, ahead: Ahead, execution: Callable[[], Execution | None]
) -> Iterator[Part]:
    """Yield the parts of the bytes from `start` to `size` in order, some of them asked for by now.

    Asked for is what has neither the first line nor the last one, and nothing as long as `execution` gives None.
    Raises ReadFailed.
    """
    planned: deque[Part] = deque()
    while planned or start < size:
        while start < size and len(planned) < PLANNED:
            end = end_of_part(file, start, size)
            fits = start > 0 and end < size and end - start <= 2 * PART
            asked = execution() if fits and ahead.wants() else None
            if asked is not None:
                ahead.ask(start, end, asked)
            planned.append(Part(start, end, asked))
            start = end
        yield planned.popleft()


def end_of_part(file: ReadOnlyFile, start: int, size: int) -> int:
    """Return where a part ends that begins at `start`: behind the first line feed that makes it large enough."""
    place = start + PART - 1
    while place < size:
        piece = file.read_at(place, min(_PIECE, size - place))
        found = piece.find(b"\n")
        if found >= 0:
            return place + found + 1
        if not piece:
            break
        place += len(piece)
    return size


def travelling(rows: PlainRows, lines: bytes, offsets: list[int], lengths: list[int]) -> PlainColumns:
    """Return plain rows as they travel; `lines` are their bytes."""
    columns = (array("Q", offsets).tobytes(), array("Q", lengths).tobytes(), array("d", rows.times).tobytes())
    facts = None if rows.facts is None else tuple(rows.facts)
    return PlainColumns(len(lines), zlib.crc32(lines), *columns, bytes(rows.kinds), rows.ids, facts)


class Arrived(NamedTuple):
    """Plain rows that came back, and where they lie."""

    rows: PlainRows
    offsets: array[int]
    lengths: array[int]


def arrived(columns: PlainColumns, execution: Execution, file: ReadOnlyFile) -> Arrived:
    """Take in what travelled. Should an event itself be asked for, it is read from the file, if it is still there."""
    offsets, lengths, times = array("Q", columns.offsets), array("Q", columns.lengths), array("d", columns.times)

    def lines() -> bytes:
        found = file.read_at(offsets[0], columns.size)
        if zlib.crc32(found) != columns.checksum:
            said = "other rows stand here: the file was changed while it was read"
            raise LedgerChanged(said, path=str(file.path), offset=offsets[0], length=columns.size)
        return found

    facts = None if columns.facts is None else PlainFacts(*columns.facts)  # type: ignore[arg-type]  # as they were sent
    rows = PlainRows(execution, bytearray(columns.kinds), columns.ids, times, facts, lines)
    return Arrived(rows, offsets, lengths)
