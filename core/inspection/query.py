"""Filters over the rows of a ledger and over the runs of a workspace. Pure, and each says in words what it keeps.

A filter is written as words: `kind:call tool:Bash status:failed deploy`. Every word must hold; `!` before a word turns
it round; a word without a name is searched in the row. Quotes keep blanks together: `text:"npm run"`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from msgspec import Struct

from ..decision.operations import OperationStatus
from ..errors import RequestError
from ..storage.ledger import Ledger
from ..storage.rows import RowKind
from .event_links import EventLinks
from .operation_index import OperationBrief, OperationIndex
from .search import Pattern, holds
from .triage import RunSummary

ROW_FIELDS: Final = ("kind", "tool", "status", "text")
RUN_FIELDS: Final = ("verdict", "session", "run", "text")

Stop = Callable[[], bool]
"""Asked now and then; True ends the work early."""

_BATCH: Final = 1024
"""Rows that are looked at between two looks around."""

_HALVES: Final = frozenset({RowKind.CALL, RowKind.RESPONSE})


class Term(Struct, frozen=True):
    """One condition."""

    field: str
    value: str
    inverse: bool = False

    @property
    def description(self) -> str:
        """The condition in words."""
        if self.field == "text":
            return f"{'not ' if self.inverse else ''}containing “{self.value}”"
        return f"{self.field} {'is not' if self.inverse else 'is'} {self.value}"


class Filter(Struct, frozen=True):
    """Some conditions that must all hold. Without any it keeps everything."""

    terms: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def description(self) -> str:
        """What is kept, in words."""
        return ", ".join(term.description for term in self.terms) or "everything"

    def result(self, kept: int, count: int, unit: str = "rows", *, done: bool = True) -> str:
        """Say how many of how many are kept, and by what; `done` tells whether all of them were looked at."""
        if done and not kept:
            return f"none of {count:,} {unit} is kept: {self.description}"
        return f"{kept:,}{'' if done else '+'} of {count:,} {unit} kept: {self.description}"


def parse_filter(text: str, fields: tuple[str, ...] = ROW_FIELDS) -> Filter:
    """Read a filter as a person writes it. Raises RequestError, saying which word is not understood."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    return Filter(tuple(_term(word, fields) for word in words if word.strip("!")))


def matching_rows(ledger: Ledger, chosen: Filter, stop: Stop = lambda: False) -> list[int]:
    """Return the 0-based positions of the rows that a filter keeps, in order.

    With a kept call or response stays its other half, so that no pair is torn apart by a filter.
    """
    return sorted(chain.from_iterable(matching_row_batches(ledger, chosen, stop)))


def matching_row_batches(ledger: Ledger, chosen: Filter, stop: Stop = lambda: False) -> Iterator[list[int]]:
    """Yield the rows that a filter keeps while they are found, none of them twice, those of a batch in order.

    The other half of a kept call or response comes with it, wherever in the ledger it stands. A batch may be empty.
    """
    calls = _Calls(ledger)
    tests = [_row_test(ledger, term, calls) for term in chosen.terms]
    count = len(ledger.rows)
    given = bytearray(count)
    for start in range(0, count, _BATCH):
        if stop():
            return
        batch = []
        for index in range(start, min(start + _BATCH, count)):
            if not all(test(index) for test in tests):
                continue
            for kept in (index, *calls.other_halves(index)):
                if not given[kept]:
                    given[kept] = 1
                    batch.append(kept)
        yield sorted(batch)


def matching_rows_since(ledger: Ledger, chosen: Filter, kept: Sequence[int], since: int) -> list[int] | None:
    """Return the rows that a filter keeps of a ledger whose first `since` rows are as they were when it kept `kept`.

    Only the rows behind them are looked at. None where a row before may be judged otherwise by now: all must be.
    """
    if any(term.field == "status" for term in chosen.terms):
        return None
    calls = _Calls(ledger)
    tests = [_row_test(ledger, term, calls) for term in chosen.terms]
    found = {row for row in kept if row < since}
    for index in range(since, len(ledger.rows)):
        if all(test(index) for test in tests):
            found.update((index, *calls.other_halves(index)))
        elif any(other in found for other in calls.other_halves(index)):
            found.add(index)
    return sorted(found)


