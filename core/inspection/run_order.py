"""The runs of a workspace in an order: most urgent first, newest first, or by session with children below parents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from .modes import RunOrder
from .triage import RunSummary, most_urgent_first

RunKey: TypeAlias = tuple[str, str]
"""Session and run."""


class RunLine(Struct, frozen=True):
    """One line of a list of runs: a run, or the heading of a session."""

    summary: RunSummary | None
    """The run; None for a heading."""
    session_id: str
    title: str | None = None
    """The session's name."""
    depth: int = 0
    """How many of its ancestors stand above it."""
    runs: int = 0
    """Of a heading: runs below it, children included."""


def arrange_runs(
    summaries: Iterable[RunSummary], order: RunOrder = RunOrder.URGENT, kept: frozenset[RunKey] | None = None
) -> tuple[RunLine, ...]:
    """Put runs in order; `kept` names those that a filter keeps, by default all.

    By session, the runs above a kept one stay too: what they started would make no sense without them.
    """
    if order is RunOrder.SESSIONS:
        return tuple(_sessions(list(summaries), kept))
    chosen = [summary for summary in summaries if kept is None or _key(summary) in kept]
    if order is RunOrder.NEWEST:
        chosen.sort(key=lambda summary: (-(summary.last_event_ms or 0.0), summary.session_id, summary.run_id))
    else:
        chosen = most_urgent_first(chosen)
    return tuple(RunLine(summary, summary.session_id, summary.title) for summary in chosen)


def _key(summary: RunSummary) -> RunKey:
    return (summary.session_id, summary.run_id)


def _sessions(summaries: list[RunSummary], kept: frozenset[RunKey] | None) -> Iterator[RunLine]:
    """Give every session with its runs as they began; a session whose newest event is newest comes first."""
    known = {_key(summary): summary for summary in summaries}
    children: dict[RunKey | None, list[RunSummary]] = defaultdict(list)
    for summary in sorted(summaries, key=_began):
        children[_parent(summary, known)].append(summary)
    lines: dict[str, list[RunLine]] = defaultdict(list)
    for root in children[None]:
        lines[root.session_id] += _tree(root, children, kept)
    newest = {
        session: max(line.summary.last_event_ms or 0.0 for line in below if line.summary)
        for session, below in lines.items()
        if below
    }
    for session in sorted(newest, key=lambda session: (-newest[session], session)):
        below = lines[session]
        yield RunLine(None, session, below[0].title, runs=len(below))
        yield from below


def _began(summary: RunSummary) -> tuple[float, str, str]:
    return (summary.started_ms or 0.0, summary.session_id, summary.run_id)


def _parent(summary: RunSummary, known: dict[RunKey, RunSummary]) -> RunKey | None:
    """Return the run that a run stands below; None where it has no parent here, or is among its own ancestors."""
    above, seen = summary, {_key(summary)}
    first: RunKey | None = None
    while above.parent_run_id is not None:
        key = (above.parent_session_id or above.session_id, above.parent_run_id)
        if key in seen:
            return None if key == _key(summary) else first
        if key not in known:
            break
        first = first or key
        seen.add(key)
        above = known[key]
    return first


def _tree(
    root: RunSummary, children: dict[RunKey | None, list[RunSummary]], kept: frozenset[RunKey] | None
) -> list[RunLine]:
    lines: list[RunLine] = []
    waiting = [(root, 0)]
    while waiting:
        summary, depth = waiting.pop()
        lines.append(RunLine(summary, summary.session_id, summary.title, depth))
        waiting += [(child, depth + 1) for child in reversed(children.get(_key(summary), ()))]
    return lines if kept is None else _with_ancestors(lines, kept)


def _with_ancestors(lines: list[RunLine], kept: frozenset[RunKey]) -> list[RunLine]:
    """Keep the chosen lines and those above them. Lines come parents first, so one look from the end does."""
    chosen: list[RunLine] = []
    needed = -1
    for line in reversed(lines):
        if line.summary is not None and (_key(line.summary) in kept or line.depth == needed):
            chosen.append(line)
            needed = line.depth - 1
    return chosen[::-1]
