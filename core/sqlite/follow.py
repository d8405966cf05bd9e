"""Following the rows of a run in a database."""

from __future__ import annotations

from typing import Protocol

from ..records.headers import RunHeader
from ..storage.findings import Finding
from ..storage.follow import Progress, Reading
from ..storage.ledger import Ledger
from .state import SqliteState


class RunTables(Protocol):
    """What a follower must know of the tables of a run."""

    def read_header(self) -> tuple[RunHeader | None, tuple[Finding, ...]]:
        """Return the run's header and the findings on it."""

    def read_ledger(self, header: RunHeader | None, findings: tuple[Finding, ...], progress: Progress | None) -> Ledger:
        """Read the whole ledger; `findings` are those known already."""


class SqliteFollower:
    """Follows the ledger of one run in a database that is opened again whenever it changed."""

    def __init__(self, tables: RunTables, state: SqliteState) -> None:
        self._tables = tables
        self._state = state
        self._seen = 0

    def poll(self, now_ms: float, given: tuple[Finding, ...], progress: Progress | None) -> Reading | None:
        """Read what is new; None where the database was not opened again since the last call."""
        del now_ms
        opened = self._state.opened
        if opened == self._seen:
            return None
        header, findings = self._tables.read_header()
        ledger = self._tables.read_ledger(header, (*given, *findings), progress)
        self._seen = opened
        return Reading(ledger, anew=True)

    def close(self) -> None:
        """Do nothing: the database belongs to the workspace."""