def matching_runs(summaries: Iterable[RunSummary], chosen: Filter) -> list[RunSummary]:
    """Return the runs that a filter keeps, in the order given."""
    return [summary for summary in summaries if all(_run_holds(summary, term) for term in chosen.terms)]


def _term(word: str, fields: tuple[str, ...]) -> Term:
    inverse = word.startswith("!")
    body = word[1:] if inverse else word
    name, colon, value = body.partition(":")
    if colon and name in fields:
        if not value:
            raise RequestError(f"{name}: needs a value", hint=f"for example {name}:{_EXAMPLES[name]}")
        return Term(name, _chosen(name, value) if name in _CHOICES else value, inverse)
    return Term("text", body, inverse)


def _chosen(name: str, value: str) -> str:
    """Return the one choice that a value is, or begins."""
    choices = _CHOICES[name]
    found = [choice for choice in choices if choice.startswith(value.casefold())]
    if value in choices or len(found) == 1:
        return value if value in choices else found[0]
    said = f"several begin with {value}" if found else f"no {name} is called {value}"
    raise RequestError(said, hint=f"one of {', '.join(found or choices)}")


class _Calls:
    """The operations of a whole ledger, described once each, and only those that somebody asks for. Reads no row."""

    def __init__(self, ledger: Ledger) -> None:
        self._kinds = ledger.rows.kinds
        self._links = EventLinks(ledger)
        self._operations = OperationIndex(ledger.tool_ledger, len(ledger), ledger.__getitem__)

    def number(self, index: int) -> int | None:
        """Return the operation that an event belongs to."""
        number = self._links.number(index)
        return number if number is not None and self._operations.holds(number) else None

    def brief(self, number: int) -> OperationBrief:
        """Describe one operation."""
        return self._operations.brief(number)

    def other_halves(self, index: int) -> Iterator[int]:
        """Yield the calls and responses of the operation that a call or response belongs to."""
        number = self.number(index) if self._kinds[index] in _HALVES else None
        if number is not None:
            yield from (other for other in self.brief(number).event_indexes if self._kinds[other] in _HALVES)


def _row_test(ledger: Ledger, term: Term, calls: _Calls) -> Callable[[int], bool]:
    if term.field == "kind":
        wanted = RowKind[term.value.upper()]
        return lambda index: (ledger.rows.kinds[index] == wanted) != term.inverse
    if term.field == "text":
        pattern = Pattern(term.value)
        return lambda index: holds(ledger, pattern, index) != term.inverse
    return _operation_test(term, calls)


def _operation_test(term: Term, calls: _Calls) -> Callable[[int], bool]:
    """Keep all events of the operations that a condition names."""
    wanted = term.value.casefold()
    known: dict[int, bool] = {}

    def belongs(index: int) -> bool:
        number = calls.number(index)
        if number is None:
            return term.inverse
        if number not in known:
            brief = calls.brief(number)
            known[number] = wanted in brief.tool_name.casefold() if term.field == "tool" else brief.status == wanted
        return known[number] != term.inverse

    return belongs


def run_text(summary: RunSummary) -> str:
    """Return all that a list says of a run, to be searched."""
    said = (
        summary.session_id,
        summary.title,
        summary.run_id,
        summary.verdict.replace("_", " "),
        summary.tool_name,
        summary.call_summary,
        summary.note,
        summary.header_status,
        summary.cwd,
    )
    return "  ".join(filter(None, said))


def _run_holds(summary: RunSummary, term: Term) -> bool:
    if term.field == "verdict":
        return (summary.verdict == term.value) != term.inverse
    if term.field == "text":
        return Pattern(term.value).in_text(run_text(summary)) != term.inverse
    words = f"{summary.session_id} {summary.title or ''}" if term.field == "session" else summary.run_id
    return (term.value.casefold() in words.casefold()) != term.inverse


_CHOICES: Final = {
    "kind": tuple(kind.word for kind in RowKind),
    "status": tuple(str(status) for status in OperationStatus),
    "verdict": (
        "may_have_run", "unreadable", "contradictory", "parked", "not_dispatched", "may_be_running", "replayable",
    ),
}  # fmt: skip

_EXAMPLES: Final = {
    "kind": "call",
    "tool": "Bash",
    "status": "failed",
    "text": "deploy",
    "verdict": "may_have_run",
    "session": "port",
    "run": "run-1",
}
