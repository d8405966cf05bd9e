"""Takes the rows of one run in their order, whatever storage they come from, and fills an index and a fold with them.

The fold stops at the first unreadable row; every other row is still indexed (contract: Storage corruption).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from msgspec.structs import replace

from ..decision.execution import Execution, one_execution
from ..decision.tool_ledger import ToolLedger
from ..errors import EventDecodeError
from ..records.bounds import MOST_VALUES
from ..records.codec import FAST_EVENTS, REFUSALS, decode_event
from ..records.events import RuntimeEvent
from ..records.plain import PlainRows, decode_plain
from ..records.plain_events import PlainEvent
from .findings import Finding
from .ledger import RunIdentity
from .rows import RowIndex, RowKind, row_kind

_DECODE: Final = FAST_EVENTS.decode
_LONGEST_PAUSE: Final = 31
"""Batches that are not tried as plain ones, at most, after one that was not: a try that fails costs some time."""
_LONG: Final = 1 << 12
"""Rows of a run from which on its ids are given to the decoder, which then has less to do but must be made first."""
_IDS: Final = attrgetter("session_id", "run_id", "turn_id", "invocation_id")


class Together(NamedTuple):
    """Rows that were decoded in one go."""

    events: Sequence[RuntimeEvent] | Sequence[PlainEvent]
    rows: Sequence[RuntimeEvent] | PlainRows
    """The same, as the fold takes them."""
    alike: bool
    """Whether all of them carry the same session, run, turn and invocation."""


class RowReader:
    """Decodes rows many at a time where they are plain, and one by one where they may not be."""

    def __init__(self, identity: RunIdentity, rows: RowIndex, tools: ToolLedger) -> None:
        self.rows = rows
        self._identity = identity
        self._tools = tools
        self._waiting: list[RuntimeEvent] = []
        self._failed = self._pause = 0
        self._execution: Execution | None = None
        """Of the last plain rows."""

    def copied(self, rows: RowIndex) -> RowReader:
        """Return a reader of the same run that fills a copy of the index. It shares the fold: no event is for it."""
        return RowReader(self._identity, rows, self._tools)

    def decode_together(self, lines: bytes, lengths: Sequence[int], *, objects: bool) -> Together | None:
        """Decode rows that are all of this run and all sound, several times as fast; None where they may not be.

        `lines` are their bytes with line feeds between them, `lengths` those of the lines without; `objects` says
        whether each line begins and ends with a brace.
        """
        if self.rows.findings or max(lengths) > MOST_VALUES:
            return None
        plain = self._decode_plain(lines, len(lengths)) if objects and len(lengths) > 1 else None
        if plain is not None:
            return Together(plain.events, plain, alike=True)
        try:
            events = []
            for payload in lines.split(b"\n")[: len(lengths)]:
                events.append(_DECODE(payload))
                if not payload.isascii():
                    str(payload, "utf-8")
        except REFUSALS:
            return None
        alike = one_execution(events)
        if not all(self._identity.covers(*ids) for ids in set(map(_IDS, events[:1] if alike else events))):
            return None
        return Together(events, events, alike)

    def _decode_plain(self, lines: bytes, count: int) -> PlainRows | None:
        if self._pause:
            self._pause -= 1
            return None
        plain = None
        if self._execution is not None and len(self.rows) >= _LONG:
            plain = decode_plain(lines, count, self._execution)
        if plain is None:
            plain = self._decode_other(lines, count)
        if plain is None:
            self._failed = min(2 * self._failed + 1, _LONGEST_PAUSE)
            self._pause = self._failed
            return None
        self._failed = 0
        return plain

    def _decode_other(self, lines: bytes, count: int) -> PlainRows | None:
        """Decode plain rows of any one execution that may be this run's."""
        plain = decode_plain(lines, count)
        if plain is None:
            return None
        session_id, invocation_id, run_id, turn_id = plain.execution
        if not self._identity.covers(session_id, run_id, turn_id, invocation_id):
            return None
        self._execution = plain.execution
        return plain

    def add_together(self, read: Together, offsets: list[int], lengths: list[int]) -> None:
        """Take rows that were decoded together."""
        if isinstance(read.rows, PlainRows):
            self.add_plain(read.rows, array("Q", offsets), array("Q", lengths))
        else:
            self.rows.extend(read.rows, offsets, lengths)
            self._tools.extend(read.rows, one_execution=read.alike)

    def add_plain(self, rows: PlainRows, offsets: array[int], lengths: array[int]) -> None:
        """Take plain rows of this run."""
        self.rows.extend_plain(rows, offsets, lengths)
        self._tools.extend_plain(rows)

    @property
    def execution(self) -> Execution | None:
        """That of the last plain rows, as long as nothing damaged came; None where there is nothing to expect."""
        return self._execution if not self.rows.findings and not self._pause else None

    def decode(self, payload: bytes) -> RuntimeEvent | Finding:
        """Decode one row of this run, or say, without its place, why it is none."""
        try:
            event = decode_event(payload)
        except EventDecodeError as error:
            detail = f"byte {error.offset:,} of the row" if error.offset is not None else None
            return Finding(error.code, error.message, field=error.field, detail=detail)
        stranger = self._identity.foreign_field(event)
        if stranger is not None:
            return Finding("row_foreign_identity", "the row belongs to another run", field=stranger)
        return event

    def add(self, event: RuntimeEvent, offset: int, length: int) -> None:
        """Take one row. The fold hears of it with the next `flush`."""
        self.rows.append(row_kind(event), offset, length, event.ts)
        if not self.rows.findings:
            self._waiting.append(event)

    def add_unreadable(self, what: Finding, offset: int, length: int) -> None:
        """Take a row that is no event of this run; `what` gets its place."""
        finding = replace(what, line=self.rows.line(len(self.rows)), offset=offset, length=length)
        self.rows.append(RowKind.UNREADABLE, offset, length, float("nan"), finding)

    def flush(self) -> None:
        """Let the fold have the rows that were taken one by one."""
        if self._waiting:
            self._tools.extend(self._waiting)
            self._waiting = []
