"""The lines of a list of runs in an order, filtered or not: what the list draws, and where each run stands in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core import RunLine, RunSummary

from .sorted_runs import RunKey, SortedRuns, key_of


class RunLines(Protocol):
    """Lines by number."""

    def __len__(self) -> int: ...

    def line(self, index: int) -> RunLine:
        """Give one line."""
        ...

    def find(self, key: RunKey) -> int | None:
        """Say where a run stands; None where it is not shown."""
        ...


class UrgentLines:
    """Every run, most urgent first: the order in which they are kept anyway."""

    def __init__(self, runs: SortedRuns) -> None:
        self._runs = runs

    def __len__(self) -> int:
        return len(self._runs)

    def line(self, index: int) -> RunLine:
        """Give one line."""
        summary = self._runs[index]
        return RunLine(summary, summary.session_id, summary.title)

    def find(self, key: RunKey) -> int | None:
        """Say where a run stands; None if it was not read."""
        return self._runs.find(key)


class ArrangedLines:
    """Lines that a thread has put in order."""

    def __init__(self, lines: Sequence[RunLine] = ()) -> None:
        self._lines = lines
        self._places = {key_of(line.summary): place for place, line in enumerate(lines) if line.summary is not None}

    def __len__(self) -> int:
        return len(self._lines)

    def line(self, index: int) -> RunLine:
        """Give one line."""
        return self._lines[index]

    def find(self, key: RunKey) -> int | None:
        """Say where a run stands; None where it is not shown."""
        return self._places.get(key)


def summary_at(lines: RunLines, index: int) -> RunSummary | None:
    """Return the run of a line; None for a heading and outside of the list."""
    return lines.line(index).summary if 0 <= index < len(lines) else None


def next_blocked(lines: RunLines, start: int, step: int) -> int | None:
    """Find the next run that is not replayable, round and round; None if there is none."""
    count = len(lines)
    for distance in range(1, count + 1):
        index = (start + step * distance) % count
        summary = lines.line(index).summary
        if summary is not None and summary.blocked:
            return index
    return None
