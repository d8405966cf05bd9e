"""The ledger of one run in a SQLite database: rows -> events, lost rows in their place (format: tables, order)."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Final, NamedTuple

from msgspec.structs import replace

from ..decision.tool_ledger import ToolLedger
from ..errors import WorkspaceError
from ..records.codec import decode_event
from ..records.events import RuntimeEvent
from ..records.headers import RunHeader
from ..records.plain import Execution, PlainRows
from ..storage.findings import Finding
from ..storage.ledger import Ledger, LedgerChanged, RunIdentity, decode_again
from ..storage.row_reader import RowReader, Together
from ..storage.rows import RowIndex
from .database import Database
from .events import (
    as_row,
    count_events,
    count_missing,
    damaged_payload,
    event_batches,
    event_payload,
    holds_events,
    no_events,
    place_of,
)
from .projection import Digests, projection_findings
from .reading import Lost, Values, text

Progress = Callable[[int, int], None]
"""Called with rows done and rows in all; it may raise to stop the reading."""

_ID: Final = attrgetter("id")


class SqliteRows:
    """Rows of a database, fetched again by their keys. `fetch` gives a payload, or None where it is gone."""

    def __init__(self, fetch: Callable[[int], bytes | None], path: str) -> None:
        self._fetch = fetch
        self.path = path

    def read_row(self, offset: int, length: int) -> bytes:
        """Return the first `length` bytes of the payload of the row whose key is `offset`. Raises LedgerChanged."""
        if not length:
            return b""
        try:
            payload = self._fetch(offset)
        except WorkspaceError as error:
            raise LedgerChanged(error.message, path=self.path, offset=offset, length=length) from error
        if payload is None or len(payload) < length:
            raise LedgerChanged("the row is no longer there", path=self.path, offset=offset, length=length)
        return payload[:length]

    def close(self) -> None:
        """Do nothing: the database belongs to the workspace."""


def read_sqlite_ledger(
    database: Database,
    source: SqliteRows,
    identity: RunIdentity,
    header: RunHeader | None,
    findings: tuple[Finding, ...] = (),
    progress: Progress | None = None,
    index: RowIndex | None = None,
) -> Ledger:
    """Read the rows of the run that `identity` names, by session and run; no other id need be known.

    `findings` are those known already; `index` is an empty one to fill, for whoever looks at it as it grows. Raises
    ReadStopped, DatabaseClosed, and whatever `progress` raises.
    """
    reading = RunReading(source, identity, database, index=index)
    reading.read_on(database, progress)
    return reading.ledger(database, header, findings)


class RunReading:
    """The rows of one run, as far as they were read. One that is followed goes on where it stopped."""

    def __init__(
        self,
        source: SqliteRows,
        identity: RunIdentity,
        database: Database,
        *,
        followed: bool = False,
        index: RowIndex | None = None,
    ) -> None:
        """Prepare to read the run that `identity` names by session and run, perhaps into an index that is given."""
        self.identity = identity
        self._ids = (identity.session_id or "", identity.run_id or "")
        self._source = source
        self._followed = followed
        self._rows = rows = RowIndex() if index is None else index

        def event_at(index: int) -> RuntimeEvent:
            payload = source.read_row(rows.offsets[index], rows.lengths[index])
            return decode_again(rows, index, payload, source.path) if followed else decode_event(payload)

        self._tools = ToolLedger(event_at, expected=count_events(database, *self._ids) or 0)
        self._row_reader = RowReader(identity, rows, self._tools)
        self._reader = BatchReader(self._row_reader, *self._ids)

    def stands(self, database: Database) -> bool:
        """Tell whether a later state of the database begins with the rows that were read. Raises ReadStopped."""
        rows, reader = self._rows, self._reader
        if rows.findings or reader.gaps:
            return False
        if not len(rows):
            return True
        if count_events(database, *self._ids, up_to=reader.last) != len(rows):
            return False
        payload = event_payload(database, rows.offsets[-1])
        if payload is None or len(payload) != rows.lengths[-1]:
            return False
        try:
            event = decode_again(rows, len(rows) - 1, payload, database.path)
        except LedgerChanged:
            return False
        return reader.digests.is_id(len(rows) - 1, event.id.encode())

    def read_on(self, database: Database, progress: Progress | None = None) -> None:
        """Read the rows behind those that were read. Raises as `read_sqlite_ledger` does."""
        total = count_events(database, *self._ids) or 0
        for batch in event_batches(database, *self._ids, after=self._reader.last):
            self._reader.take(batch)
            if progress is not None:
                progress(len(self._rows), max(total, len(self._rows), 1))

    def ledger(self, database: Database, header: RunHeader | None, findings: tuple[Finding, ...]) -> Ledger:
        """Return what was read; of a run that is followed, with an index that does not grow."""
        session_id, run_id = self._ids
        rows = self._rows.copied() if self._followed else self._rows
        invocation = self.identity.invocation_id or self._reader.invocation or run_id
        missing = count_missing(database, session_id, run_id, invocation)
        if missing and not rows.findings:
            # Rows of which only another index knows.
            said = f"an index of the database knows {missing:,} rows more of this run: they cannot be found"
            self._row_reader.copied(rows).add_unreadable(Finding("rows_missing", said, keyed=True), 0, 0)
        found = [*findings, *rows.all_findings(), *self._reader.gaps]
        if not holds_events(database.schema):
            found.append(no_events(database.path))
        if not rows.findings:
            found += projection_findings(database, run_id, invocation, rows, self._tools, self._reader.digests)
        return Ledger(
            session_id=session_id,
            run_id=run_id,
            header=header,
            rows=rows,
            tool_ledger=self._tools,
            findings=tuple(found),
            source=self._source,
            size=sum(rows.lengths),
            path=database.path,
            keyed=True,
        )


class Regular(NamedTuple):
    """Rows whose numbers follow on and whose columns name one invocation and one turn; their payloads were not read."""

    keys: list[int]
    ids: tuple[bytes, ...]
    lengths: list[int]
    lines: bytes
    """The payloads, with line feeds between them."""
    objects: bool
    """Whether each payload begins and ends with a brace."""
    invocation: bytes
    turn: bytes


class BatchReader:
    """Takes batches of rows in order and watches their numbers."""

    def __init__(self, reader: RowReader, session_id: str, run_id: str) -> None:
        self._reader = reader
        self._ids = (session_id, run_id)
        self._rows = reader.rows
        self.digests = Digests()
        self.invocation: str | None = None
        """Of the first row that could be fetched."""
        self.gaps: list[Finding] = []
        self._next = 1

    def take(self, batch: list[Values] | Lost) -> None:
        """Read some rows, or note that one is lost."""
        if isinstance(batch, Lost):
            self._reader.add_unreadable(replace(batch.finding, keyed=True), batch.rowid or 0, 0)
            self._next += 1
        elif batch:
            regular = self.regular(batch, self._next)
            read = None if regular is None else self.decode(regular)
            if regular is None or read is None:
                self.take_singly(batch)
            else:
                self.add(regular, read)

    @property
    def last(self) -> int:
        """The number of the last row; 0 before the first."""
        return self._next - 1

    @property
    def execution(self) -> Execution | None:
        """The execution whose plain rows are likely to come; None where that is not known."""
        return self._reader.execution

    def regular(self, batch: list[Values], number: int) -> Regular | None:
        """Look at the columns of some rows, of which the first is to have a number; None where any is irregular."""
        keys, ids, invocations, turns, numbers, stored, payloads = zip(*batch, strict=True)
        named = set(zip(invocations, turns, strict=True))
        if (
            set(stored) != {b"text"}
            or set(map(type, ids)) != {bytes}
            or numbers != tuple(range(number, number + len(batch)))
            or len(named) != 1
        ):
            return None
        lines = b"\n".join(payloads)
        if lines.count(b"\n") != len(payloads) - 1:
            return None
        objects = all(payload.startswith(b"{") and payload.endswith(b"}") for payload in payloads)
        return Regular(list(keys), ids, list(map(len, payloads)), lines, objects, *named.pop())

    def decode(self, rows: Regular) -> Together | None:
        """Decode payloads that name the ids in their columns; None where any does not."""
        read = self._reader.decode_together(rows.lines, rows.lengths, objects=rows.objects)
        if read is None or not read.alike:
            return None
        first = read.events[0]
        if (first.invocation_id.encode(), first.turn_id.encode()) != (rows.invocation, rows.turn):
            return None
        return read if "\n".join(map(_ID, read.events)).encode() == b"\n".join(rows.ids) else None

    def add(self, rows: Regular, read: Together) -> None:
        """Take rows that were decoded together, the next ones in order."""
        if self.invocation is None:
            self.invocation = text(rows.invocation)
        if isinstance(read.rows, PlainRows) and read.rows.facts is not None:
            self.digests.take_plain(read.rows.facts, rows.ids)
        else:
            self.digests.take(read.events or read.rows, rows.ids)
        self._reader.add_together(read, rows.keys, rows.lengths)
        self._next += len(rows.keys)

    def take_singly(self, batch: list[Values]) -> None:
        """Read rows one by one, the next ones in order."""
        if self.invocation is None:
            self.invocation = text(batch[0][2])
        for values in batch:
            self._take_one(values)
        self._reader.flush()

    def _take_one(self, values: Values) -> None:
        row = as_row(values, *self._ids)
        self._watch_number(row.sequence)
        wrong = damaged_payload(row)
        event = wrong or self._reader.decode(row.payload)
        if not isinstance(event, Finding):
            event = damaged_payload(row, event) or event
        if isinstance(event, Finding):
            detail = f"{event.detail}, {place_of(row)}" if event.detail else place_of(row)
            located = replace(event, detail=detail, keyed=True)
            self._reader.add_unreadable(located, row.rowid, len(row.payload))
            return
        self.digests.take((event,), (row.event_id.encode(),))
        self._reader.add(event, row.rowid, len(row.payload))

    def _watch_number(self, number: int) -> None:
        if number > self._next and not self._rows.findings:
            left_out = f"{self._next:,}" if number == self._next + 1 else f"{self._next:,} to {number - 1:,}"
            said = f"no row has the number {left_out}: it was removed, or never written"
            self.gaps.append(Finding("number_gap", said, line=self._rows.line(len(self._rows)), keyed=True))
        elif number < self._next and not self._rows.findings:
            said = f"the number {number:,} stands where {self._next:,} or more belongs"
            self._reader.add_unreadable(Finding("page_corrupt", f"an index is damaged: {said}", keyed=True), 0, 0)
        self._next = max(self._next, number) + 1
