"""Takes the rows of one run in their order, whatever storage they come from, and fills an index and a fold with them.

The fold stops at the first unreadable row; every other row is still indexed (contract: Storage corruption).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Final, NamedTuple

from ..decision.execution import one_execution
from ..decision.tool_ledger import ToolLedger
from ..errors import EventDecodeError
from ..records.bounds import MOST_VALUES
from ..records.codec import FAST_EVENTS, decode_event
from ..records.events import RuntimeEvent
from ..records.exact import REFUSALS
from .findings import Finding
from .ledger import RunIdentity
from .rows import RowIndex, RowKind, row_kind

_DECODE: Final = FAST_EVENTS.decode
_IDS: Final = attrgetter("session_id", "run_id", "turn_id", "invocation_id")


class Together(NamedTuple):
    """Rows that were decoded in one go."""

    events: list[RuntimeEvent]
    alike: bool
    """Whether all of them carry the same session, run, turn and invocation."""


class RowReader:
    """Decodes rows many at a time where they are plain, and one by one where they may not be."""

    def __init__(self, identity: RunIdentity, rows: RowIndex, tools: ToolLedger) -> None:
        self.rows = rows
        self._identity = identity
        self._tools = tools
        self._waiting: list[RuntimeEvent] = []

    def copied(self, rows: RowIndex) -> RowReader:
        """Return a reader of the same run that fills a copy of the index. It shares the fold: no event is for it."""
        return RowReader(self._identity, rows, self._tools)

    def decode_together(self, payloads: Sequence[bytes]) -> Together | None:
        """Decode rows that are all plain rows of this run, several times as fast; None where they may not be."""
        if self.rows.findings or max(map(len, payloads), default=0) > MOST_VALUES:
            return None
        try:
            events = list(map(_DECODE, payloads))
            for payload in payloads:
                if not payload.isascii():
                    str(payload, "utf-8")
        except REFUSALS:
            return None
        alike = one_execution(events)
        if not all(self._identity.covers(*ids) for ids in set(map(_IDS, events[:1] if alike else events))):
            return None
        return Together(events, alike)

    def add_together(self, read: Together, offsets: Iterable[int], lengths: Sequence[int]) -> None:
        """Take rows that were decoded together."""
        self.rows.extend(read.events, offsets, lengths)
        self._tools.extend(read.events, one_execution=read.alike)

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
