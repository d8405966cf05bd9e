"""A run that another process finds in the private copy of a database. Loaded where there is a database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from ..errors import CoreError
from ..sqlite.events import event_payload
from ..sqlite.files import DatabaseFiles
from ..sqlite.ledger import SqliteRows, read_sqlite_ledger
from ..sqlite.opening import open_copy_again
from ..sqlite.run import SqliteRunStorage
from ..storage.findings import Finding
from ..storage.ledger import RowSource, RunIdentity
from ..storage.run import Progress, Run
from .handover import Growing, Header, Part, hand_over

_USUAL_ROW: Final = 640
"""Bytes."""


class InCopy(Struct, frozen=True):
    """A run in the private copy of a database, which the process that made it holds open."""

    copy: Path
    files: DatabaseFiles
    identity: RunIdentity
    header: Header
    given: tuple[Finding, ...]
    """Findings on what is around the run."""

    def parts(self, progress: Progress, growing: Growing) -> Iterator[Part]:
        """Read the run and hand over what of it `growing` did not hand over meanwhile."""
        with open_copy_again(self.copy, self.files) as database:
            source = SqliteRows(lambda key: event_payload(database, key), database.path)
            findings = self.given + self.header[1]
            header, index = self.header[0], growing.rows
            ledger = read_sqlite_ledger(database, source, self.identity, header, findings, progress, index)
            yield from hand_over(ledger, self.header, growing)


def bytes_copied(run: Run) -> int:
    """Return how many bytes, about, the rows of a run have in a private copy; 0 where there is none."""
    storage = run.storage
    if type(storage) is not SqliteRunStorage or storage.copied is None:
        return 0
    try:
        return storage.count_events() * _USUAL_ROW
    except CoreError:
        return 0


def in_copy(run: Run) -> InCopy | None:
    """Return how to find a run of a database; None where there is no private copy."""
    storage = run.storage
    if type(storage) is not SqliteRunStorage or storage.copied is None:
        return None
    try:
        header = storage.read_header()
    except CoreError:
        return None
    return InCopy(*storage.copied, storage.identity(header[0]), header, run.given)


def rows_of(run: Run) -> RowSource:
    """Return what reads the rows of a run in a database, which stays open as long as its workspace."""
    assert isinstance(run.storage, SqliteRunStorage)
    return run.storage.rows
