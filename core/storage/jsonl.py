"""The JSONL source: bytes of a ledger file -> rows, events, torn tail, unreadable rows (format: reading a ledger)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from ..decision.tool_ledger import ToolLedger
from ..records.events import RuntimeEvent
from ..records.headers import RunHeader
from .ahead import Ahead
from .file_changes import changes
from .files import FileState, ReadFailed, ReadOnlyFile
from .findings import Finding
from .jsonl_reading import JsonlReading
from .jsonl_reading import Progress as Progress
from .ledger import Ledger, LedgerChanged, RunIdentity, decode_again
from .line_reader import LineReader
from .lines import MAX_ROW
from .row_reader import RowReader
from .rows import RowIndex

_USUAL_ROW: Final = 640
"""Bytes."""


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
    ahead: Callable[[ReadOnlyFile], Ahead] | None = None,
    index: RowIndex | None = None,
) -> Ledger:
    """Read a ledger file as far as it stood when it was opened.

    A missing file is an empty ledger (format: nothing needs to exist). A file that cannot be read gives an empty ledger
    with a finding that makes it unreadable. `findings` are those known already, such as the header's. `session_id` and
    `run_id` of `identity` name the ledger. `ahead` gives what decodes parts of the open file meanwhile. `index`
    is an empty one to fill, for whoever looks at it as it grows; where more than one look is needed, the ledger has
    another one in the end.
    """
    ledger = _read(path, identity, header, findings, progress, ahead, index, trusting=True)
    if ledger.tool_ledger.settle():
        return ledger
    # What a repeated id means is seen where it stands: its rows must be taken in order, each one looked up.
    ledger.close()
    return _read(path, identity, header, findings, progress, ahead, None, trusting=False)


def _read(
    path: Path,
    identity: RunIdentity,
    header: RunHeader | None,
    findings: tuple[Finding, ...],
    progress: Progress | None,
    ahead: Callable[[ReadOnlyFile], Ahead] | None,
    index: RowIndex | None,
    *,
    trusting: bool,
) -> Ledger:
    rows = RowIndex() if index is None else index
    found = list(findings)
    try:
        file = ReadOnlyFile(path, follow=False)
    except ReadFailed as error:
        if error.code != "file_missing":
            found.append(Finding("ledger_unreadable", f"the ledger cannot be read: {error.message}", path=str(path)))
        return _ledger(path, identity, header, rows, ToolLedger(), found, NoRows(), None)
    before = file.state()
    source = JsonlRows(file)

    def event_at(index: int) -> RuntimeEvent:
        return decode_again(rows, index, source.read_row(rows.offsets[index], rows.lengths[index]), str(path))

    tools = ToolLedger(event_at, expected=before.size // _USUAL_ROW, trusting=trusting)
    reader = LineReader(RowReader(identity, rows, tools))
    reading = JsonlReading(file, before.size, reader, rows, progress)
    try:
        if ahead is None:
            reading.read()
        else:
            reading.read_with(ahead(file))
    except (ReadFailed, LedgerChanged) as error:
        said = f"reading stopped here: {error.message}"
        found.append(Finding("ledger_unreadable", said, line=rows.line(len(rows)), path=str(path)))
    if tools.length == rows.committed:
        found += reader.finish(reading.ends_open)
    else:
        # The fold was stopped inside an event: what it knows is the plan of no prefix at all.
        rows, tools = RowIndex(), ToolLedger(event_at)
    found += changes(file, before, reading.sums, path)
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
