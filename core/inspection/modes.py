"""What a person chooses among: ways to write times, and orders of runs. Whoever remembers a choice needs no more."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum


class TimeMode(StrEnum):
    """A way to write when something happened."""

    UTC = "utc"
    LOCAL = "local"
    START = "start"
    AGO = "ago"

    def next_of(self, modes: Sequence[TimeMode]) -> TimeMode:
        """Return the way after this one among some, round and round; the first where this is none of them."""
        return modes[(modes.index(self) + 1) % len(modes)] if self in modes else modes[0]


class RunOrder(StrEnum):
    """What comes first."""

    URGENT = "urgent"
    NEWEST = "newest"
    SESSIONS = "sessions"

    @property
    def words(self) -> str:
        """The order in words."""
        return _WORDS[self]

    @property
    def next(self) -> RunOrder:
        """The order after this one, round and round."""
        orders = tuple(RunOrder)
        return orders[(orders.index(self) + 1) % len(orders)]


_WORDS = {
    RunOrder.URGENT: "most urgent first",
    RunOrder.NEWEST: "newest first",
    RunOrder.SESSIONS: "by session, in order",
}
