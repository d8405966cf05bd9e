"""How another process finds the run that this one has before it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from ..errors import CoreError
from ..sqlite.events import event_payload
from ..sqlite.files import DatabaseFiles
from ..sqlite.ledger import SqliteRows, read_sqlite_ledger
from ..sqlite.opening import open_copy_again
from ..sqlite.run import SqliteRunStorage
from ..storage.files import file_state
from ..storage.findings import Finding
from ..storage.jsonl_workspace import JsonlRunStorage, RunFolder
from ..storage.ledger import RunIdentity
from ..storage.run import Progress, Run
from .handover import Header, Part, hand_over

_USUAL_ROW: Final = 640
"""Bytes."""


class InFiles(Struct, frozen=True):
    """A run in files."""

    session_id: str
    run_id: str
    folder: RunFolder
    given: tuple[Finding, ...]
    """Findings on what is around the run."""

    def parts(self, progress: Progress) -> Iterator[Part]:
        """Read the run and hand it over; it knows no relatives, which no row depends on."""
        run = Run(self.session_id, self.run_id, JsonlRunStorage(self.folder), self.given)
        with closing(run.ledger(progress)) as ledger:
            yield from hand_over(ledger, run.header_read)


class InCopy(Struct, frozen=True):
    """A run in the private copy of a database, which the process that made it holds open."""

    copy: Path
    files: DatabaseFiles
    identity: RunIdentity
    header: Header
    given: tuple[Finding, ...]
    """Findings on what is around the run."""

    def parts(self, progress: Progress) -> Iterator[Part]:
        """Read the run and hand it over."""
        with open_copy_again(self.copy, self.files) as database:
            source = SqliteRows(lambda key: event_payload(database, key), database.path)
            findings = self.given + self.header[1]
            ledger = read_sqlite_ledger(database, source, self.identity, self.header[0], findings, progress)
            yield from hand_over(ledger, self.header)


Recipe: TypeAlias = InFiles | InCopy


def bytes_apart(run: Run) -> int:
    """Return how many bytes, about, another process would have to read of a run; 0 where only this one can."""
    storage = run.storage
    if type(storage) is JsonlRunStorage:
        state = file_state(storage.folder.ledger, follow=False)
        return state.size if state is not None else 0
    if type(storage) is not SqliteRunStorage or storage.copied is None:
        return 0
    try:
        return storage.count_events() * _USUAL_ROW
    except CoreError:
        return 0


def recipe_of(run: Run) -> Recipe | None:
    """Return how to find a run; None where only this process can read it."""
    storage = run.storage
    # Whatever else looks like one of these may answer otherwise.
    if type(storage) is JsonlRunStorage:
        return InFiles(run.session_id, run.run_id, storage.folder, run.given)
    if type(storage) is not SqliteRunStorage or storage.copied is None:
        return None
    try:
        header = storage.read_header()
    except CoreError:
        return None
    return InCopy(*storage.copied, storage.identity(header[0]), header, run.given)
