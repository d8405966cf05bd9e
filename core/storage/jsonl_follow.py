"""Following a ledger file: what is appended is read once, and whatever else happens to the file is noticed and said.

A follower holds one growing index and one growing fold. What it hands out is a ledger of its own each time, with a copy
of the index, so that whoever shows an older one sees nothing move; the fold is shared, since it answers for any prefix.
The line at the end that is not finished stands in the copies alone, until its line feed comes or it is an event.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Final, Protocol

from ..decision.tool_ledger import ToolLedger
from ..records.events import RuntimeEvent
from ..records.headers import RunHeader
from .files import FileState, ReadFailed, ReadOnlyFile, file_state
from .findings import Finding
from .follow import Progress, Reading
from .jsonl import JsonlRows, NoRows
from .known_bytes import KnownBytes
from .ledger import Ledger, LedgerChanged, RunIdentity, decode_again
from .line_reader import LineReader
from .lines import Splitter
from .row_reader import RowReader
from .rows import RowIndex

_CHUNK: Final = 1 << 18
_SETTLING_MS: Final = 50.0
"""File systems stamp writes by a clock that ticks this slowly at worst: two within may look like one."""


class RunFiles(Protocol):
    """What a follower must know of the files of a run."""

    @property
    def ledger_path(self) -> Path:
        """The ledger."""

    def read_header(self) -> tuple[RunHeader | None, tuple[Finding, ...]]:
        """Return the run's header and the findings on it."""

    def identity(self, header: RunHeader | None) -> RunIdentity:
        """Return the ids that every row must carry."""

    def beside_state(self) -> Hashable:
        """Return what changes whenever a file beside the ledger does; opens none."""


class _Turn(Enum):
    """What a look at the file asks for."""

    NOTHING = auto()
    TOUCHED = auto()
    """Its time is another, its bytes are the same."""
    READ_ON = auto()


class _Other(Exception):
    """The file is no longer the one that was read; the text says what happened."""


@dataclass
class _Growing:
    """One file as far as it was read."""

    identity: RunIdentity
    source: JsonlRows | NoRows
    rows: RowIndex
    tools: ToolLedger
    reader: LineReader
    file: ReadOnlyFile | None = None
    failure: str = ""
    """Code of why there is no file."""
    state: FileState | None = None
    """How it stood when it was looked at last."""
    sure: bool = False
    """Whether every write since then is certain to show in its state."""
    broken: str = ""
    """Why what was read cannot be relied on."""
    tail_is_event: bool = False
    """Whether the line at the end, though its line feed is missing, was taken as the event that it is."""

    def __post_init__(self) -> None:
        self.known = KnownBytes()
        self.lines = Splitter()
        self.shown: RowIndex | None = None
        """The copy that was handed out last, while it is true."""
        self.row_findings: list[Finding] = []
        self.found: list[Finding] = []


