"""The index of ids: exact, whatever is added."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.decision import id_index
from core.decision import ids as few_ids
from core.decision.id_index import IdIndex
from core.decision.id_table import IdTable
from core.decision.ids import Ids

KEYS = st.one_of(st.text(max_size=2), st.integers(0, 30).map(str), st.integers(0, 30).map(lambda n: f"e{n:03}"))


@pytest.mark.parametrize("kind", [IdIndex, IdTable, Ids])
@given(keys=st.one_of(st.lists(KEYS), st.lists(KEYS, max_size=200).map(sorted)), few=st.integers(0, 9))
def test_an_id_is_found_where_it_stood_first(kind: type[IdIndex | IdTable | Ids], keys: list[str], few: int) -> None:
    """Every repeated id, and no other, is found at its first position, in whatever order they come."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(few_ids, "_FEW", few)
        for expected in (0, len(keys)):
            index = kind(keys.__getitem__, expected)
            for place, key in enumerate(keys):
                first = keys.index(key)
                assert index.first(key) == (first if first < place else None)
                index.add(key, repeated=first < place)


@pytest.mark.parametrize("kind", [IdIndex, IdTable, Ids])
@given(runs=st.lists(st.lists(KEYS, max_size=5), max_size=20), few=st.integers(0, 9))
def test_many_at_once_stop_at_the_first_that_is_known(
    kind: type[IdIndex | IdTable | Ids], runs: list[list[str]], few: int
) -> None:
    """`add_new` adds what is new up to the first id that was seen, in this run or before, and nothing behind it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(few_ids, "_FEW", few)
        known: list[str] = []
        index = kind(known.__getitem__)
        for run in runs:
            new = next((place for place, key in enumerate(run) if key in (*known, *run[:place])), len(run))
            known += run[:new]

            assert index.add_new(run) == new
            if new < len(run):
                assert not index.add_if_new(run[new])
                index.add(run[new], repeated=True)
                known.append(run[new])


@pytest.mark.parametrize("few", [0, 3, 6, 1 << 10])
def test_what_is_taken_back_is_new_again(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    """Ids that were added together and taken back are not known, and those before them are."""
    monkeypatch.setattr(few_ids, "_FEW", few)
    keys = ["d", "a", "c", "b", "x", "w"]
    ids = Ids(keys.__getitem__)
    assert ids.add_all(keys[:4])
    assert ids.add_all(keys[4:])

    ids.take_back(2)

    assert len(ids) == 4
    assert [ids.first(key) for key in keys] == [0, 1, 2, 3, None, None]
    assert not ids.add_all(["x", "c"])
    assert ids.add_all(keys[4:])
    assert [ids.first(key) for key in keys] == list(range(6))


@pytest.mark.parametrize("step", [1, 7919])
def test_it_stays_exact_while_it_grows(step: int) -> None:
    """Very many ids, counting upwards or in no order, are all new, and are found afterwards; no others are."""
    count = 70_000
    keys = [f"event-{number * step % 70_001}" for number in range(count)]
    index = IdIndex(keys.__getitem__)

    assert sum(index.add_new(keys[start : start + 60]) for start in range(0, count, 60)) == len(index) == count
    assert not index.add_if_new(keys[123])
    for place in (*range(0, count, 7), count - 1):
        assert index.first(keys[place]) == place
    assert index.first("event") is None
    assert index.first("event-70001") is None


def test_a_few_ids_out_of_order_cost_no_table() -> None:
    """Some strays among ids that count are found again, and so are the counted ones on both sides of them."""
    keys = [f"e{number}" if number % 50 else f"odd-{number * 7919 % 1000}-{number}" for number in range(3000)]
    index = IdIndex(keys.__getitem__)

    assert sum(index.add_new(keys[start : start + 64]) for start in range(0, 3000, 64)) == 3000
    assert all(index.first(key) == place for place, key in enumerate(keys))
    assert index.first("e3001") is None
    assert index.first("odd-1") is None


@pytest.mark.parametrize(
    ("quick", "few", "part"),
    [(4, 0, 3), (1 << 18, 0, 3), (4, 8, 3), (1 << 18, 8, 1 << 16), (1 << 18, 1 << 10, 1 << 16)],
)
@given(runs=st.lists(st.lists(KEYS, max_size=5), max_size=20), later=st.lists(KEYS, max_size=5))
def test_trust_is_settled(quick: int, few: int, part: int, runs: list[list[str]], later: list[str]) -> None:
    """Every id is new while it is trusted; `settle` says whether all were, and then each is found, and others after."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(id_index, "_QUICK", quick)
        patch.setattr(few_ids, "_FEW", few)
        patch.setattr(id_index, "_PART", part)
        known: list[str] = []
        index = Ids(known.__getitem__, trusting=True)
        trusted = True
        for run in runs:
            known += run
            added = index.add_new(run)
            while added < len(run):  # ids that count are looked at even so
                trusted = False
                index.add(run[added], repeated=index.first(run[added]) is not None)
                added += 1 + index.add_new(run[added + 1 :])

        different, settled = len(set(known)) == len(known), index.settle()
        assert settled or not different
        assert not settled or different or not trusted
        if different:
            assert [index.first(key) for key in known] == list(range(len(known)))
            for key in later:
                first = known.index(key) if key in known else None
                assert index.first(key) == first
                index.add(key, repeated=first is not None)
                known.append(key)


