"""The JSONL source: bytes of a ledger file -> rows, events, torn tail, unreadable rows (format: reading a ledger)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Final, NamedTuple

from .codec import FAST_EVENTS, decode_event
from .errors import EventDecodeError
from .events import RuntimeEvent
from .exact import REFUSALS
from .execution import one_execution
from .files import FileState, ReadFailed, ReadOnlyFile, file_state
from .findings import Finding
from .headers import RunHeader
from .json_text import classify
from .ledger import Ledger, LedgerChanged, RunIdentity
from .rows import RowIndex, RowKind, row_kind
from .tool_ledger import ToolLedger

MAX_ROW: Final = 128 << 20
"""Bytes. A longer row is located, shown and not decoded: it blocks, and cannot exhaust the memory."""

_USUAL_ROW: Final = 640
"""Bytes."""
_CHUNK: Final = 1 << 18
_DECODE: Final = FAST_EVENTS.decode
_IDS: Final = attrgetter("session_id", "run_id", "turn_id", "invocation_id")
_BLANK: Final = frozenset("\t\v\f \u00a0\ufeff\u1680\u2028\u2029\u202f\u205f\u3000\n\r") | {
    chr(code) for code in range(0x2000, 0x200B)
}
"""White space of ECMAScript: a line of nothing else is blank. Python's own idea of white space differs."""

Progress = Callable[[int, int], None]
"""Called with bytes done and bytes in all; it may raise to stop the reading."""


class _Lines(NamedTuple):
    """Some lines of the file that stand one behind the other."""

    offset: int
    """Of the first line."""
    payloads: list[bytes]
    """Each without its line feed."""


class _HugeLine(NamedTuple):
    """A line that is too long to decode."""

    offset: int
    length: int


class JsonlRows:
    """Rows of an open ledger file, read at their positions; the file may be cut or replaced under us."""

    def __init__(self, file: ReadOnlyFile) -> None:
        self._file = file

    def read_row(self, offset: int, length: int) -> bytes:
        """Return the bytes of one row. Raises LedgerChanged where fewer are left."""
        try:
            payload = self._file.read_at(offset, min(length, MAX_ROW))
        except ReadFailed as error:
            raise LedgerChanged(error.message, path=error.path, offset=offset, length=length) from error
        if len(payload) < min(length, MAX_ROW):
            raise LedgerChanged(
                "the file was cut after it was read", path=str(self._file.path), offset=offset, length=length
            )
        return payload

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class NoRows:
    """The source of a ledger that has no file."""

    def read_row(self, offset: int, length: int) -> bytes:
        """Raise LedgerChanged: there is nothing to read."""
        raise LedgerChanged("there is no ledger file", offset=offset, length=length)

    def close(self) -> None:
        """Do nothing."""