class JsonlFollower:
    """Follows the ledger file of one run. It keeps one file open; `close` gives it back."""

    def __init__(self, files: RunFiles) -> None:
        self._files = files
        self._path = files.ledger_path
        self._given: tuple[Finding, ...] = ()
        self._beside: Hashable = None
        self._header: RunHeader | None = None
        self._findings: tuple[Finding, ...] = ()
        self._growing: _Growing | None = None
        self._retired: list[JsonlRows | NoRows] = []

    def poll(self, now_ms: float, given: tuple[Finding, ...], progress: Progress | None) -> Reading | None:
        """Read what is new; None where nothing is. What `progress` raises comes through, and the next call goes on."""
        self._close_retired()
        other_beside = self._read_beside(given)
        identity = self._files.identity(self._header)
        state = file_state(self._path, follow=False)
        try:
            turn = self._look(identity, state, now_ms)
            if turn is _Turn.READ_ON and self._growing is not None and state is not None:
                self._read_on(self._growing, state, progress)
        except _Other as other:
            return self._read_anew(identity, now_ms, progress, str(other))
        if turn is _Turn.NOTHING and not other_beside:
            return None
        growing = self._growing
        return None if growing is None else Reading(self._ledger(growing), anew=False)

    def close(self) -> None:
        """Give back what is open; what was handed out can no longer read rows."""
        if self._growing is not None:
            self._retired.append(self._growing.source)
            self._growing = None
        self._close_retired()

    def _close_retired(self) -> None:
        # Only now: when a file gave way to another one, threads may still have been reading rows of the old one.
        while self._retired:
            self._retired.pop().close()

    def _read_beside(self, given: tuple[Finding, ...]) -> bool:
        beside = self._files.beside_state()
        if beside == self._beside and given == self._given:
            return False
        self._beside, self._given = beside, given
        self._header, self._findings = self._files.read_header()
        return True

    def _look(self, identity: RunIdentity, state: FileState | None, now_ms: float) -> _Turn:
        """Say what is to be done. Raises _Other."""
        growing = self._growing
        if growing is None:
            raise _Other("")
        if identity != growing.identity:
            gone = growing.file is not None and state is None
            header = "can no longer be read" if self._header is None else "names other ids than before"
            raise _Other(_REMOVED if gone else f"The header {header}: the ledger was read anew.")
        if growing.broken:
            raise _Other(growing.broken)
        file, before = growing.file, growing.state
        if file is None or before is None:
            return self._look_for_file(growing)
        if state is None:
            raise _Other(_REMOVED)
        if state.identity != before.identity:
            raise _Other("The ledger was replaced by another file, which was read anew.")
        if state == before and growing.sure:
            return _Turn.NOTHING
        turn = self._compare(growing, file, state, touched=state != before)
        growing.state, growing.sure = state, now_ms - state.mtime_ms > _SETTLING_MS
        return turn

    def _look_for_file(self, growing: _Growing) -> _Turn:
        try:
            ReadOnlyFile(self._path, follow=False).close()
        except ReadFailed as error:
            if error.code == growing.failure:
                return _Turn.NOTHING
            # It cannot be read for another reason than before: a remark on the ledger says which.
            raise _Other("") from error
        raise _Other("There is a ledger now.")

    def _compare(self, growing: _Growing, file: ReadOnlyFile, state: FileState, *, touched: bool) -> _Turn:
        known = growing.known
        try:
            if state.size == known.size:
                if known.stand_all(file) if touched else known.stand(file):
                    return _Turn.TOUCHED if touched else _Turn.NOTHING
            elif state.size > known.size and known.stand(file):
                return _Turn.READ_ON
            elif state.size >= known.lines and not growing.tail_is_event and known.lines_stand(file):
                known.drop_unfinished()
                growing.lines.drop()
                growing.shown = None
                return _Turn.READ_ON
        except ReadFailed as error:
            raise _Other(f"The ledger could not be read on: {error.message}. It was read anew.") from error
        if state.size < known.size:
            raise _Other(f"The ledger was cut by {known.size - state.size:,} bytes and read anew.")
        raise _Other(_OVERWRITTEN)

    def _read_on(self, growing: _Growing, state: FileState, progress: Progress | None) -> None:
        """Take the bytes up to the size of `state`. Raises _Other where they are not a continuation."""
        file, known = growing.file, growing.known
        if file is None:
            return
        mark, growing.shown = known.mark, None
        growing.broken = _OVERWRITTEN  # true until it was checked, should the reading be stopped
        try:
            while known.size < state.size and (chunk := file.read_at(known.size, min(_CHUNK, state.size - known.size))):
                self._take(growing, chunk)
                if progress is not None:
                    progress(known.size, state.size)
            self._take_last(growing)
            steady = file.state() == state or known.stand_since(mark, file)
        except (ReadFailed, LedgerChanged) as error:
            if mark.size:
                raise _Other(_OVERWRITTEN) from error
            growing.broken = f"Reading stopped: {error.message}. The ledger was read anew."
            said = f"reading stopped here: {error.message}"
            growing.found = [
                Finding("ledger_unreadable", said, line=growing.rows.line(len(growing.rows)), path=str(self._path))
            ]
            return
        growing.broken = "" if steady else _OVERWRITTEN

    def _take(self, growing: _Growing, chunk: bytes) -> None:
        growing.known.add(chunk)
        if growing.tail_is_event:
            if not chunk.startswith(b"\n"):
                raise _Other("The last row went on behind its end: the ledger was read anew.")
            growing.tail_is_event = False
            growing.lines = Splitter(growing.lines.start + growing.lines.held + 1)
            chunk = chunk[1:]
        for lines in growing.lines.take(chunk):
            growing.reader.take(lines)

    def _take_last(self, growing: _Growing) -> None:
        """Take the line at the end if it is an event: a row counts as soon as its document is complete."""
        rest = growing.lines.rest
        if not growing.tail_is_event and rest is not None and growing.reader.is_event(rest):
            growing.reader.take(rest)
            growing.tail_is_event = True

    def _read_anew(self, identity: RunIdentity, now_ms: float, progress: Progress | None, said: str) -> Reading:
        if self._growing is not None:
            self._retired.append(self._growing.source)
        growing = self._growing = self._open(identity)
        if growing.file is not None and growing.state is not None:
            growing.sure = now_ms - growing.state.mtime_ms > _SETTLING_MS
            self._read_on(growing, growing.state, progress)
        return Reading(self._ledger(growing), anew=True, said=said)

    def _open(self, identity: RunIdentity) -> _Growing:
        rows = RowIndex()
        try:
            file = ReadOnlyFile(self._path, follow=False)
            state = file.state()
        except ReadFailed as error:
            tools = ToolLedger()
            growing = _Growing(identity, NoRows(), rows, tools, LineReader(RowReader(identity, rows, tools)))
            growing.failure = error.code
            if error.code != "file_missing":
                said = f"the ledger cannot be read: {error.message}"
                growing.found = [Finding("ledger_unreadable", said, path=str(self._path))]
            return growing
        source = JsonlRows(file)

        def event_at(index: int) -> RuntimeEvent:
            return decode_again(rows, index, source.read_row(rows.offsets[index], rows.lengths[index]), str(self._path))

        tools = ToolLedger(event_at)
        reader = LineReader(RowReader(identity, rows, tools))
        return _Growing(identity, source, rows, tools, reader, file, state=state)

    def _ledger(self, growing: _Growing) -> Ledger:
        if growing.shown is None:
            growing.shown = growing.rows.copied()
            # What was held back when the reading stopped is no row: nobody knows where it ends.
            rest = None if growing.tail_is_event or growing.found else growing.lines.rest
            reader = growing.reader.copied(growing.shown)
            if rest is not None:
                reader.take(rest)
            growing.row_findings = reader.finish(rest is not None)
        state = growing.state
        return Ledger(
            session_id=growing.identity.session_id or "",
            run_id=growing.identity.run_id or "",
            header=self._header,
            rows=growing.shown,
            tool_ledger=growing.tools,
            findings=(*self._given, *self._findings, *growing.found, *growing.row_findings),
            source=growing.source,
            size=growing.known.size,
            modified_ms=state.mtime_ms if state else None,
            path=str(self._path),
        )


_REMOVED: Final = "The ledger was removed."
_OVERWRITTEN: Final = "The ledger was overwritten and read anew."
