"""Filters over the rows of a ledger and over the runs of a workspace. Pure, and each says in words what it keeps.

A filter is written as words: `kind:call tool:Bash status:failed deploy`. Every word must hold; `!` before a word turns
it round; a word without a name is searched in the row. Quotes keep blanks together: `text:"npm run"`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from .errors import RequestError
from .ledger import Ledger, LedgerChanged
from .operations import OperationStatus, ToolOperation, operations_at
from .rows import RowKind
from .search import Pattern, shown_text
from .triage import RunSummary

ROW_FIELDS: Final = ("kind", "tool", "status", "text")
RUN_FIELDS: Final = ("verdict", "session", "run", "text")

Stop = Callable[[], bool]
"""Asked now and then; True ends the work early."""


@dataclass(frozen=True, slots=True)
class Term:
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


@dataclass(frozen=True, slots=True)
class Filter:
    """Some conditions that must all hold. Without any it keeps everything."""

    terms: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def description(self) -> str:
        """What is kept, in words."""
        return ", ".join(term.description for term in self.terms) or "everything"


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
    tests = [_row_test(ledger, term) for term in chosen.terms]
    kept: set[int] = set()
    for index in range(len(ledger.rows)):
        if index % 4096 == 0 and stop():
            break
        if all(test(index) for test in tests):
            kept.add(index)
    return sorted(kept | set(_other_halves(ledger, kept)))


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
        if name in _CHOICES and value not in _CHOICES[name]:
            choices = ", ".join(_CHOICES[name])
            raise RequestError(f"no {name} is called {value}", hint=f"one of {choices}")
        return Term(name, value, inverse)
    return Term("text", body, inverse)


def _row_test(ledger: Ledger, term: Term) -> Callable[[int], bool]:
    if term.field == "kind":
        wanted = RowKind[term.value.upper()]
        return lambda index: (ledger.rows.kinds[index] == wanted) != term.inverse
    if term.field == "text":
        pattern = Pattern(term.value)
        return lambda index: _contains(ledger, pattern, index) != term.inverse
    chosen = _events_of(ledger, term)
    return lambda index: (index in chosen) != term.inverse


def _events_of(ledger: Ledger, term: Term) -> frozenset[int]:
    """Return the positions of all events of the operations that a condition names."""
    if term.field == "tool":
        wanted = term.value.casefold()
        operations = [one for one in _operations(ledger) if wanted in one.tool_name.casefold()]
    else:
        operations = [one for one in _operations(ledger) if one.status == term.value]
    return frozenset(index for operation in operations for index in operation.event_indexes)


def _operations(ledger: Ledger) -> Iterator[ToolOperation]:
    counts = ledger.tool_ledger.snapshot_at(len(ledger)).counts
    for group in operations_at(ledger.tool_ledger, len(ledger), counts, ledger.__getitem__):
        yield from group


def _contains(ledger: Ledger, pattern: Pattern, index: int) -> bool:
    try:
        return pattern.in_bytes(ledger.raw(index)) or pattern.in_text(shown_text(ledger, index))
    except LedgerChanged:
        return False


def _other_halves(ledger: Ledger, kept: set[int]) -> Iterator[int]:
    pairs = (RowKind.CALL, RowKind.RESPONSE)
    if not any(ledger.rows.kinds[index] in pairs for index in kept):
        return
    for operation in _operations(ledger):
        halves = [index for index in operation.event_indexes if ledger.rows.kinds[index] in pairs]
        if not kept.isdisjoint(halves):
            yield from halves


def _run_holds(summary: RunSummary, term: Term) -> bool:
    if term.field == "verdict":
        return (summary.verdict == term.value) != term.inverse
    words = {
        "session": f"{summary.session_id} {summary.title or ''}",
        "run": summary.run_id,
        "text": " ".join(filter(None, (
            summary.session_id, summary.title, summary.run_id, summary.verdict.replace("_", " "), summary.tool_name,
            summary.call_summary, summary.note, summary.header_status, summary.cwd,
        ))),
    }[term.field]  # fmt: skip
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
