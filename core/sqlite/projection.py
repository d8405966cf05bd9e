"""Maka's own summary of each dispatched call against what the events say. The events count (format: tables)."""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from msgspec.structs import replace

from ..decision.recovery import COMPLETED, INVALID
from ..decision.tool_ledger import ToolLedger
from ..records.events import RuntimeEvent
from ..records.plain_events import PlainEvent
from ..records.plain_facts import PlainFacts
from ..storage.findings import Finding
from ..storage.rows import RowIndex
from .database import Database
from .reading import Values, fetch, text

CODE: Final = "projection_differs"
OPERATION_TABLE: Final = "tool_operations"

_TOLD: Final = 20
"""Differences that are told one by one."""

_FACTS: Final = ("operation_id", "provider_tool_call_id", "tool_name", "canonical_args_hash", "recovery_mode")
_EVENTS: Final = ("call_event_id", "dispatch_event_id", "result_event_id")
_QUERY: Final = f"""
    SELECT {", ".join((*_FACTS, "current_state", *_EVENTS))}
    FROM {OPERATION_TABLE} WHERE invocation_id = ? AND run_id = ? ORDER BY rowid
"""


class _Call(NamedTuple):
    """What the events say of a dispatched call: places of its events, -1 for none, and the state that follows."""

    call: int
    dispatch: int
    response: int
    state: bytes


class Digests:
    """What must be remembered of a ledger to see a difference: 8 bytes an event, and 12 more a dispatch."""

    def __init__(self) -> None:
        self._ids = array("q")
        self._places = array("I")
        self._facts = array("q")

    def take(self, events: Iterable[RuntimeEvent | PlainEvent], ids: Iterable[bytes]) -> None:
        """Note the next events of the ledger, and their ids as they stand in the database."""
        self.__dict__.pop("places", None)
        for place, event in enumerate(events, len(self._ids)):
            if event.actions and (fact := event.actions.tool_dispatch):
                facts = (fact.operation_id, fact.provider_tool_call_id, fact.tool_name)
                self._places.append(place)
                self._facts.append(hash("\n".join((*facts, fact.canonical_args_hash, fact.recovery_mode))))
        self._ids.extend(map(hash, ids))

    def take_plain(self, facts: PlainFacts, ids: Iterable[bytes]) -> None:
        """Note the next events as `take` does, by their tool facts."""
        self.__dict__.pop("places", None)
        start = len(self._ids)
        self._places.extend([start + place for place in facts.dispatch_places])
        said = zip(
            facts.operation_ids, facts.dispatched_calls, facts.dispatch_names, facts.dispatch_digests,
            facts.recovery_modes, strict=True,
        )  # fmt: skip
        self._facts.extend(map(hash, map("\n".join, said)))
        self._ids.extend(map(hash, ids))

    def dispatch_says(self, place: int, facts: Sequence[bytes]) -> bool:
        """Tell whether the dispatch at a place has these values of `_FACTS`."""
        found = bisect_left(self._places, place)
        if found == len(self._places) or self._places[found] != place:
            return False
        return self._facts[found] == hash(b"\n".join(facts).decode("utf-8", "replace"))

    def is_id(self, place: int, event_id: bytes | None) -> bool:
        """Tell whether the event at a place has an id; a place of -1 stands for no event, and that has none."""
        return event_id is None if place < 0 else event_id is not None and self._ids[place] == hash(event_id)

    def agree(self, summary: Values, call: _Call) -> bool:
        """Tell whether a row of `_QUERY` says all that the events say."""
        *facts, state, called, dispatched, answered = summary
        ids, place = self._ids, call.dispatch
        return (
            state == call.state
            and hash(called) == ids[call.call]
            and hash(dispatched) == ids[place]
            and (answered is None if call.response < 0 else hash(answered) == ids[call.response])
            and self.dispatch_says(place, facts)
        )

    @cached_property
    def places(self) -> Mapping[int, int]:
        """Places by the hashes of their ids."""
        return {digest: place for place, digest in enumerate(self._ids)}


