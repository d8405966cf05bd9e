"""The ledger of one run: the committed events before the first unreadable row, and every other row beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, overload

from msgspec import Struct

from ..decision.tool_ledger import ToolLedger
from ..errors import CoreError, DecodeError
from ..records.codec import decode_event
from ..records.events import RuntimeEvent
from ..records.headers import RunHeader
from .beside import Beside
from .findings import HEADER_UNREADABLE, ROW_UNREADABLE, Finding, place_words
from .rows import Row, RowIndex, row_kind

_ID_PATHS: Final = ("$.sessionId", "$.runId", "$.turnId", "$.invocationId")


class LedgerChanged(CoreError):
    """A row that was indexed is no longer there: the storage changed after it was read."""

    code = "ledger_changed"


class RowSource(Protocol):
    """Where the bytes of rows come from once they are indexed."""

    def read_row(self, offset: int, length: int) -> bytes:
        """Return the row's bytes, or raise LedgerChanged."""

    def close(self) -> None:
        """Give back what the source holds open."""


class RunIdentity(Struct, frozen=True):
    """The ids that every row of a run must carry (format: identity of rows). None is not checked."""

    session_id: str | None
    run_id: str | None
    turn_id: str | None = None
    invocation_id: str | None = None

    def foreign_field(self, event: RuntimeEvent) -> str | None:
        """Return the JSON path of the first id of an event that is not the run's, or None."""
        ids = (event.session_id, event.run_id, event.turn_id, event.invocation_id)
        for path, own, found in zip(_ID_PATHS, self._own(), ids, strict=True):
            if own is not None and own != found:
                return path
        return None

    def covers(self, session_id: str, run_id: str, turn_id: str, invocation_id: str) -> bool:
        """Tell whether these four ids are the run's."""
        found = (session_id, run_id, turn_id, invocation_id)
        return all(own is None or own == other for own, other in zip(self._own(), found, strict=True))

    def _own(self) -> tuple[str | None, ...]:
        return (self.session_id, self.run_id, self.turn_id, self.invocation_id)


@dataclass(frozen=True, slots=True, eq=False)
class Ledger(Sequence[RuntimeEvent]):
    """What one reading of a run's ledger found. As a sequence it holds the committed events, decoded when asked.

    Indexing may raise LedgerChanged if the storage was cut or replaced after the reading.
    """

    session_id: str
    run_id: str
    header: RunHeader | None
    """The run's header; None where it is missing or unreadable."""
    rows: RowIndex
    """Every row, readable or not, in order."""
    tool_ledger: ToolLedger
    """The fold over the committed events."""
    findings: tuple[Finding, ...]
    """Remarks on the storage of this run, those on its header included."""
    source: RowSource = field(repr=False)
    size: int = 0
    """Bytes that were read."""
    modified_ms: float | None = None
    """Last write to the ledger, milliseconds since 1970."""
    path: str | None = None
    """The file that was read."""
    keyed: bool = False
    """Whether offsets are keys of rows in a database, not bytes in a file."""
    beside: Beside = field(default_factory=Beside, repr=False)
    """Evidence that decides nothing."""

    @property
    def readable(self) -> bool:
        """Whether no row but a torn tail is damaged, and it is known whose rows these are.

        In files the header alone says that; rows of a database carry the ids of their run in columns of their own.
        """
        damage = ROW_UNREADABLE if self.keyed else ROW_UNREADABLE | HEADER_UNREADABLE
        return not any(finding.code in damage for finding in self.findings)

    @property
    def stale(self) -> bool:
        """Whether Maka no longer reads this storage, because a database stands beside it."""
        return any(finding.code == "stale_jsonl" for finding in self.findings)

    @property
    def torn_tail(self) -> Finding | None:
        """The incomplete last row, if there is one."""
        return next((finding for finding in self.findings if finding.code == "torn_tail"), None)

    @property
    def committed_bytes(self) -> int:
        """Bytes up to the end of the last committed row, its line feed included where it has one.

        Rows of a database follow on one another by their numbers alone: there it is the sum of their lengths.
        """
        if self.keyed:
            return sum(self.rows.lengths[: self.rows.committed])
        if not self.rows.committed:
            return 0
        last = self.rows.committed - 1
        return min(self.rows.offsets[last] + self.rows.lengths[last] + 1, self.size)

    def place(self, line: int | None, offset: int | None) -> str:
        """Say where a row is: `line 4, byte 1,203`, or of a database's row `row 4, key 17`."""
        return place_words(line, offset, keyed=self.keyed)

    def raw(self, index: int) -> bytes:
        """Return the bytes of row `index` (0-based among `rows`). Raises LedgerChanged."""
        place = range(len(self.rows))[index]
        return self.source.read_row(self.rows.offsets[place], self.rows.lengths[place])

    def event_at(self, row: Row) -> RuntimeEvent | None:
        """Return the event of any readable row, counted or not; None for an unreadable or torn one."""
        return None if row.finding is not None else self._decode(row.index)

    def close(self) -> None:
        """Give back what the source holds open; rows can no longer be read."""
        self.source.close()

    def __len__(self) -> int:
        return self.rows.committed

    @overload
    def __getitem__(self, index: int) -> RuntimeEvent: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RuntimeEvent]: ...
    def __getitem__(self, index: int | slice) -> RuntimeEvent | Sequence[RuntimeEvent]:
        if isinstance(index, slice):
            return [self._decode(i) for i in range(*index.indices(len(self)))]
        return self._decode(range(len(self))[index])

    def __iter__(self) -> Iterator[RuntimeEvent]:
        return (self._decode(i) for i in range(len(self)))

    def _decode(self, index: int) -> RuntimeEvent:
        return decode_again(self.rows, index, self.raw(index), self.path)


def decode_again(rows: RowIndex, index: int, payload: bytes, path: str | None) -> RuntimeEvent:
    """Decode the bytes that now stand where a row was indexed. Raises LedgerChanged where it is another row."""
    try:
        event = decode_event(payload)
    except DecodeError as error:
        said = "the row no longer decodes: the file was changed after it was read"
        raise LedgerChanged(said, path=path, line=rows.line(index), offset=rows.offsets[index]) from error
    if event.ts != rows.times[index] or row_kind(event) != rows.kinds[index]:
        said = "another row stands here: the file was changed after it was read"
        raise LedgerChanged(said, path=path, line=rows.line(index), offset=rows.offsets[index])
    return event