@pytest.mark.parametrize(("few", "part"), [(0, 1), (0, 2), (0, 3), (0, 1 << 16), (3, 2), (4, 2), (8, 2), (1 << 10, 1)])
@pytest.mark.parametrize("twice", [pair for pair in combinations(range(10), 2) if pair[1] > 1])
def test_an_id_that_came_twice_is_not_trusted(
    monkeypatch: pytest.MonkeyPatch, twice: tuple[int, int], few: int, part: int
) -> None:
    """Wherever the same id stands, and however many are kept, it is seen at once or when the trust is settled."""
    monkeypatch.setattr(few_ids, "_FEW", few)
    monkeypatch.setattr(id_index, "_PART", part)
    keys = list("yxqwertzui")
    index = Ids(keys.__getitem__, trusting=True)
    assert index.add_all(keys[:2])
    keys[twice[1]] = keys[twice[0]]

    added = all(index.add_all(keys[place : place + 2]) for place in range(2, 10, 2))
    assert not (added and index.settle())


@pytest.mark.parametrize("quick", [4, 1 << 18])
@pytest.mark.parametrize("way", ["first", "add_if_new", "add_new", "add_all"])
def test_what_comes_behind_trust_is_looked_at(monkeypatch: pytest.MonkeyPatch, way: str, quick: int) -> None:
    """Whichever way the next id comes by, once all is settled: one that was there is known, and another is not."""
    monkeypatch.setattr(id_index, "_QUICK", quick)
    keys = list("yxqwertzui")
    index = IdIndex([*keys, "new"].__getitem__, trusting=True)
    assert all(index.add_all(keys[place : place + 2]) for place in range(0, 10, 2))
    assert index.settle()

    if way == "first":
        assert (index.first("r"), index.first("new")) == (5, None)
    elif way == "add_if_new":
        assert (index.add_if_new("r"), index.add_if_new("new")) == (False, True)
    elif way == "add_new":
        assert (index.add_new(["r"]), index.add_new(["new", "r"])) == (0, 1)
    else:
        assert (index.add_all(["r"]), index.add_all(["new"])) == (False, True)
    assert len(index) == 10 + (way != "first")


def test_positions_that_were_taken_back_are_read_anew() -> None:
    """An id that stands in the place of one that was taken back is found there, also where that one had been read."""
    keys = ["a1", "a2", "a3"]
    index = IdIndex(lambda position: keys[position])
    assert index.add_all(keys)
    assert index.first("a2") == 1

    index.take_back(2)
    keys[1:] = ["b2", "b3"]

    assert index.add_all(["b2", "b3"])
    assert [index.first(key) for key in ("a1", "a2", "b2", "b3")] == [0, None, 1, 2]


def test_an_equal_hash_is_no_proof() -> None:
    """A position is returned only if the ids themselves are equal, not because their hashes are."""
    table = IdTable(lambda position: "another")
    table.add("x")

    assert table.first("x") is None
