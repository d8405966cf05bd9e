"""Has this id been seen, and where first? The ids of a short ledger are kept as they are; more go into an index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from .id_index import IdIndex

_FEW: Final = 1 << 10
"""So many ids are kept before it is looked what they are like: most ledgers have no more."""


class Ids:
    """Positions 0, 1, 2 ... of ids; `key_at(position)` gives an id back, so that not all of them need be kept.

    `expected` and `trusting` are for the `IdIndex` that takes over when there are many.
    """

    __slots__ = ("_expected", "_few", "_key_at", "_known", "_many", "_trusting")

    def __init__(self, key_at: Callable[[int], str], expected: int = 0, *, trusting: bool = False) -> None:
        self._key_at = key_at
        self._expected = expected
        self._trusting = trusting
        self._few: list[str] = []
        """By position."""
        self._known: set[str] = set()
        self._many: IdIndex | None = None

    def __len__(self) -> int:
        return len(self._few) if self._many is None else len(self._many)

    def settle(self) -> bool:
        """Trust no longer, and tell whether all ids that were said to be new were so; if not, this is of no use."""
        self._trusting = False
        return self._many is None or self._many.settle()

    def first(self, key: str) -> int | None:
        """Return the first position of a key, or None."""
        if self._many is not None:
            return self._many.first(key)
        return self._few.index(key) if key in self._known else None

    def add(self, key: str, *, repeated: bool = False) -> None:
        """Give `key` the next position. `repeated` if `first` found it: the earlier position stays the answer."""
        many = self._index_for(1)
        if many is not None:
            many.add(key, repeated=repeated)
        else:
            self._few.append(key)
            self._known.add(key)

    def add_if_new(self, key: str) -> bool:
        """Give `key` the next position if that it is new can be seen at once."""
        many = self._index_for(1)
        return self._add_few((key,)) if many is None else many.add_if_new(key)

    def add_new(self, keys: Sequence[str]) -> int:
        """Add keys up to the first one that may be known, and return how many were added: nearly always all."""
        many = self._index_for(len(keys))
        if many is not None:
            return many.add_new(keys)
        if self._add_few(keys):
            return len(keys)
        new = next(place for place, key in enumerate(keys) if key in self._known or key in keys[:place])
        self._add_few(keys[:new])
        return new

    def add_all(self, keys: Sequence[str]) -> bool:
        """Add keys that are all new; where any of them may be known, add none and return False."""
        many = self._index_for(len(keys))
        return self._add_few(keys) if many is None else many.add_all(keys)

    def take_back(self, count: int) -> None:
        """Forget the last `count` positions, which `add_all` gave."""
        if self._many is not None:
            self._many.take_back(count)
        else:
            del self._few[len(self._few) - count :]
            self._known = set(self._few)

    def _add_few(self, keys: Sequence[str]) -> bool:
        known = self._known
        before = len(known)
        known.update(keys)
        if len(known) == before + len(keys):
            self._few.extend(keys)
            return True
        self._known = set(self._few)
        return False

    def _index_for(self, more: int) -> IdIndex | None:
        """Return what holds the ids, if with so many more of them they are not few."""
        if self._many is None and len(self._few) + more > _FEW:
            self._many = self._index()
        return self._many

    def _index(self) -> IdIndex:
        few, self._few, self._known = self._few, [], set()
        index = IdIndex(self._key_at, self._expected, trusting=self._trusting)
        while (place := len(index)) < len(few):
            if index.add_new(few[place:]) < len(few) - place:
                key = few[len(index)]
                index.add(key, repeated=index.first(key) is not None)
        return index
