"""The rows that hold a pattern, and the way from one to the next."""

from __future__ import annotations

from viewer.hits import Hits


def test_they_come_in_any_order() -> None:
    """What is found is sorted, and whether more may come is known."""
    hits = Hits()
    hits.add([7, 9])
    hits.add([2])

    assert hits.rows == [2, 7, 9]
    assert 7 in hits
    assert 3 not in hits
    assert None not in hits


def test_round_and_round() -> None:
    """After the last comes the first, before the first the last."""
    hits = Hits([2, 7, 9])

    assert (hits.after(2), hits.after(9), hits.after(100)) == (7, 2, 2)
    assert (hits.before(7), hits.before(2), hits.before(0)) == (2, 9, 9)
    assert (hits.from_(7), hits.from_(8)) == (7, 9)
    assert Hits().after(1) is Hits().before(1) is None


def test_it_says_which_of_how_many() -> None:
    """On a hit its place, elsewhere the number; a plus while the search is on its way."""
    assert Hits([2, 7, 9], done=True).said(7) == "2 of 3"
    assert Hits([2, 7, 9]).said(7) == "2 of 3+"
    assert Hits([2, 7, 9], done=True).said(8) == "3 found"
    assert Hits([2]).said(None) == "1+ found"
    assert Hits().said(0) == "0+ found"
    assert Hits(done=True).said(0) == "not found"


def test_a_filter_leaves_some_out() -> None:
    """Of the hits those count that are shown."""
    hits = Hits([2, 7, 9], done=True).among({7, 9})

    assert hits.rows == [7, 9]
    assert hits.done
