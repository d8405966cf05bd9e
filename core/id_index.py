"""Has this id been seen, and where first? Exact, at next to no cost for ids that count upwards."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import islice
from operator import lt
from typing import Final

from .id_table import IdTable

_FEW: Final = 64
_FEW_OF: Final = 10
"""Bits: so few ids of 1024, and _FEW besides, may be out of order before a table is cheaper than searching."""


class IdIndex:
    """Positions 0, 1, 2 ... of ids; `key_at(position)` gives an id back, so none needs to be kept.

    Many writers count: each id is greater than the last, the longer one being the greater. As long as nearly all do,
    an id above the greatest is new, and any other is looked for by bisection. From then on a table is used.
    """

    __slots__ = ("_count", "_expected", "_gaps", "_greatest", "_key_at", "_strays", "_table")

    def __init__(self, key_at: Callable[[int], str], expected: int = 0) -> None:
        self._key_at = key_at
        self._expected = expected
        self._count = 0
        self._greatest = ""
        self._strays: dict[str, int] = {}
        """Ids that were new and out of order."""
        self._gaps: list[int] = []
        """Per position that is out of order, strays and repeated ones, the number of ordered ones before it."""
        self._table: IdTable | None = None

    def __len__(self) -> int:
        return self._count

    def first(self, key: str) -> int | None:
        """Return the first position of a key, or None."""
        if self._table is not None:
            return self._table.first(key)
        if key in self._strays:
            return self._strays[key]
        return None if _above(key, self._greatest) else self._search(key)

    def add(self, key: str, *, repeated: bool = False) -> None:
        """Give `key` the next position. `repeated` if `first` found it: the earlier position stays the answer."""
        if len(self._gaps) > _FEW + (self._count >> _FEW_OF):
            self._build_table()
        if self._table is not None:
            self._table.add(key, repeated=repeated)
        elif not repeated and _above(key, self._greatest):
            self._greatest = key
        else:
            self._gaps.append(self._count - len(self._gaps))
            if not repeated:
                self._strays[key] = self._count
        self._count += 1

    def add_if_new(self, key: str) -> bool:
        """Give `key` the next position if that it is new can be seen at once."""
        if self._table is not None:
            new = self._table.add_if_new(key)
            self._count += new
            return new
        if self.first(key) is not None:
            return False
        self.add(key)
        return True

    def add_new(self, keys: Sequence[str]) -> int:
        """Add keys up to the first one that may be known, and return how many were added: nearly always all."""
        if self._table is None:
            if self._counts_on(keys):
                self._count += len(keys)
                self._greatest = keys[-1]
                return len(keys)
            done = 0
            while self._table is None and done < len(keys):
                if not self.add_if_new(keys[done]):
                    return done
                done += 1
            return done + (self.add_new(keys[done:]) if done < len(keys) else 0)
        new = self._table.add_new(keys)
        self._count += new
        return new

    def _counts_on(self, keys: Sequence[str]) -> bool:
        if not keys or not _above(keys[0], self._greatest) or len(keys[0]) != len(keys[-1]):
            return False
        return len(set(map(len, keys))) == 1 and all(map(lt, keys, islice(keys, 1, None)))

    def _search(self, key: str) -> int | None:
        low, high = 0, self._count - len(self._gaps)
        while low < high:
            middle = (low + high) // 2
            if _above(key, self._key_at(self._position(middle))):
                low = middle + 1
            else:
                high = middle
        found = self._position(low)
        return found if low < self._count - len(self._gaps) and self._key_at(found) == key else None

    def _position(self, rank: int) -> int:
        return rank + bisect_right(self._gaps, rank)

    def _build_table(self) -> None:
        table = IdTable(self._key_at, max(self._expected, self._count))
        for position in range(self._count):
            key = self._key_at(position)
            table.add(key, repeated=table.first(key) is not None)
        self._table = table
        self._strays.clear()
        self._gaps.clear()


def _above(key: str, other: str) -> bool:
    return len(key) > len(other) or (len(key) == len(other) and key > other)
