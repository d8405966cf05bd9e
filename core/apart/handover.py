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

_PIECE: Final = 1 << 16
"""Bytes that are handed over at once: whoever takes them holds up its other threads for no longer than that takes."""

_COLUMNS: Final = ("kinds", "offsets", "lengths", "times")

Header: TypeAlias = tuple[RunHeader | None, tuple[Finding, ...]]


class Piece(Struct, frozen=True):
    """Some bytes of a column."""

    column: str
    payload: bytes


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


Part: TypeAlias = Piece | Rest


def hand_over(ledger: Ledger, header: Header) -> Iterator[Part]:
    """Yield a ledger, and the links of its events to calls, for `Taking`; `header` is the run's, as it was read."""
    links = EventLinks(ledger)
    # Where the storage went away, what was linked before is still true.
    with suppress(CoreError):
        links.complete()
    for name in _COLUMNS:
        yield from _pieces(name, getattr(ledger.rows, name))
    yield from _pieces("numbers", links.numbers)
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


def _pieces(name: str, column: bytearray | array[int] | array[float]) -> Iterator[Piece]:
    view = memoryview(column).cast("B")
    for start in range(0, len(view), _PIECE):
        yield Piece(name, bytes(view[start : start + _PIECE]))
