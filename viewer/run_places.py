"""Calls and events of a run as places that the palette offers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Final

from msgspec import Struct

from core import CoreError, Ledger, RowKind, Run, RunLink, Workspace, arguments_line, printable

from .run_reading import Decided
from .styles import STATUSES

_READ_AT_MOST: Final = 64 << 10
"""Bytes. The arguments of a longer call are left out."""

_RUNS: Final = 3000
"""Runs that are offered from within another one; the list of runs has all of them."""

_CALLS: Final = 3000
"""Calls that are looked at; the list of operations and the search have all of them."""


class Place(Struct, frozen=True):
    """Somewhere to go. Its words are safe to draw."""

    title: str
    help: str
    go: Callable[[], None]


def operation_places(decided: Decided, ledger: Ledger, go: Callable[[int], None]) -> Iterator[Place]:
    """Give the calls of a prefix, the unresolved ones first."""
    operations = decided.operations
    numbers = chain(operations.unresolved, operations.settled, operations.nested)
    for number in islice(numbers, _CALLS):
        brief = operations.brief(number)
        name = f"{brief.tool_name}  {_arguments(ledger, brief.call_index)}".strip()
        title = f"{printable(name, limit=100)}  #{brief.call_index + 1}"
        yield Place(title, f"call, {STATUSES[brief.status].word}", _going(go, brief.call_index))


def event_places(ledger: Ledger, text: str, go: Callable[[int], None]) -> Iterator[Place]:
    """Give the event that a text names by its number, if it names one."""
    digits = text.strip().removeprefix("#").replace(",", "")
    if digits.isascii() and digits.isdigit() and 0 < int(digits[:15]) <= len(ledger.rows):
        row = int(digits[:15]) - 1
        kind = RowKind(ledger.rows.kinds[row]).word
        yield Place(f"Event {row + 1:,}", f"go to this {kind}", _going(go, row))


def run_places(workspace: Workspace, here: Run, go: Callable[[RunLink], None]) -> Iterator[Place]:
    """Give the other runs of a workspace. Their ledgers are not read for that, nor what is not yet known of them."""
    for run in islice(workspace.runs(), _RUNS):
        if (run.session_id, run.run_id) != (here.session_id, here.run_id):
            title = printable(f"{run.run_id}  {run.session_id}", limit=100)
            yield Place(title, "run", _opening(go, RunLink(run.session_id, run.run_id)))


def _opening(go: Callable[[RunLink], None], link: RunLink) -> Callable[[], None]:
    return lambda: go(link)


def _going(go: Callable[[int], None], row: int) -> Callable[[], None]:
    return lambda: go(row)


def _arguments(ledger: Ledger, row: int) -> str:
    if ledger.rows.lengths[row] > _READ_AT_MOST:
        return ""
    try:
        return arguments_line(ledger[row])
    except CoreError:
        return ""
