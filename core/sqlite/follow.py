"""Following the rows of a run in a database: those behind the last one are read, as long as the others still stand."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Protocol

from ..records.headers import RunHeader
from ..storage.findings import Finding
from ..storage.follow import Progress, Reading
from ..storage.ledger import Ledger, LedgerChanged, RunIdentity
from .database import Database
from .ledger import RunReading, SqliteRows
from .state import SqliteState


class RunTables(Protocol):
    """What a follower must know of the tables of a run."""

    def read_header(self) -> tuple[RunHeader | None, tuple[Finding, ...]]:
        """Return the run's header and the findings on it."""

    def identity(self, header: RunHeader | None) -> RunIdentity:
        """Return the ids that every row must carry."""

    def state(self) -> Hashable:
        """Return what changes whenever anything of the run does."""

    @property
    def rows(self) -> SqliteRows:
        """Fetches rows again."""


class SqliteFollower:
    """Follows the ledger of one run in a database that is opened again whenever it changed."""

    def __init__(self, tables: RunTables, state: SqliteState) -> None:
        self._tables = tables
        self._state = state
        self._seen: tuple[int, tuple[Finding, ...]] | None = None
        self._shown: Hashable = None
        self._reading: RunReading | None = None
        self._sound = False

    def poll(self, now_ms: float, given: tuple[Finding, ...], progress: Progress | None) -> Reading | None:
        """Read what is new; None where nothing of this run is."""
        del now_ms
        seen = (self._state.opened, given)
        if seen == self._seen:
            return None
        header, findings = self._tables.read_header()
        identity, before = self._tables.identity(header), self._reading if self._sound else None
        (ledger, steady) = self._state.ask(self._question(identity, header, (*given, *findings), progress))
        self._seen, self._sound = seen, steady
        ledger = ledger if steady else unsteady(ledger, self._state.path)
        before_this, self._shown = self._shown, (self._tables.state(), ledger.findings, len(ledger.rows))
        if self._reading is before:
            return Reading(ledger, anew=False) if self._shown != before_this else None
        others = "The rows that were read are other ones now: all were read anew."
        return Reading(ledger, anew=True, said=others if before is not None else "")

    def _question(
        self,
        identity: RunIdentity,
        header: RunHeader | None,
        findings: tuple[Finding, ...],
        progress: Progress | None,
    ) -> Callable[[Database], Ledger]:
        def read(database: Database) -> Ledger:
            reading = self._reading
            # Whatever was read of a state that did not hold still, or while this was stopped, is worth nothing.
            sound, self._sound = self._sound, False
            if reading is not None and sound and reading.identity == identity and reading.stands(database):
                try:
                    reading.read_on(database, progress)
                    return reading.ledger(database, header, findings)
                except LedgerChanged:
                    # Rows in the middle are other ones; what is read below is of this state alone.
                    pass
            reading = self._reading = RunReading(self._tables.rows, identity, database, followed=True)
            reading.read_on(database, progress)
            return reading.ledger(database, header, findings)

        return read

    def close(self) -> None:
        """Do nothing: the database belongs to the workspace."""


def unsteady(ledger: Ledger, path: str) -> Ledger:
    """Say that a ledger may mix two states of a database."""
    said = "the database changed while it was read, each time: what is shown may mix two states"
    return replace(ledger, findings=(*ledger.findings, Finding("still_changing", said, path=path)))
