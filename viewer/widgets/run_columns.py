"""Which columns a list of runs has room for. The verdict and what is in doubt are always there."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

VERDICT: Final = 20
"""Cells of glyph, word and the mark of a continued run, with the gap behind them."""

GAP: Final = 2
LAST: Final = 12
"""Cells of `29 Nov 12:00`."""

_DOUBT_AT_LEAST: Final = 30
_DOUBT_AT_EASE: Final = 42
_SESSION_AT_LEAST: Final = 12
_SESSION_AT_MOST: Final = 32
_RUN_AT_LEAST: Final = 3
_RUN_CUT: Final = 12
_RUN_WHOLE: Final = 36
"""Cells of a UUID."""


class Columns(Struct, frozen=True):
    """Widths in cells, without the gaps; 0 for a column that gave way."""

    doubt: int
    session: int = 0
    run: int = 0
    last: int = 0
    events: int = 0


def fit_columns(width: int, *, run: int, session: int, events: int) -> Columns:
    """Share a width among the columns: session gives way first, then events, last event, run.

    Args:
        width: cells of a whole row.
        run: cells of the longest run id.
        session: cells of the longest title; 0 where there is no such column.
        events: cells of the longest number of events.

    """
    left = max(0, width - VERDICT)
    run = max(run, _RUN_AT_LEAST)
    taken = {"run": 0, "last": 0, "events": 0, "session": 0}
    for name, cells in (
        ("run", min(run, _RUN_CUT)),
        ("last", LAST),
        ("events", events),
        ("session", _SESSION_AT_LEAST),
    ):
        if name == "session" and not session:
            continue
        if left - cells - GAP < _DOUBT_AT_LEAST:
            break
        taken[name] = cells
        left -= cells + GAP
    for name, wanted in (("session", min(session, _SESSION_AT_MOST)), ("run", min(run, _RUN_WHOLE))):
        if taken[name]:
            more = max(0, min(wanted - taken[name], left - _DOUBT_AT_EASE))
            taken[name] += more
            left -= more
    return Columns(left, taken["session"], taken["run"], taken["last"], taken["events"])
