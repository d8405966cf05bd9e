"""The JSONL source: bytes of a ledger file -> rows, events, torn tail, unreadable rows (format: reading a ledger)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from ..decision.tool_ledger import ToolLedger
from ..records.events import RuntimeEvent
from ..records.headers import RunHeader
from .file_changes import ReadSum, changes
from .files import FileState, ReadFailed, ReadOnlyFile
from .findings import Finding
from .ledger import Ledger, LedgerChanged, RunIdentity, decode_again
from .line_reader import LineReader
from .lines import MAX_ROW, HugeLine, Lines, Splitter
from .row_reader import RowReader
from .rows import RowIndex

_USUAL_ROW: Final = 640
"""Bytes."""
_CHUNK: Final = 1 << 17
_LARGEST_CHUNK: Final = 1 << 19
_ROWS_OF_CHUNK: Final = 64
"""Bytes that are read at once: at least the first, at most the second, and about so many rows. What is read together
should stay in the processor's cache, and each reading costs something of its own."""

Progress = Callable[[int, int], None]
"""Called with bytes done and bytes in all; it may raise to stop the reading."""


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
    reader = LineReader(RowReader(identity, rows, tools))
    splitter = Splitter(max_row=MAX_ROW)
    ends_open = False
    try:
        for lines in _lines(file, before.size, splitter, rows, read, progress):
            reader.take(lines)
        ends_open = splitter.held > 0
    except (ReadFailed, LedgerChanged) as error:
        said = f"reading stopped here: {error.message}"
        found.append(Finding("ledger_unreadable", said, line=rows.line(len(rows)), path=str(path)))
    if tools.length == rows.committed:
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


def _lines(
    file: ReadOnlyFile, size: int, splitter: Splitter, rows: RowIndex, read: ReadSum, progress: Progress | None
) -> Iterator[Lines | HugeLine]:
    """Yield the lines of the first `size` bytes, some at a time; the last may lack its line feed.

    `rows` tells how long rows are. Raises LedgerChanged where fewer bytes are there: what stands at the end is then no
    row's own end.
    """
    offset = 0
    while offset < size:
        usual = _ROWS_OF_CHUNK * offset // (len(rows) or 1)
        chunk = file.read_at(offset, min(max(_CHUNK, usual), _LARGEST_CHUNK, size - offset))
        if not chunk:
            raise LedgerChanged("the file was cut while it was read", path=str(file.path), offset=offset)
        read.add(chunk)
        offset += len(chunk)
        for some in splitter.take(chunk):
            first, last = some.offset == 0, offset == size
            if (first or last) and isinstance(some, Lines):
                yield from some.ends_apart(first=first, last=last)
            else:
                yield some
        if progress is not None:
            progress(offset, size)
    if splitter.rest is not None:
        yield splitter.rest
