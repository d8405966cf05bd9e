"""How one run in a SQLite database is read; older Makas kept a part of it in files beside the database."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

from ..records.headers import RunHeader
from ..storage.beside import JournalRecord, Owner, PendingInteraction
from ..storage.findings import Finding
from ..storage.follow import LedgerFollower
from ..storage.jsonl_workspace import JsonlRunStorage, RunFolder, is_safe_id
from ..storage.ledger import Ledger, RunIdentity
from ..storage.partials import PartialSnapshot
from ..storage.run import Progress
from ..storage.trace import TraceRecord
from .beside import last_write_ms, read_interactions, read_journal, read_partials, read_trace
from .events import count_events, event_payload
from .files import DatabaseFiles
from .follow import SqliteFollower, unsteady
from .ledger import SqliteRows, read_sqlite_ledger
from .state import SqliteState


class SqliteRunStorage:
    """A run in a database. `files` is where its header and trace are, if they are not in the database."""

    def __init__(self, state: SqliteState, session_id: str, run_id: str, files: JsonlRunStorage | None = None) -> None:
        self._state = state
        self._ids = (session_id, run_id)
        self._files = files

    def read_header(self) -> tuple[RunHeader | None, tuple[Finding, ...]]:
        """Read the header, which must name the run of its row."""
        return self._files.read_header() if self._files else self._state.header(*self._ids)

    def read_ledger(self, header: RunHeader | None, findings: tuple[Finding, ...], progress: Progress | None) -> Ledger:
        """Read the rows of the run."""
        identity, source = self.identity(header), self.rows
        ledger, steady = self._state.ask(
            lambda database: read_sqlite_ledger(database, source, identity, header, findings, progress)
        )
        return ledger if steady else unsteady(ledger, self._state.path)

    @property
    def copied(self) -> tuple[Path, DatabaseFiles] | None:
        """The private copy that is read, and the originals as they stood then; None where none is read."""
        return self._state.copied

    def count_events(self) -> int:
        """Return how many rows the run has, as far as an index knows."""
        return self._state.read(lambda database: count_events(database, *self._ids)) or 0

    @property
    def rows(self) -> SqliteRows:
        """Fetches rows again, from the database as it is then."""
        return SqliteRows(self._payload, self._state.path)

    def identity(self, header: RunHeader | None) -> RunIdentity:
        """Return the ids that every row must carry."""
        session_id, run_id = self._ids
        return RunIdentity(
            session_id=session_id,
            run_id=run_id,
            turn_id=header.turn_id if header else None,
            invocation_id=header.invocation_id if header and isinstance(header.invocation_id, str) else None,
        )

    def follow_ledger(self) -> LedgerFollower:
        """Follow the rows of the run."""
        return SqliteFollower(self, self._state)

    def state(self) -> Hashable:
        """Return how many events there are, the header, the time of the newest write and what waits for a person."""
        events = self._state.read(lambda database: count_events(database, *self._ids))
        return events, self.read_header(), self.last_write_ms(), self.read_interactions()

    def read_partials(self) -> tuple[PartialSnapshot, ...]:
        """Read the snapshots of unfinished streams."""
        return self._state.read(lambda database: read_partials(database, *self._ids))

    def read_trace(self) -> tuple[TraceRecord, ...]:
        """Read the operational trace."""
        return self._files.read_trace() if self._files else self._state.read(lambda db: read_trace(db, *self._ids))

    def read_journal(self) -> tuple[JournalRecord, ...]:
        """Read what the database recorded of the run's operations."""
        return self._state.read(lambda database: read_journal(database, *self._ids))

    def read_interactions(self) -> tuple[PendingInteraction, ...]:
        """Read the requests to a person that have no outcome row."""
        return self._state.read(lambda database: read_interactions(database, *self._ids))

    def last_write_ms(self) -> float | None:
        """Return the newest time that rows of the run carry, or else its header."""
        written = self._state.read(lambda database: last_write_ms(database, *self._ids))
        if written is None:
            header, _ = self.read_header()
            written = header.updated_at if header else None
        return written

    def owner(self) -> Owner:
        """Tell whether a process had the database open when it was opened."""
        return self._state.owner

    def _payload(self, key: int) -> bytes | None:
        return self._state.read(lambda database: event_payload(database, key))


def files_of_run(root: Path, session_id: str, run_id: str) -> JsonlRunStorage | None:
    """Return how the files of a run in a state root are read; None where ids or links would lead elsewhere."""
    if not (is_safe_id(session_id) and is_safe_id(run_id)):
        return None
    folder = root / "sessions" / session_id / "runs" / run_id
    try:
        real = folder.resolve() == root.resolve() / folder.relative_to(root)
    except (OSError, RuntimeError):
        return None
    return JsonlRunStorage(RunFolder(folder, session_id, run_id, folder / "runtime-events.jsonl")) if real else None
