"""One run of a workspace: its header, its ledger and what lies beside them, whatever storage holds it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from ..once import once
from ..records.headers import RunHeader
from .beside import Beside, JournalRecord, Owner, PendingInteraction
from .findings import Finding
from .follow import LedgerFollower, Reading
from .follow import Progress as Progress
from .ledger import Ledger
from .lineage import NO_RELATIVES, Lineage

if TYPE_CHECKING:
    from .partials import PartialSnapshot
    from .trace import TraceRecord


class RunStorage(Protocol):
    """How one kind of storage answers for one run. No method raises on damaged data; findings say what was wrong."""

    def read_header(self) -> tuple[RunHeader | None, tuple[Finding, ...]]:
        """Return the run's header and the findings on it."""

    def read_ledger(self, header: RunHeader | None, findings: tuple[Finding, ...], progress: Progress | None) -> Ledger:
        """Read the whole ledger; `findings` are those known already."""

    def follow_ledger(self) -> LedgerFollower:
        """Follow the ledger as it grows."""

    def state(self) -> Hashable:
        """Return what changes whenever anything of the run does; reads no row."""

    def read_partials(self) -> tuple[PartialSnapshot, ...]:
        """Return the unfinished streams, shown and not counted."""

    def read_trace(self) -> tuple[TraceRecord, ...]:
        """Return the operational trace."""

    def read_journal(self) -> tuple[JournalRecord, ...]:
        """Return the storage's own record of operations."""

    def read_interactions(self) -> tuple[PendingInteraction, ...]:
        """Return the requests to a person that have no outcome row."""

    def last_write_ms(self) -> float | None:
        """Return the time of the newest write to the run, milliseconds since 1970."""

    def owner(self) -> Owner:
        """Tell whether a process has the storage open."""


class Surroundings(Struct, frozen=True):
    """How a run is found again when what is around it changed: its relatives, or the storage as a whole."""

    state: Callable[[], Hashable]
    """Returns what changes whenever they do. Raises CoreError where the storage is gone."""
    again: Callable[[], Run | None]
    """Returns the run as it is now; None where it is no longer there."""


