"""Reading on, in a thread, what the screen of a run shows: the ledger as it is now, decided, and what is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec import Struct

from core import (
    CoreError,
    EventLinks,
    Filter,
    Ledger,
    PartialSnapshot,
    Pattern,
    Run,
    RunFollower,
    StreamLines,
    matching_rows_since,
    search_since,
    torn_line,
)

from .run_reading import Opened, decide

Progress = Callable[[int, int], None]


class Sought(Struct, frozen=True):
    """What is searched and filtered while the ledger grows."""

    pattern: Pattern | None = None
    chosen: Filter | None = None
    kept: Sequence[int] = ()


class Grown(Struct, frozen=True):
    """A run as it is now."""

    run: Run
    opened: Opened
    partials: tuple[tuple[PartialSnapshot, str], ...]
    since: int
    """The rows before this one are as they were."""
    said: str
    """What happened to the ledger, where it did not just grow."""
    sought: Sought
    hits: tuple[int, ...] = ()
    """Rows from `since` on that hold the pattern."""
    kept: list[int] | None = None
    """The rows that the filter keeps; None where it must look at all of them again."""


class RunGrowth:
    """Follows one run for its screen. For one thread at a time."""

    def __init__(self, run: Run) -> None:
        self._follower: RunFollower = run.follow()
        self._streams = StreamLines()

    def look(
        self, before: Opened, now_ms: float, expected: int | None, sought: Sought, progress: Progress
    ) -> Grown | None:
        """Read what is new since `before`; None where nothing is. What `progress` raises comes through.

        Raises CoreError where the storage cannot be read.
        """
        news = self._follower.poll(now_ms, progress)
        if news is None:
            return None
        ledger = news.ledger
        since = unchanged(before.ledger, ledger, anew=news.anew) if not news.said else 0
        if news.anew:
            self._streams = StreamLines()
            links = EventLinks(ledger)
            links.complete()
        else:
            links = EventLinks(ledger, before.links)
        partials: tuple[tuple[PartialSnapshot, str], ...] = ()
        with suppress(CoreError):
            partials = self._streams.of(ledger)
        opened = Opened(ledger, decide(ledger, now_ms, expected_high_water=expected), links, torn_line(ledger))
        return Grown(
            news.run,
            opened,
            partials,
            since,
            news.said,
            sought,
            tuple(search_since(ledger, sought.pattern, since)) if sought.pattern is not None else (),
            matching_rows_since(ledger, sought.chosen, sought.kept, since) if sought.chosen is not None else None,
        )

    def close(self) -> None:
        """Give the ledger back: rows can no longer be read."""
        self._follower.close()


def unchanged(before: Ledger, now: Ledger, *, anew: bool) -> int:
    """Say how many rows stand at the beginning of both ledgers, by all that an index knows of them.

    Of a ledger that was read on it is all of them but one that may have been unfinished.
    """
    old, new = before.rows, now.rows
    count = min(len(old), len(new))
    if not anew:
        return count - (count > 0 and old.finding(count - 1) is not None)
    for one, other in ((old.kinds, new.kinds), (old.offsets, new.offsets), (old.lengths, new.lengths)):
        if one[:count] != other[:count]:
            count = next(index for index in range(count) if one[index] != other[index])
    return count
