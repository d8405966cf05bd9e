"""The fold asks for an event that it took before but a few times, however often later ones come back to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from core.decision.id_index import IdIndex
from core.decision.tool_ledger import ToolLedger
from core.records.events import RuntimeEvent
from tests.support.ledgers import Event, call, dispatch, event, events_of, reconcile, response

_REPEATED = 300
_SELDOM = 6

BEGINNING = [call("c"), dispatch("d"), response("r"), event("t")]
REPEATS: dict[str, Callable[[int], Event]] = {
    "an event id": lambda number: event("t"),
    "the event id of a call": lambda number: call("c", f"other-{number}"),
    "a call": lambda number: call(f"c-{number}"),
    "a call of another invocation": lambda number: call(f"c-{number}", invocationId=f"i-{number}"),
    "a dispatch": lambda number: dispatch(f"d-{number}"),
    "an operation": lambda number: dispatch(f"d-{number}", f"other-{number}"),
    "a response": lambda number: response(f"r-{number}"),
    "a recovery": lambda number: reconcile(f"o-{number}", "diverged"),
}


@pytest.mark.parametrize("repeat", REPEATS.values(), ids=REPEATS)
@pytest.mark.parametrize("together", [True, False])
def test_what_comes_again_and_again_is_not_read_each_time(repeat: Callable[[int], Event], together: bool) -> None:
    """A row may be long and deep, and so dear to decode: it is not decoded for each small one that repeats an id."""
    events = events_of([*BEGINNING, *map(repeat, range(_REPEATED))])
    asked: Counter[int] = Counter()

    def event_at(index: int) -> RuntimeEvent:
        asked[index] += 1
        return events[index]

    ledger = ToolLedger(event_at)
    for some in (events[: len(BEGINNING)], events[len(BEGINNING) :]):
        for part in [some] if together else [[one] for one in some]:
            ledger.extend(part)

    assert ledger.blocked
    assert max(asked.values(), default=0) <= _SELDOM


def test_very_many_keys_are_not_all_held() -> None:
    """An index that was asked for every id gives the memory back, and still answers."""
    keys = [f"{number * 7919 % 12_007:05}" for number in range(12_007)]
    asked: Counter[int] = Counter()

    def key_at(position: int) -> str:
        asked[position] += 1
        return keys[position]

    index = IdIndex(key_at)
    for start in range(0, len(keys), 50):
        assert index.add_all(keys[start : start + 50])
    for _ in range(2):
        assert [index.first(key) for key in keys] == list(range(len(keys)))
    assert asked[5] > 1
