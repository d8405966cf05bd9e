"""The JSONL source: bytes of a ledger file -> rows, events, torn tail, unreadable rows (format: reading a ledger)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, islice
from pathlib import Path
from typing import Final, NamedTuple

from ..decision.tool_ledger import ToolLedger
from ..records.events import RuntimeEvent
from ..records.headers import RunHeader
from ..records.json_text import classify
from .file_changes import ReadSum, changes
from .files import FileState, ReadFailed, ReadOnlyFile
from .findings import Finding
from .ledger import Ledger, LedgerChanged, RunIdentity, decode_again
from .row_reader import RowReader
from .rows import RowIndex, RowKind

MAX_ROW: Final = 128 << 20
"""Bytes. A longer row is located, shown and not decoded: it blocks, and cannot exhaust the memory."""

_USUAL_ROW: Final = 640
"""Bytes."""
_CHUNK: Final = 1 << 18
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
        file = ReadOnlyFile(path, follow=False)
    except ReadFailed as error:
        if error.code != "file_missing":
            found.append(Finding("ledger_unreadable", f"the ledger cannot be read: {error.message}", path=str(path)))
        return _ledger(path, identity, header, rows, ToolLedger(), found, NoRows(), None)
    before = file.state()
    source = JsonlRows(file)
    read = ReadSum()

    def event_at(index: int) -> RuntimeEvent:
        return decode_again(rows, index, source.read_row(rows.offsets[index], rows.lengths[index]), str(path))

    tools = ToolLedger(event_at, expected=before.size // _USUAL_ROW)
    reader = _Reader(RowReader(identity, rows, tools))
    try:
        for lines in _lines(file, before.size, read, progress):
            reader.take(lines)
    except (ReadFailed, LedgerChanged) as error:
        said = f"reading stopped here: {error.message}"
        found.append(Finding("ledger_unreadable", said, line=rows.line(len(rows)), path=str(path)))
    if tools.length == rows.committed:
        ends_open = before.size > 0 and not _ends_with_line_feed(file, before.size)
        found += reader.finish(ends_open)
    else:
        # The fold was stopped inside an event: what it knows is the plan of no prefix at all.
        rows, tools = RowIndex(), ToolLedger(event_at)
    found += changes(file, before, read, path)
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
    """Takes lines in order; blank ones are no rows."""

    def __init__(self, reader: RowReader) -> None:
        self._reader = reader
        self._rows = reader.rows
        self._last: bytes | None = None

    def take(self, lines: _Lines | _HugeLine) -> None:
        """Read some lines, blank ones included."""
        if isinstance(lines, _HugeLine):
            self._last = None
            too_large = Finding("row_too_large", f"longer than {MAX_ROW:,} bytes; not decoded")
            self._reader.add_unreadable(too_large, lines.offset, lines.length)
            return
        read = self._reader.decode_together(lines.payloads)
        if read is None:
            self._take_singly(lines)
            return
        self._last = None
        lengths = list(map(len, lines.payloads))
        starts = accumulate(lengths, lambda start, length: start + length + 1, initial=lines.offset)
        self._reader.add_together(read, islice(starts, len(lengths)), lengths)

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

    def _take_singly(self, lines: _Lines) -> None:
        offset = lines.offset
        for payload in lines.payloads:
            self._take_one(offset, payload)
            offset += len(payload) + 1
        self._reader.flush()

    def _take_one(self, offset: int, payload: bytes) -> None:
        event = self._reader.decode(payload)
        if not isinstance(event, Finding):
            self._last = None
            self._reader.add(event, offset, len(payload))
        elif event.code == "row_foreign_identity":
            self._last = None
            self._reader.add_unreadable(event, offset, len(payload))
        elif is_blank(payload):
            self._rows.skip_blank_line()
        else:
            self._last = payload
            self._reader.add_unreadable(event, offset, len(payload))


def is_blank(line: bytes) -> bool:
    """Tell whether a line holds white space of ECMAScript and nothing else."""
    return not line.strip() or _BLANK.issuperset(line.decode("utf-8", "replace"))


def _lines(file: ReadOnlyFile, size: int, read: ReadSum, progress: Progress | None) -> Iterator[_Lines | _HugeLine]:
    """Yield the lines of the first `size` bytes, some at a time; the last may lack its line feed.

    Raises LedgerChanged where fewer bytes are there: what stands at the end is then no row's own end.
    """
    offset = start = held = 0
    pieces: list[bytes] = []
    while offset < size:
        chunk = file.read_at(offset, min(_CHUNK, size - offset))
        if not chunk:
            raise LedgerChanged("the file was cut while it was read", path=str(file.path), offset=offset)
        read.add(chunk)
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
