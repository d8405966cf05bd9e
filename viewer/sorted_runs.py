"""The runs that are read so far, most urgent first, whatever the order in which they come in."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterable, Iterator

from core import RunSummary

RunKey = tuple[str, str]
"""Session id and run id."""

Order = tuple[int, float, str, str]


def key_of(summary: RunSummary) -> RunKey:
    """Name a run for good."""
    return (summary.session_id, summary.run_id)


class SortedRuns:
    """Summaries in the order of `core`; taking one in costs as little at the end as at the start."""

    def __init__(self, summaries: Iterable[RunSummary] = ()) -> None:
        self._orders: list[Order] = []
        self._summaries: list[RunSummary] = []
        self._known: dict[RunKey, Order] = {}
        self.counts: Counter[str] = Counter()
        """Verdict -> how many runs have it."""
        self.take(summaries)

    def __len__(self) -> int:
        return len(self._summaries)

    def __getitem__(self, index: int) -> RunSummary:
        return self._summaries[index]

    def __iter__(self) -> Iterator[RunSummary]:
        return iter(self._summaries)

    def take(self, summaries: Iterable[RunSummary]) -> None:
        """Take runs in; one that is known already is replaced."""
        for summary in summaries:
            self._drop(key_of(summary))
            place = bisect.bisect_left(self._orders, summary.order)
            self._orders.insert(place, summary.order)
            self._summaries.insert(place, summary)
            self._known[key_of(summary)] = summary.order
            self.counts[summary.verdict] += 1

    def drop(self, key: RunKey) -> None:
        """Forget a run, if it is known."""
        self._drop(key)

    def find(self, key: RunKey) -> int | None:
        """Say where a run stands now; None if it was not read."""
        order = self._known.get(key)
        return None if order is None else bisect.bisect_left(self._orders, order)

    @property
    def continued(self) -> int:
        """How many of the runs that may have run say that a later run continues them."""
        return sum(1 for summary in self._summaries[: self.counts["may_have_run"]] if summary.continued_by)

    @property
    def newest_write_ms(self) -> float | None:
        """Time of the newest write to any run, milliseconds since 1970."""
        return max((s.last_write_ms for s in self._summaries if s.last_write_ms is not None), default=None)

    def _drop(self, key: RunKey) -> None:
        place = self.find(key)
        if place is not None:
            self.counts[self._summaries[place].verdict] -= 1
            del self._orders[place], self._summaries[place], self._known[key]