def read_jsonl_ledger(
    path: Path,
    identity: RunIdentity,
    header: RunHeader | None,
    findings: tuple[Finding, ...] = (),
    progress: Progress | None = None,
) -> Ledger:
    """Read a ledger file as far as it stood when it was opened.

    A missing file is an empty ledger (format: nothing needs to exist). A file that cannot be read gives an empty ledger
    with a finding that makes it unreadable. `findings` are those known already, such as the header's. `session_id` and
    `run_id` of `identity` name the ledger.
    """
    rows = RowIndex()
    found = list(findings)
    try:
        file = ReadOnlyFile(path)
    except ReadFailed as error:
        if error.code != "file_missing":
            found.append(Finding("ledger_unreadable", f"the ledger cannot be read: {error.message}", path=str(path)))
        return _ledger(path, identity, header, rows, ToolLedger(), found, NoRows(), None)
    before = file.state()
    source = JsonlRows(file)

    def event_at(index: int) -> RuntimeEvent:
        return decode_event(source.read_row(rows.offsets[index], rows.lengths[index]))

    tools = ToolLedger(event_at, expected=before.size // _USUAL_ROW)
    reader = _Reader(identity, rows, tools)
    try:
        for lines in _lines(file, before.size, progress):
            reader.take(lines)
    except (ReadFailed, LedgerChanged) as error:
        said = f"reading stopped here: {error.message}"
        found.append(Finding("ledger_unreadable", said, line=rows.line(len(rows)), path=str(path)))
    ends_open = before.size > 0 and not _ends_with_line_feed(file, before.size)
    found += reader.finish(ends_open)
    found += _changes(file, before, path)
    return _ledger(path, identity, header, rows, tools, found, source, before)


def _ledger(
    path: Path,
    identity: RunIdentity,
    header: RunHeader | None,
    rows: RowIndex,
    tools: ToolLedger,
    found: list[Finding],
    source: JsonlRows | NoRows,
    state: FileState | None,
) -> Ledger:
    return Ledger(
        session_id=identity.session_id or "",
        run_id=identity.run_id or "",
        header=header,
        rows=rows,
        tool_ledger=tools,
        findings=tuple(found),
        source=source,
        size=state.size if state else 0,
        modified_ms=state.mtime_ms if state else None,
        path=str(path),
    )


class _Reader:
    """Takes lines in order and fills the index and the fold; the fold stops at the first unreadable row."""

    def __init__(self, identity: RunIdentity, rows: RowIndex, tools: ToolLedger) -> None:
        self._identity = identity
        self._rows = rows
        self._tools = tools
        self._last: bytes | None = None
        self._alike = False
        """Whether the lines last read together carry the same ids throughout."""

    def take(self, lines: _Lines | _HugeLine) -> None:
        """Read some lines, blank ones included."""
        if isinstance(lines, _HugeLine):
            self._last = None
            too_large = Finding("row_too_large", f"longer than {MAX_ROW:,} bytes; not decoded")
            self._add_unreadable(lines.offset, lines.length, too_large)
            return
        events = self._read_together(lines)
        if events is None:
            events, self._alike = self._read_singly(lines), False
        self._tools.extend(events, one_execution=self._alike)

    def finish(self, ends_open: bool) -> list[Finding]:
        """Return the findings on rows; an incomplete last row becomes a torn tail where the file ends inside it."""
        last = len(self._rows) - 1
        if ends_open and self._last is not None and last in self._rows.findings:
            text = self._last.decode("utf-8", "replace")
            if self._rows.findings[last].code == "row_invalid_json" and classify(text) == "incomplete-prefix":
                self._rows.kinds[last] = RowKind.TORN
                self._rows.findings[last] = Finding(
                    "torn_tail",
                    "the last row is incomplete: not an event, not counted",
                    line=self._rows.line(last),
                    offset=self._rows.offsets[last],
                    length=self._rows.lengths[last],
                )
        return list(self._rows.findings.values())

    def _read_together(self, lines: _Lines) -> list[RuntimeEvent] | None:
        """Read lines that are all plain rows of this run, several times as fast; None where they may not be."""
        if self._rows.findings:
            return None
        try:
            events = list(map(_DECODE, lines.payloads))
            for payload in lines.payloads:
                if not payload.isascii():
                    str(payload, "utf-8")
        except REFUSALS:
            return None
        self._alike = one_execution(events)
        if not all(self._identity.covers(*ids) for ids in set(map(_IDS, events[:1] if self._alike else events))):
            return None
        self._last = None
        self._rows.extend(events, lines.offset, list(map(len, lines.payloads)))
        return events

    def _read_singly(self, lines: _Lines) -> list[RuntimeEvent]:
        """Read lines one by one; return the events that count."""
        events: list[RuntimeEvent] = []
        offset = lines.offset
        for payload in lines.payloads:
            event = self._read_row(offset, payload)
            if event is not None and not self._rows.findings:
                events.append(event)
            offset += len(payload) + 1
        return events

    def _read_row(self, offset: int, payload: bytes) -> RuntimeEvent | None:
        try:
            event = decode_event(payload)
        except EventDecodeError as error:
            if is_blank(payload):
                self._rows.skip_blank_line()
                return None
            self._last = payload
            detail = f"byte {error.offset:,} of the row" if error.offset is not None else None
            what = Finding(error.code, error.message, field=error.field, detail=detail)
            self._add_unreadable(offset, len(payload), what)
            return None
        self._last = None
        stranger = self._identity.foreign_field(event)
        if stranger is not None:
            what = Finding("row_foreign_identity", "the row belongs to another run", field=stranger)
            self._add_unreadable(offset, len(payload), what)
            return None
        self._rows.append(row_kind(event), offset, len(payload), event.ts)
        return event

    def _add_unreadable(self, offset: int, length: int, what: Finding) -> None:
        finding = replace(what, line=self._rows.line(len(self._rows)), offset=offset, length=length)
        self._rows.append(RowKind.UNREADABLE, offset, length, float("nan"), finding)


def is_blank(line: bytes) -> bool:
    """Tell whether a line holds white space of ECMAScript and nothing else."""
    return not line.strip() or _BLANK.issuperset(line.decode("utf-8", "replace"))


def _lines(file: ReadOnlyFile, size: int, progress: Progress | None) -> Iterator[_Lines | _HugeLine]:
    """Yield the lines of the first `size` bytes, some at a time; the last may lack its line feed."""
    offset = start = held = 0
    pieces: list[bytes] = []
    while offset < size:
        chunk = file.read_at(offset, min(_CHUNK, size - offset))
        if not chunk:
            break
        offset += len(chunk)
        payloads = chunk.split(b"\n")
        rest = payloads.pop()
        if not payloads:
            held += len(rest)
            pieces.append(rest if held <= MAX_ROW else b"")
            continue
        if held + len(payloads[0]) > MAX_ROW:
            huge = _HugeLine(start, held + len(payloads.pop(0)))
            yield huge
            start += huge.length + 1
        elif pieces:
            payloads[0] = b"".join((*pieces, payloads[0]))
        if payloads:
            yield _Lines(start, payloads)
            start += sum(map(len, payloads)) + len(payloads)
        pieces, held = [rest], len(rest)
        if progress is not None:
            progress(offset, size)
    if held > MAX_ROW:
        yield _HugeLine(start, held)
    elif held:
        yield _Lines(start, [b"".join(pieces)])


def _ends_with_line_feed(file: ReadOnlyFile, size: int) -> bool:
    try:
        return file.read_at(size - 1, 1) == b"\n"
    except ReadFailed:
        return True


def _changes(file: ReadOnlyFile, before: FileState, path: Path) -> Iterator[Finding]:
    try:
        after = file.state()
    except ReadFailed as error:
        yield Finding("ledger_changed", f"the ledger can no longer be read: {error.message}", path=str(path))
        return
    now = file_state(path)
    if after.size < before.size:
        lost = before.size - after.size
        yield Finding(
            "ledger_shrank",
            f"the ledger was cut by {lost:,} bytes while it was read",
            offset=after.size,
            path=str(path),
        )
    elif after.size > before.size:
        more = after.size - before.size
        yield Finding("ledger_grew", f"{more:,} bytes were added while it was read", offset=before.size, path=str(path))
    if now is None:
        yield Finding(
            "ledger_vanished", "the ledger was removed while it was read; what was read is shown", path=str(path)
        )
    elif now.identity != before.identity:
        yield Finding(
            "ledger_replaced", "the ledger was replaced while it was read; the old one is shown", path=str(path)
        )