class Run:
    """One durable execution attempt. Everything is read when first asked for; `ledger` reads anew each time."""

    def __init__(
        self,
        session_id: str,
        run_id: str,
        storage: RunStorage,
        findings: tuple[Finding, ...] = (),
        lineage: Callable[[str, str], Lineage] = lambda session_id, run_id: NO_RELATIVES,
        surroundings: Surroundings | None = None,
    ) -> None:
        self.session_id = session_id
        self.run_id = run_id
        self._storage = storage
        self.given = findings
        """Findings on what is around the run, not on its own storage."""
        self._lineage = lineage
        self._surroundings = surroundings

    def __repr__(self) -> str:
        return f"Run({self.session_id!r}, {self.run_id!r})"

    @once
    def _header(self) -> tuple[RunHeader | None, tuple[Finding, ...]]:
        return self._storage.read_header()

    @property
    def header(self) -> RunHeader | None:
        """The run's header; None where it is missing or unreadable."""
        return self._header[0]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Remarks on the run's storage that are known without reading its ledger."""
        return self.given + self._header[1]

    @once
    def partials(self) -> tuple[PartialSnapshot, ...]:
        """Unfinished streams: shown, not committed, not counted."""
        return self._storage.read_partials()

    @once
    def trace(self) -> tuple[TraceRecord, ...]:
        """The operational trace: a witness that decides nothing."""
        return self._storage.read_trace()

    @once
    def interactions(self) -> tuple[PendingInteraction, ...]:
        """The requests to a person that have no outcome row; a JSONL workspace keeps no such rows."""
        return self._storage.read_interactions()

    @property
    def pending_interactions(self) -> int:
        """How many requests to a person have no outcome row."""
        return len(self.interactions)

    @property
    def lineage(self) -> Lineage:
        """Parent, children, continuations and retries."""
        return self._lineage(self.session_id, self.run_id)

    @property
    def owner(self) -> Owner:
        """Whether a process has the storage open."""
        return self._storage.owner()

    @property
    def continuation_of(self) -> str | None:
        """The run that this one continues, by its header."""
        source = self.header.continuation_source if self.header is not None else None
        return source.source_run_id if source else None

    @property
    def continued_by(self) -> tuple[str, ...]:
        """Ids of the runs that say they continue this one."""
        return tuple(run.run_id for run in self.lineage.continued_by)

    @property
    def last_write_ms(self) -> float | None:
        """Time of the newest write to the run's files, milliseconds since 1970."""
        return self._storage.last_write_ms()

    def ledger(self, progress: Progress | None = None) -> Ledger:
        """Read the whole ledger, and the header again: a run that is gone by now is no empty one.

        `progress` may raise to stop the reading; what it raises comes through.
        """
        self._header = self._storage.read_header()
        return self.with_beside(self._storage.read_ledger(self.header, self.findings, progress))

    @property
    def storage(self) -> RunStorage:
        """How the run is read."""
        return self._storage

    @property
    def header_read(self) -> tuple[RunHeader | None, tuple[Finding, ...]]:
        """The header and the findings on it, as they were read last."""
        return self._header

    def take_ledger(self, ledger: Ledger, header: tuple[RunHeader | None, tuple[Finding, ...]]) -> Ledger:
        """Take a ledger and a header that were read elsewhere in the place of those that `ledger` reads."""
        self._header = header
        return self.with_beside(ledger)

    def state(self) -> Hashable:
        """Return what changes whenever anything of the run does; reads no row."""
        return self._storage.state()

    def follow(self) -> RunFollower:
        """Follow the run as it is written. Nothing is read yet."""
        return RunFollower(self, self._storage.follow_ledger(), self._surroundings)

    def again(self) -> Run:
        """Return the same run with nothing read yet."""
        return Run(self.session_id, self.run_id, self._storage, self.given, self._lineage, self._surroundings)

    def with_beside(self, ledger: Ledger) -> Ledger:
        """Give a ledger of this run what lies beside it."""
        beside = Beside(
            partials=lambda: self.partials,
            trace=lambda: self.trace,
            journal=self._storage.read_journal,
            continued_by=lambda: self.continued_by,
            last_write_ms=self._storage.last_write_ms,
            owner=self._storage.owner,
            interactions=lambda: self.interactions,
            lineage=lambda: self.lineage,
        )
        return replace(ledger, beside=beside)


class RunNews(Struct, frozen=True):
    """A followed run, as it stands now."""

    run: Run
    ledger: Ledger
    anew: bool
    """Whether the whole ledger was read; if not, the rows that stood before its end are the same as the last time."""
    said: str = ""
    """What happened, in a sentence for a person; empty where the run only went on."""


class RunFollower:
    """Follows one run: its ledger as it grows, its header and what lies beside them as they change.

    It waits for nothing and has no thread: whoever follows asks again and again, from one thread at a time. The ledgers
    that it hands out can be read as long as it is not closed, from any thread.
    """

    def __init__(self, run: Run, ledgers: LedgerFollower, surroundings: Surroundings | None) -> None:
        self._run = run
        self._ledgers = ledgers
        self._surroundings = surroundings
        self._around: Hashable = None
        self._lineage = NO_RELATIVES
        self._last: Reading | None = None

    def poll(self, now_ms: float, progress: Progress | None = None) -> RunNews | None:
        """Read what is new since the last call; None where nothing is. The first call reads everything.

        `now_ms` is the time, milliseconds since 1970. What `progress` raises comes through. Raises CoreError where the
        storage cannot be read; the next call tries again.
        """
        around = self._surroundings.state() if self._surroundings is not None else None
        moved = around != self._around
        run = (self._surroundings.again() if self._surroundings is not None and moved else None) or self._run.again()
        reading = self._ledgers.poll(now_ms, run.given, progress)
        lineage = run.lineage if moved or self._last is None else self._lineage
        related = lineage != self._lineage
        self._around, self._lineage = around, lineage
        news = reading or (self._last if related else None)
        if news is None:
            return None
        self._run, self._last = run, news
        anew, said = (reading.anew, reading.said) if reading is not None else (False, "")
        return RunNews(run, run.with_beside(news.ledger), anew, said)

    def close(self) -> None:
        """Give back what is open: rows can no longer be read."""
        self._ledgers.close()