def projection_findings(
    database: Database, run_id: str, invocation_id: str, rows: RowIndex, tools: ToolLedger, digests: Digests
) -> Iterator[Finding]:
    """Say where the summaries of a run differ from its events, all of which were read.

    Raises ReadStopped, DatabaseClosed.
    """
    if not database.schema.has(OPERATION_TABLE, "invocation_id", "run_id", "current_state", *_FACTS, *_EVENTS):
        return
    told = 0
    try:
        for finding in _differences(fetch(database, _QUERY, (invocation_id, run_id)), rows, tools, digests):
            told += 1
            if told <= _TOLD:
                yield replace(finding, path=database.path)
    except sqlite3.Error as error:
        said = f"the database's own summaries of calls cannot be read: {error}"
        yield Finding(CODE, said, detail=OPERATION_TABLE, path=database.path)
        return
    if told > _TOLD:
        yield Finding(CODE, f"{told - _TOLD:,} more summaries of calls differ from the events", path=database.path)


def _differences(summaries: Iterable[Values], rows: RowIndex, tools: ToolLedger, digests: Digests) -> Iterator[Finding]:
    """Compare summaries, which were written in the order of the dispatches, call by call."""
    dispatches = tools.calls.dispatch[: len(tools.calls)]
    numbers = sorted((number for number, place in enumerate(dispatches) if place), key=dispatches.__getitem__)
    open_numbers = dict.fromkeys(numbers)
    others = []
    for order, summary in enumerate(summaries):
        if order < len(numbers) and digests.agree(summary, _call(numbers[order], tools)):
            del open_numbers[numbers[order]]
        else:
            others.append(summary)
    for summary in others:
        place = digests.places.get(hash(summary[6]))
        number = None if place is None else tools.call_of_event(place)
        if number is None or place is None:
            yield _finding(f"the events hold no such call: {text(summary[1])}", summary)
            continue
        open_numbers.pop(number, None)
        for said in _compare(summary, _call(number, tools), digests):
            yield _finding(f"{said}, call {text(summary[1])}", summary, rows, place)
    for number in open_numbers:
        place = dispatches[number] - 1
        yield _finding("the events hold a dispatch of which it has no summary", None, rows, place)


def _call(number: int, tools: ToolLedger) -> _Call:
    calls = tools.calls
    odd = calls.odd.get(number) if calls.odd else None
    verdict = odd.verdicts[-1][1] if odd is not None and odd.verdicts else INVALID
    response = calls.response[number] - 1
    state = b"outcome_committed" if response >= 0 else b"prepared"
    if verdict != INVALID:
        state = b"recovery_completed" if verdict == COMPLETED else b"recovery_parked"
    return _Call(calls.call_at(number) - 1, calls.dispatch[number] - 1, response, state)


def _compare(summary: Values, call: _Call, digests: Digests) -> Iterator[str]:
    """Yield what a summary says otherwise than the events."""
    if call.dispatch < 0:
        yield "the events hold no dispatch of the call"
    elif not digests.is_id(call.dispatch, summary[7]):
        yield "it names another event as the dispatch"
    elif not digests.dispatch_says(call.dispatch, summary[:5]):
        yield "it gives the dispatch another id, tool, digest of arguments or recovery mode"
    if not digests.is_id(call.response, summary[8]):
        missed = summary[8] is None
        yield "it has no response, the events do" if missed else "it names a response that the call does not have"
    if summary[5] != call.state:
        yield f"its state is {text(summary[5])}, by the events {text(call.state)}"


def _finding(said: str, summary: Values | None, rows: RowIndex | None = None, place: int | None = None) -> Finding:
    message = f"the database's own summary differs from the events: {said}"
    detail = None if summary is None else f"operation {text(summary[0])}"
    if rows is None or place is None:
        return Finding(CODE, message, detail=detail)
    return Finding(CODE, message, line=rows.line(place), offset=rows.offsets[place], detail=detail, keyed=True)
