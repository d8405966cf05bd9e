"""What a follower of one ledger is, whatever storage holds it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from .findings import Finding
from .ledger import Ledger

Progress = Callable[[int, int], None]
"""Called with work done and work in all (bytes or rows); it may raise to stop the reading."""


class Reading(Struct, frozen=True):
    """A ledger, as it stands now."""

    ledger: Ledger
    anew: bool
    """Whether all of it was read; if not, the rows that stood before its end are the same ones as the last time."""
    said: str = ""
    """What happened to it, in a sentence for a person; empty where it only grew."""


class LedgerFollower(Protocol):
    """How one kind of storage follows one ledger. Nothing in it waits, and it has no thread."""

    def poll(self, now_ms: float, given: tuple[Finding, ...], progress: Progress | None) -> Reading | None:
        """Read what is new; None where nothing is. `given` are findings known from elsewhere.

        `now_ms` is the time, milliseconds since 1970.
        """

    def close(self) -> None:
        """Give back what is open."""


class Pace(Struct, frozen=True):
    """How long to wait between two looks, in seconds: not long while something happens, ever longer while nothing does.

    Whatever a look costs, no more than a tenth of the time goes into looking.
    """

    wait: float = 0.25
    least: float = 0.25
    most: float = 2.0

    def after(self, *, changed: bool, cost: float) -> Pace:
        """Return the pace after a look that took `cost` seconds, and saw a change or none."""
        wait = self.least if changed else min(self.wait * 1.5, self.most)
        return Pace(max(wait, 9 * cost), self.least, self.most)
