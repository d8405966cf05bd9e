"""The index of ids: exact, whatever is added."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.id_index import IdIndex


def added(keys: list[str], index: IdIndex) -> list[int | None]:
    """Add keys one by one and return where each was found before."""
    found = []
    for key in keys:
        earlier = index.first(key, lambda position, key=key: keys[position] == key)
        index.add(key, repeated=earlier is not None)
        found.append(earlier)
    return found


@given(st.lists(st.text(max_size=2)))
def test_an_id_is_found_where_it_stood_first(keys: list[str]) -> None:
    """Every repeated id, and no other, is found at its first position."""
    expected = [keys.index(key) if keys.index(key) < place else None for place, key in enumerate(keys)]

    assert added(keys, IdIndex()) == expected
    assert added(keys, IdIndex(len(keys))) == expected


@given(st.lists(st.lists(st.text(max_size=2), max_size=5), max_size=20))
def test_many_at_once_stop_at_the_first_that_may_be_known(runs: list[list[str]]) -> None:
    """`add_new` adds what is new up to the first id that was seen, in this run or before, and nothing behind it."""
    index, known = IdIndex(), list[str]()
    for run in runs:
        new = next((place for place, key in enumerate(run) if key in (*known, *run[:place])), len(run))

        assert index.add_new(run) == new
        known += run[:new]
        assert len(index) == len(known)


def test_it_stays_exact_while_it_grows() -> None:
    """Ids are found after any number of enlargements, and none that was never added is."""
    keys = [f"event-{number}" for number in range(30_000)]
    index = IdIndex()

    assert index.add_new(keys) == len(keys)
    for place in range(0, len(keys), 7):
        assert index.first(keys[place], lambda found, place=place: found == place) == place
    assert not index.add_if_new(keys[123])
    assert index.add_if_new("another")
    assert index.first("never", lambda position: position < len(keys) and keys[position] == "never") is None


def test_an_equal_hash_is_no_proof() -> None:
    """A position is returned only if the ids themselves are equal: the caller's word decides, not the hash."""
    index = IdIndex()
    index.add("x")

    assert index.first("x", lambda position: False) is None
