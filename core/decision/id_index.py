"""Has this id been seen, and where first? Exact; quick for ids that count upwards and for few, lean for very many."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import islice
from operator import lt
from typing import Final

from .id_table import IdTable

_FEW: Final = 16
_FEW_OF: Final = 10
"""Bits: _FEW ids, and one of 1024, may be out of order before they are no longer looked for by bisection."""
_LISTED: Final = 1 << 16
"""So many ids are kept as they are, which is quickest; more go into a table, which is leanest."""


class IdIndex:
    """Positions 0, 1, 2 ... of ids; `key_at(position)` gives an id back, so none needs to be kept.

    Many writers count: each id is greater than the last, the longer one being the greater. As long as nearly all do,
    an id above the greatest is new, and any other is looked for by bisection. Then ids are listed, as long as they are
    few and all different. Then there is a table.
    """

    __slots__ = ("_count", "_expected", "_gaps", "_greatest", "_key_at", "_listed", "_strays", "_table")

    def __init__(self, key_at: Callable[[int], str], expected: int = 0) -> None:
        self._key_at = key_at
        self._expected = expected
        self._count = 0
        self._greatest = ""
        self._strays: dict[str, int] = {}
        """Ids that were new and out of order."""
        self._gaps: list[int] = []
        """Per position that is out of order, strays and repeated ones, the number of ordered ones before it."""
        self._listed: dict[str, None] | None = None
        self._table: IdTable | None = None

    def __len__(self) -> int:
        return self._count

    def first(self, key: str) -> int | None:
        """Return the first position of a key, or None."""
        if self._listed is not None:
            if key not in self._listed:
                return None
            self._tabulate()
        if self._table is not None:
            return self._table.first(key)
        if key in self._strays:
            return self._strays[key]
        return None if _above(key, self._greatest) else self._search(key)

    def add(self, key: str, *, repeated: bool = False) -> None:
        """Give `key` the next position. `repeated` if `first` found it: the earlier position stays the answer."""
        self._make_room()
        if self._table is not None:
            self._table.add(key, repeated=repeated)
        elif self._listed is not None:
            self._listed[key] = None
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
        if self._listed is not None and self._count < _LISTED:
            if key in self._listed:
                return False
            self._listed[key] = None
            self._count += 1
            return True
        if self.first(key) is not None:
            return False
        self.add(key)
        return True

    def add_new(self, keys: Sequence[str]) -> int:
        """Add keys up to the first one that may be known, and return how many were added: nearly always all."""
        self._make_room()
        if self._table is not None:
            added = self._table.add_new(keys)
            self._count += added
            return added
        if self._lists(keys) or self._counts_on(keys):
            self._count += len(keys)
            return len(keys)
        for place, key in enumerate(keys):
            if not self.add_if_new(key):
                return place
        return len(keys)

    def _lists(self, keys: Sequence[str]) -> bool:
        """Add keys to the list if there is one and all of them are new."""
        if self._listed is None:
            return False
        before = len(self._listed)
        self._listed.update(dict.fromkeys(keys))
        if len(self._listed) == before + len(keys):
            return True
        while len(self._listed) > before:
            self._listed.popitem()
        return False

    def _counts_on(self, keys: Sequence[str]) -> bool:
        """Take keys that go on counting."""
        if self._listed is not None or not keys or not _above(keys[0], self._greatest):
            return False
        if len(set(map(len, keys))) != 1 or not all(map(lt, keys, islice(keys, 1, None))):
            return False
        self._greatest = keys[-1]
        return True

    def _search(self, key: str) -> int | None:
        ordered = self._count - len(self._gaps)
        low, high = 0, ordered
        while low < high:
            middle = (low + high) // 2
            if _above(key, self._key_at(self._position(middle))):
                low = middle + 1
            else:
                high = middle
        found = self._position(low)
        return found if low < ordered and self._key_at(found) == key else None

    def _position(self, rank: int) -> int:
        return rank + bisect_right(self._gaps, rank)

    def _make_room(self) -> None:
        if self._listed is not None and self._count >= _LISTED:
            self._tabulate()
        elif len(self._gaps) > _FEW + (self._count >> _FEW_OF):
            keys = list(map(self._key_at, range(self._count)))
            self._listed = dict.fromkeys(keys)
            if len(self._listed) < len(keys) or len(keys) >= _LISTED:
                self._tabulate()
            self._strays.clear()
            self._gaps.clear()

    def _tabulate(self) -> None:
        table = IdTable(self._key_at, max(self._expected, self._count))
        if self._listed is not None and len(self._listed) == self._count:
            keys = list(self._listed)
            while len(table) < len(keys):
                if not table.add_new(keys[len(table) :]):
                    table.add(keys[len(table)])
        else:
            for position in range(self._count):
                key = self._key_at(position)
                table.add(key, repeated=table.first(key) is not None)
        self._table, self._listed = table, None


def _above(key: str, other: str) -> bool:
    return len(key) > len(other) or (len(key) == len(other) and key > other)
