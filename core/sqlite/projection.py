"""Maka's own summary of each dispatched call against what the events say. The events count (format: tables)."""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from operator import lt
from typing import Final, NamedTuple

from ..decision.recovery import COMPLETED, INVALID
from ..decision.tool_calls import ToolCalls
from ..decision.tool_ledger import ToolLedger
from ..records.events import RuntimeEvent
from ..records.recovery_facts import ToolDispatch
from ..storage.findings import Finding
from ..storage.rows import RowIndex
from .database import Database
from .reading import EVENT_TABLE, Values, fetch, text

CODE: Final = "projection_differs"
OPERATION_TABLE: Final = "tool_operations"

_TOLD: Final = 20
"""Differences that are told one by one."""

_FACTS: Final = ("operation_id", "provider_tool_call_id", "tool_name", "canonical_args_hash", "recovery_mode")
_EVENTS: Final = ("call_event_id", "dispatch_event_id", "result_event_id")
_KEYS: Final = ", ".join(f"(SELECT rowid FROM {EVENT_TABLE} WHERE event_id = o.{name})" for name in _EVENTS)
_QUERY: Final = f"""
    SELECT {", ".join(_FACTS)}, current_state, {_KEYS}, {", ".join(f"{name} IS NULL" for name in _EVENTS)}
    FROM {OPERATION_TABLE} AS o WHERE invocation_id = ? AND run_id = ? ORDER BY o.rowid
"""


class Dispatches:
    """What the dispatch facts of a ledger say, 12 bytes each: enough to see a difference."""

    def __init__(self) -> None:
        self._places = array("I")
        self._facts = array("q")

    def take(self, events: Iterable[RuntimeEvent], start: int) -> None:
        """Note the facts among events, the first of which stands at `start` of the ledger."""
        for place, event in enumerate(events, start):
            if event.actions and event.actions.tool_dispatch:
                self._places.append(place)
                self._facts.append(_digest(event.actions.tool_dispatch))

    def says(self, place: int, facts: tuple[str, ...]) -> bool:
        """Tell whether the dispatch at a place has these operation id, call, tool, digest and recovery mode."""
        found = bisect_left(self._places, place)
        return found < len(self._places) and self._places[found] == place and self._facts[found] == hash(facts)


class _Summary(NamedTuple):
    """One row of `tool_operations`."""

    facts: tuple[str, ...]
    """The values of `_FACTS`."""
    state: str
    call: int | None
    """Position of the event that the row names, as are the next two; None for none that this run has."""
    dispatch: int | None
    response: int | None
    names_response: bool


def projection_findings(
    database: Database, run_id: str, invocation_id: str, rows: RowIndex, tools: ToolLedger, dispatches: Dispatches
) -> Iterator[Finding]:
    """Say where the summaries of a run differ from its events, all of which were read.

    Raises ReadStopped, DatabaseClosed.
    """
    if not database.schema.has(OPERATION_TABLE, "invocation_id", "run_id", "current_state", *_FACTS, *_EVENTS):
        return
    try:
        found = list(fetch(database, _QUERY, (invocation_id, run_id)))
    except sqlite3.Error as error:
        said = f"the database's own summaries of calls cannot be read: {error}"
        yield Finding(CODE, said, detail=OPERATION_TABLE, path=database.path)
        return
    told = 0
    for finding in _differences(map(_Positions(rows).summary, found), rows, tools, dispatches):
        told += 1
        if told <= _TOLD:
            yield replace(finding, path=database.path)
    if told > _TOLD:
        yield Finding(CODE, f"{told - _TOLD:,} more summaries of calls differ from the events", path=database.path)


class _Positions:
    """Finds the position of a row in the run by its key."""

    def __init__(self, rows: RowIndex) -> None:
        self._keys = rows.offsets
        rising = all(map(lt, self._keys, islice(self._keys, 1, None)))
        self._places = None if rising else {key: place for place, key in enumerate(self._keys)}

    def summary(self, row: Values) -> _Summary:
        """Read one row of `_QUERY`."""
        facts = tuple(map(text, row[:5]))
        call, dispatch, response = map(self._of, row[6:9])
        return _Summary(facts, text(row[5]), call, dispatch, response, not row[11])

    def _of(self, key: int | None) -> int | None:
        if key is None:
            return None
        if self._places is not None:
            return self._places.get(key)
        place = bisect_left(self._keys, key)
        return place if place < len(self._keys) and self._keys[place] == key else None


def _differences(
    summaries: Iterable[_Summary], rows: RowIndex, tools: ToolLedger, dispatches: Dispatches
) -> Iterator[Finding]:
    summed_up: set[int] = set()
    for summary in summaries:
        number = None if summary.call is None else tools.call_of_event(summary.call)
        if number is None:
            yield _finding(f"the events hold no such call: {summary.facts[1]}", summary.facts[0])
            continue
        summed_up.add(number)
        for said in _compare(summary, number, tools.calls, dispatches):
            yield _finding(f"{said}, call {summary.facts[1]}", summary.facts[0], rows, summary.call)
    for number in range(len(tools.calls)):
        if tools.calls.dispatch[number] and number not in summed_up:
            place = tools.calls.dispatch[number] - 1
            yield _finding("the events hold a dispatch of which it has no summary", None, rows, place)


def _compare(summary: _Summary, number: int, calls: ToolCalls, dispatches: Dispatches) -> Iterator[str]:
    """Yield what a summary says otherwise than the events."""
    dispatch, response = calls.dispatch[number] - 1, calls.response[number] - 1
    if dispatch < 0:
        yield "the events hold no dispatch of the call"
    elif summary.dispatch != dispatch:
        yield "it names another event as the dispatch"
    elif not dispatches.says(dispatch, summary.facts):
        yield "it gives the dispatch another id, tool, digest of arguments or recovery mode"
    if response >= 0 and not summary.names_response:
        yield "it knows nothing of the response that the events hold"
    elif summary.names_response and summary.response != (response if response >= 0 else None):
        yield "it names a response that the events do not hold for this call"
    state = _state(number, calls)
    if summary.state != state:
        yield f"its state is {summary.state}, by the events {state}"


def _state(number: int, calls: ToolCalls) -> str:
    odd = calls.odd.get(number)
    verdict = odd.verdicts[-1][1] if odd is not None and odd.verdicts else INVALID
    if verdict != INVALID:
        return "recovery_completed" if verdict == COMPLETED else "recovery_parked"
    return "outcome_committed" if calls.response[number] else "prepared"


def _finding(said: str, operation_id: str | None, rows: RowIndex | None = None, place: int | None = None) -> Finding:
    message = f"the database's own summary differs from the events: {said}"
    detail = None if operation_id is None else f"operation {operation_id}"
    if rows is None or place is None:
        return Finding(CODE, message, detail=detail)
    return Finding(CODE, message, line=rows.line(place), offset=rows.offsets[place], detail=detail)


def _digest(fact: ToolDispatch) -> int:
    return hash(
        (fact.operation_id, fact.provider_tool_call_id, fact.tool_name, fact.canonical_args_hash, fact.recovery_mode)
    )
