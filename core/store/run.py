"""One run as a store has it open: the header's ids, the memory of the ledger, the snapshots of its streams."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any

from msgspec import UNSET

from ..errors import AppendRefused, IdentityConflict
from ..records.codec import decode_event, encode_event, event_document
from ..records.events import Actions, FunctionResponse, Refs, RunHeader, RuntimeEvent
from ..storage.layout import HEADER, LEDGER, PARTIALS
from ..storage.ledger import RunIdentity
from ..storage.stream_keys import completed_key, document_stream_key
from .append import not_durable
from .append_file import ATTEMPTS, AppendFile, TailMoved
from .durability import sync_folders
from .headers import read_header
from .ledger_memory import LedgerMemory
from .partials_writer import SnapshotFolder
from .tool_guard import ReadRows


class AppendOutcome(StrEnum):
    """What an append did."""

    WRITTEN = "written"
    """The row is the last of the ledger now."""
    UNCHANGED = "unchanged"
    """The ledger has this row already; nothing was written."""
    STREAMED = "streamed"
    """The delta was added to the snapshot of its stream; the ledger is as it was."""
    DROPPED = "dropped"
    """The stream has its final row already; nothing was written."""


class OpenRun:
    """A run that a store writes to. Entering it as a context manager keeps the store's other threads away."""

    def __init__(self, root: Path, folder: Path, session_id: str, run_id: str) -> None:
        self._root = root
        self._folder = folder
        self._ledger = folder / LEDGER
        self._header = folder / HEADER
        self._ids = session_id, run_id
        self._lock = threading.Lock()
        self._header_state: tuple[int, ...] | None = None
        self._memory = LedgerMemory(RunIdentity(session_id, run_id))
        self._snapshots = SnapshotFolder(folder / PARTIALS)

    def __enter__(self) -> OpenRun:
        self._lock.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def append(
        self,
        given: RuntimeEvent | Mapping[str, Any] | bytes,
        *,
        durable: bool,
        allow_durable_tool_facts: bool = False,
        terminal: bool = False,
    ) -> AppendOutcome:
        """Add one event; see RuntimeEventStore.append."""
        event, row = _prepared(given)
        if terminal and (event.partial or not event.is_terminal):
            said = "only a final terminal event can cross the terminal durability barrier"
            raise AppendRefused(said, code="not_terminal", path=str(self._ledger))
        self._look_at_header()
        stranger = self._memory.identity.foreign_field(event)
        if stranger is not None:
            said = "the event belongs to another run"
            raise AppendRefused(said, code="row_foreign_identity", path=str(self._ledger), field=stranger)
        stream = document_stream_key(event_document(event)) if event.partial else None
        if stream is not None:
            return self._stream(event, stream)
        if not allow_durable_tool_facts:
            _refuse_durable_tool_fact(event, self._ledger)
        outcome = self._commit(event, row, durable, terminal)
        finished = completed_key(event)
        if finished is not None:
            self._snapshots.remove(finished)
        return outcome

    def _look_at_header(self) -> None:
        """Read the header again if it was replaced; with other ids in it the ledger is judged anew."""
        try:
            status = self._header.stat()
            state = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        except OSError:
            state = None
        if state is None or state != self._header_state:
            identity = run_identity(read_header(self._folder, *self._ids))
            if identity != self._memory.identity:
                self._memory = LedgerMemory(identity)
            self._header_state = state

    def _commit(self, event: RuntimeEvent, row: bytes, durable: bool, terminal: bool) -> AppendOutcome:
        if not self._ledger.exists():
            # Judged before the file is created: a refused event leaves nothing behind.
            self._memory.forget()
            self._refuse_transition(event, terminal, lambda rows: ())
        try:
            with AppendFile(self._ledger) as file:
                outcome = self._add(file, event, row + b"\n", terminal)
                if durable:
                    file.sync()
            if durable:
                sync_folders(self._folder, self._root)
        except OSError as error:
            raise not_durable(error, self._ledger) from error
        return outcome

    def _add(self, file: AppendFile, event: RuntimeEvent, row: bytes, terminal: bool) -> AppendOutcome:
        for _ in range(ATTEMPTS):
            tail = self._memory.catch_up(file)
            if self._is_there(file, event, row):
                return AppendOutcome.UNCHANGED
            self._refuse_transition(event, terminal, lambda rows: self._memory.events(file, rows))
            with suppress(TailMoved):
                offset = file.commit(tail, row)
                self._memory.note(file, event, offset, row)
                return AppendOutcome.WRITTEN
        said = "other writers leave no moment to write in"
        raise AppendRefused(said, code="ledger_changed", path=str(self._ledger))

    def _is_there(self, file: AppendFile, event: RuntimeEvent, row: bytes) -> bool:
        known = self._memory.rows.get(event.id)
        if known is None:
            return False
        if event.id in self._memory.repeated:
            said = "several rows of the ledger have this id already"
            raise IdentityConflict(f"{said}: {event.id}", code="id_repeated", path=str(self._ledger))
        if _row_text(self._memory.event(file, known)) != row:
            raise IdentityConflict(f"the id is taken by another content: {event.id}", path=str(self._ledger))
        return True

    def _refuse_transition(self, event: RuntimeEvent, terminal: bool, read: ReadRows) -> None:
        if terminal and self._memory.terminals:
            said = "the run has another terminal event already"
            raise AppendRefused(said, code="terminal_exists", path=str(self._ledger))
        code = self._memory.tools.complaint(event, read)
        if code is not None:
            said = f"the tool ledger would be broken: {code} at {event.id}"
            raise AppendRefused(said, code=code, path=str(self._ledger))

    def _stream(self, event: RuntimeEvent, key: str) -> AppendOutcome:
        if key in self._memory.completed:
            return AppendOutcome.DROPPED
        if self._snapshots.extend(key, event):
            return AppendOutcome.STREAMED
        if self._ledger.exists():
            with AppendFile(self._ledger, create=False) as file:
                self._memory.catch_up(file)
        else:
            self._memory.forget()
        if key in self._memory.completed:
            return AppendOutcome.DROPPED
        self._snapshots.create(key, event, self._memory.last_id)
        return AppendOutcome.STREAMED


def run_identity(header: RunHeader) -> RunIdentity:
    """Return the ids that every row of the header's run must carry."""
    invocation = header.invocation_id if isinstance(header.invocation_id, str) else None
    return RunIdentity(header.session_id, header.run_id, header.turn_id, invocation)


def _prepared(given: RuntimeEvent | Mapping[str, Any] | bytes) -> tuple[RuntimeEvent, bytes]:
    """Return the event and its row; one that was made by hand is held to the shape as well."""
    if isinstance(given, RuntimeEvent):
        row = encode_event(given)
        return decode_event(row), row
    event = decode_event(given)
    return event, encode_event(event)


def _row_text(stored: RuntimeEvent) -> bytes | None:
    """Return how a stored row would be written today; None if it holds what is not written any more."""
    try:
        return encode_event(stored) + b"\n"
    except AppendRefused:
        return None


def _refuse_durable_tool_fact(event: RuntimeEvent, ledger: Path) -> None:
    actions, refs = event.actions, event.refs
    fact = isinstance(actions, Actions) and (actions.tool_dispatch or actions.tool_recovery)
    answer = isinstance(event.content, FunctionResponse) and isinstance(refs, Refs) and refs.operation_id is not UNSET
    if fact or answer:
        said = "dispatch facts, recovery facts and their responses belong to the atomic tool boundary's own writer"
        raise AppendRefused(said, code="durable_tool_fact", path=str(ledger))
