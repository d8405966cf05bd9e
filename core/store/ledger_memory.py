"""What a store remembers of a run's ledger between two appends: where each event lies, never the events themselves.

The ledger is read once; after that only bytes that others added are read, so that appends take linear time.
"""

from __future__ import annotations

import copy
import os
from array import array
from collections.abc import Iterator
from typing import Final

from ..errors import AppendRefused, EventDecodeError
from ..records.codec import decode_event
from ..records.events import RuntimeEvent
from ..storage.ledger import RunIdentity
from ..storage.line_reader import is_blank
from ..storage.stream_keys import completed_key
from .append_file import AppendFile, Tail, TailKind, judge_tail
from .tool_guard import ToolGuard

_CHUNK: Final = 1 << 18
_GUARD: Final = 256
"""Bytes before the known end that must still be the same when others have written."""

_Fingerprint = tuple[int, int, int, int]
"""Device, inode, size in bytes, mtime in nanoseconds."""


class LedgerMemory:
    """Everything that an append must know of the rows before it. Not for several threads at once."""

    def __init__(self, identity: RunIdentity) -> None:
        self.identity = identity
        self.forget()

    def forget(self) -> None:
        """Know nothing: the next look reads the ledger from its first byte."""
        self.rows: dict[str, int] = {}
        """Event id -> number of its first row."""
        self.repeated: set[str] = set()
        """Ids that more than one row has."""
        self.terminals: list[int] = []
        """Numbers of the rows that end the run."""
        self.completed: set[str] = set()
        """Keys of the streams whose final row is committed."""
        self.tools = ToolGuard()
        self.last_id: str | None = None
        self._offsets = array("Q")
        self._lengths = array("Q")
        self._end = 0
        self._line = 1
        self._open_row = False
        self._guard = b""
        self._damage: AppendRefused | None = None
        self._seen: _Fingerprint | None = None

    def catch_up(self, file: AppendFile) -> Tail:
        """Read what is new in the file and return its tail.

        A complete last row without a line feed is a row. Raises AppendRefused, with the place, at a row that cannot be
        read, and where nothing can be added behind the tail; the rows before it stay known.
        """
        status = file.status()
        now = _fingerprint(status)
        # The end is looked at as well: a clock that ticks every two seconds would hide a row put in another's place.
        if now != self._seen or not self._end_is_ours(file):
            if not self._only_grew(file, now):
                self.forget()
            self._damage = None
            try:
                self._read_on(file, status.st_size)
            except AppendRefused as error:
                self._damage = copy.copy(error)  # itself, it would keep what it came through
            self._guard = file.read_at(max(0, self._end - _GUARD), min(_GUARD, self._end))
            self._seen = now
        if self._damage is not None:
            raise copy.copy(self._damage)
        return self._tail(file, status.st_size)

    def note(self, file: AppendFile, event: RuntimeEvent, offset: int, row: bytes) -> None:
        """Remember a row, with its line feed, that was just written at `offset` behind everything else.

        Where somebody else wrote in the same moment nothing is remembered: the next look will find both rows.
        """
        status = file.status()
        if status.st_size != offset + len(row):
            return
        self._line += 2 if self._open_row else 1
        self._learn(event, offset, len(row) - 1)
        self._end, self._open_row = offset + len(row), False
        self._guard = row[-_GUARD:]
        self._seen = _fingerprint(status)

    def event(self, file: AppendFile, row: int) -> RuntimeEvent:
        """Read one row again. Raises AppendRefused where the file was changed under us."""
        payload = file.read_at(self._offsets[row], self._lengths[row])
        try:
            return decode_event(payload)
        except EventDecodeError as error:
            self.forget()
            raise AppendRefused(
                "a row was changed while the store had it open", code="ledger_changed", path=str(file.path)
            ) from error

    def events(self, file: AppendFile, rows: tuple[int, ...]) -> Iterator[RuntimeEvent]:
        """Read some rows again."""
        return (self.event(file, row) for row in rows)

    def _only_grew(self, file: AppendFile, now: _Fingerprint) -> bool:
        """Tell whether the file is the one we know, with nothing behind the known rows but what others added."""
        before = self._seen
        if before is None or before[:2] != now[:2] or now[2] < self._end or before[2] == now[2]:
            return False
        if self._open_row and file.read_at(self._end, 1) not in (b"", b"\n"):
            return False
        return self._end_is_ours(file)

    def _end_is_ours(self, file: AppendFile) -> bool:
        return file.read_at(self._end - len(self._guard), len(self._guard)) == self._guard

    def _read_on(self, file: AppendFile, size: int) -> None:
        held = b""
        while self._end + len(held) < size:
            start = self._end + len(held)
            chunk = file.read_at(start, min(max(_CHUNK, len(held)), size - start))
            if not chunk:
                break
            *lines, held = (held + chunk).split(b"\n")
            for line in lines:
                self._take(line, file)
                self._end += len(line) + 1
                self._line += 1
                self._open_row = False
        if held and judge_tail(held, self._end, file.path).kind is TailKind.COMPLETE:
            self._take(held, file)
            self._end += len(held)
            self._open_row = True

    def _tail(self, file: AppendFile, size: int) -> Tail:
        if self._open_row and size == self._end:
            return Tail(TailKind.COMPLETE, self._end, b"")
        return judge_tail(file.read_at(self._end, size - self._end), self._end, file.path)

    def _take(self, line: bytes, file: AppendFile) -> None:
        try:
            event = decode_event(line)
        except EventDecodeError as error:
            if is_blank(line):
                return
            raise self._damaged(file, line, error.code, error.message, error.field) from error
        stranger = self.identity.foreign_field(event)
        if stranger is not None:
            said = "the row belongs to another run"
            raise self._damaged(file, line, "row_foreign_identity", said, stranger)
        self._learn(event, self._end, len(line))

    def _learn(self, event: RuntimeEvent, offset: int, length: int) -> None:
        row = len(self._offsets)
        self._offsets.append(offset)
        self._lengths.append(length)
        if self.rows.setdefault(event.id, row) != row:
            self.repeated.add(event.id)
        if event.is_terminal and not event.partial:
            self.terminals.append(row)
        if (key := completed_key(event)) is not None:
            self.completed.add(key)
        self.tools.learn(event, row)
        self.last_id = event.id

    def _damaged(self, file: AppendFile, line: bytes, code: str, message: str, field: str | None) -> AppendRefused:
        return AppendRefused(
            f"the ledger is damaged, nothing is added to it: {message}",
            code=code,
            path=str(file.path),
            line=self._line,
            offset=self._end,
            length=len(line),
            field=field,
        )


def _fingerprint(status: os.stat_result) -> _Fingerprint:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
