"""Which columns a list of runs has room for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from viewer.widgets.run_columns import GAP, VERDICT, Columns, fit_columns

WIDTHS = st.integers(0, 40)


@given(st.integers(0, 250), WIDTHS, WIDTHS, st.integers(1, 20))
def test_the_widths_add_up(width: int, run: int, session: int, events: int) -> None:
    """Columns and gaps fill the row exactly, and nothing is narrower than nothing."""
    columns = fit_columns(width, run=run, session=session, events=events)
    others = [columns.session, columns.run, columns.last, columns.events]

    assert min(columns.doubt, *others) >= 0
    assert columns.doubt + sum(cells + GAP for cells in others if cells) == max(0, width - VERDICT)


@given(st.integers(0, 250), WIDTHS, WIDTHS, st.integers(1, 20))
def test_columns_give_way_in_order(width: int, run: int, session: int, events: int) -> None:
    """The session goes first, then the events, the last event and the run; the doubt keeps what it needs."""
    columns = fit_columns(width, run=run, session=session, events=events)

    there = [columns.run > 0, columns.last > 0, columns.events > 0, columns.session > 0]
    assert there == sorted(there, reverse=True)
    assert columns.doubt >= min(30, max(0, width - VERDICT))


def test_the_widths_of_the_pictures() -> None:
    """At 120 and 80 columns the list looks as it was drawn."""
    assert fit_columns(118, run=8, session=18, events=8) == Columns(44, 18, 8, 12, 8)
    assert fit_columns(78, run=8, session=18, events=8) == Columns(34, 0, 8, 12, 0)


def test_ids_are_whole_where_there_is_room() -> None:
    """A long id is cut on a usual screen and whole on a wide one."""
    assert fit_columns(118, run=36, session=18, events=8).run == 12
    assert fit_columns(198, run=36, session=18, events=8).run == 36
