"""A ledger that was read, in pieces for another process: columns as bytes, and the little that is no column.

What arrives is the same ledger: every answer is, for every prefix. Its rows are read from the same file.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, TypeAlias

from msgspec import Struct

from ..decision.tool_ledger import ToolLedger
from ..errors import CoreError
from ..inspection.event_links import EventLinks, FoundLinks
from ..records.events import RuntimeEvent
from ..records.headers import RunHeader
from ..storage.findings import Finding
from ..storage.ledger import Ledger, RowSource, decode_again
from ..storage.rows import RowIndex
from ..storage.run import Run
from ..storage.so_far import RowsSoFar

_PIECE: Final = 1 << 16
"""Bytes that are handed over at once: whoever takes them holds up its other threads for no longer than that takes."""

_COLUMNS: Final = ("kinds", "offsets", "lengths", "times")

Header: TypeAlias = tuple[RunHeader | None, tuple[Finding, ...]]


class Piece(Struct, frozen=True):
    """Some bytes of a column."""

    column: str
    payload: bytes


class Grown(Struct, frozen=True):
    """All pieces of so many committed rows are there, while the reading goes on."""

    count: int
    done: int
    """Of `total`, which is more than 0."""
    total: int


class Afresh(Struct, frozen=True):
    """What came is not what was read in the end: it comes once more, from its beginning."""


class Rest(Struct, frozen=True):
    """All that is no column. It comes last."""

    rows: RowIndex
    """Without its columns."""
    tools: ToolLedger
    header: Header
    findings: tuple[Finding, ...]
    """Those on the ledger."""
    keyed: bool
    """Whether offsets are keys of rows in a database."""
    size: int
    """Bytes that were read."""
    modified_ms: float | None
    """Last write to the ledger, milliseconds since 1970."""
    waiting: list[int]
    """Of the links of its events."""


Part: TypeAlias = Piece | Grown | Afresh | Rest


class Growing:
    """Hands over the committed rows of an index while it grows, each row once."""

    def __init__(self) -> None:
        self.rows: Final = RowIndex()
        """The index, for whoever fills it."""
        self.count = 0
        """Rows that were handed over."""

    def parts(self, done: int, total: int) -> Iterator[Part]:
        """Yield the rows that were committed since, `done` of `total` being read; none may come meanwhile."""
        start, end = self.count, self.rows.committed
        if start < end and total > 0:
            for name in _COLUMNS:
                yield from _pieces(name, getattr(self.rows, name), start, end)
            self.count = end
            yield Grown(end, done, total)

    def begins(self, rows: RowIndex) -> bool:
        """Tell whether the rows that were handed over are the first ones of an index, which may be another one."""
        end = self.count
        return rows is self.rows or all(getattr(rows, one)[:end] == getattr(self.rows, one)[:end] for one in _COLUMNS)


def hand_over(ledger: Ledger, header: Header, growing: Growing) -> Iterator[Part]:
    """Yield what of a ledger `growing` has not handed over, and the links of its events to calls, for `Taking`.

    `header` is the run's, as it was read.
    """
    links = EventLinks(ledger)
    # Where the storage went away, what was linked before is still true.
    with suppress(CoreError):
        links.complete()
    start = growing.count
    if start and not growing.begins(ledger.rows):
        start = 0
        yield Afresh()
    for name in _COLUMNS:
        yield from _pieces(name, getattr(ledger.rows, name), start, len(ledger.rows))
    yield from _pieces("numbers", links.numbers, 0, len(links.numbers))
    yield Rest(
        ledger.rows.without_columns(),
        ledger.tool_ledger,
        header,
        ledger.findings,
        ledger.keyed,
        ledger.size,
        ledger.modified_ms,
        links.waiting,
    )


class Taking:
    """Takes the pieces of a ledger in, in their order; `source` reads its rows from `path`."""

    def __init__(self, source: RowSource, path: str) -> None:
        self._source = source
        self._path = path
        self._rows = RowIndex()
        self._numbers = array("I")

    def add(self, piece: Piece) -> None:
        """Take some bytes."""
        column = self._numbers if piece.column == "numbers" else getattr(self._rows, piece.column)
        if isinstance(column, array):
            column.frombytes(piece.payload)
        else:
            column += piece.payload

    def grown(self, grown: Grown) -> RowsSoFar:
        """Return the rows that are there, all pieces of them being taken."""
        self._rows.committed = grown.count
        return RowsSoFar(self._rows, grown.count, self._source, self._path, grown.done / grown.total)

    def afresh(self) -> None:
        """Forget what was taken; who was given rows keeps those."""
        self._rows = RowIndex()

    def finish(self, run: Run, rest: Rest) -> tuple[Ledger, EventLinks]:
        """Take what is no column, and return the ledger of the run and the links of its events."""
        rows, tools, source, path = rest.rows, rest.tools, self._source, self._path
        for name in _COLUMNS:
            setattr(rows, name, getattr(self._rows, name))

        def event_at(index: int) -> RuntimeEvent:
            payload = source.read_row(rows.offsets[index], rows.lengths[index])
            return decode_again(rows, index, payload, path)

        tools.read_by(event_at)
        read = Ledger(
            run.session_id,
            run.run_id,
            rest.header[0],
            rows,
            tools,
            rest.findings,
            source,
            size=rest.size,
            modified_ms=rest.modified_ms,
            path=path,
            keyed=rest.keyed,
        )
        ledger = run.take_ledger(read, rest.header)
        return ledger, EventLinks(ledger, found=FoundLinks(self._numbers, rest.waiting))


def _pieces(name: str, column: bytearray | array[int] | array[float], start: int, end: int) -> Iterator[Piece]:
    # A column that is looked at by such a view cannot grow.
    with memoryview(column) as items, items[start:end] as some, some.cast("B") as view:
        for place in range(0, len(view), _PIECE):
            yield Piece(name, bytes(view[place : place + _PIECE]))
