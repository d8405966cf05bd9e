"""Has this id been seen, and where first? Exact; quick for ids that count upwards and for any others, lean for many."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import islice, pairwise
from operator import gt, lt
from typing import Final

from .held_keys import HeldKeys
from .id_table import IdTable

_FEW: Final = 16
_FEW_OF: Final = 10
"""Bits: _FEW ids, and one of 1024, may be out of order before they are no longer looked for by bisection."""
_PART: Final = 1 << 16
_PARTS: Final = 4
"""Of hashes that were put by; a part has at least the first number, and about this share of all."""
_QUICK: Final = 1 << 18
"""Hashes of so many ids are kept in a set, which is quickest; more go into a table, which is leanest."""


class IdIndex:
    """Positions 0, 1, 2 ... of ids; `key_at(position)` gives an id back, so none needs to be kept.

    Many writers count: each id is greater than the last, the longer one being the greater. As long as nearly all do,
    an id above the greatest is new, and any other is looked for by bisection. Then hashes are kept: first in a set, as
    long as none was there before, then in a table.

    With `trusting` the hashes are put by unseen, every id is said to be new, and `settle` tells whether that was so.
    """

    __slots__ = (
        "_compared", "_count", "_expected", "_gaps", "_greatest", "_hashes", "_key_at", "_seen", "_strays",
        "_table", "_trusting", "_twice", "_unseen",
    )  # fmt: skip

    def __init__(self, key_at: Callable[[int], str], expected: int = 0, *, trusting: bool = False) -> None:
        self._key_at = HeldKeys(key_at)
        self._expected = expected
        self._trusting = trusting
        self._unseen = False
        """Whether hashes were put by."""
        self._compared = [0]
        """Where the parts end of which all hashes are different; what stands behind was not compared yet."""
        self._twice = False
        """Whether a hash came twice among those."""
        self._count = 0
        self._greatest = ""
        self._strays: dict[str, int] = {}
        """Ids that were new and out of order."""
        self._gaps: list[int] = []
        """Per position that is out of order, strays and repeated ones, the number of ordered ones before it."""
        self._seen: set[int] | None = None
        self._hashes = array("q")
        """By position, as long as there is no table."""
        self._table: IdTable | None = None

    def __len__(self) -> int:
        return self._count

    def settle(self) -> bool:
        """Trust no longer, and tell whether all ids that were said to be new were so; if not, this is of no use."""
        self._trusting = False
        if self._unseen:
            self._compare()
        return not self._twice

    def _put_hashes_by(self, keys: Sequence[str]) -> None:
        self._hashes.extend(map(hash, keys))
        if len(self._hashes) - self._compared[-1] >= max(_PART, self._expected // _PARTS, self._compared[-1] // _PARTS):
            self._compare()

    def _compare(self) -> None:
        """Compare the last hashes with one another and all others: in parts, and few, for their memory and time."""
        ends, hashes = self._compared, self._hashes
        part = hashes[ends[-1] :]
        seen = set(part)
        self._twice = self._twice or len(seen) < len(part)
        for start, end in pairwise(ends):
            self._twice = self._twice or not seen.isdisjoint(hashes[start:end])
        ends.append(len(hashes))

    def first(self, key: str) -> int | None:
        """Return the first position of a key, or None."""
        self._look()
        if self._unseen:
            return None
        if self._seen is not None:
            if hash(key) not in self._seen:
                return None
            self._tabulate()
        if self._table is not None:
            return self._table.first(key)
        if key in self._strays:
            return self._strays[key]
        return None if _above(key, self._greatest) else self._search(key)

    def add(self, key: str, *, repeated: bool = False) -> None:
        """Give `key` the next position. `repeated` if `first` found it: the earlier position stays the answer."""
        self._make_room(0)
        if self._unseen:
            self._put_hashes_by((key,))
        elif self._table is not None:
            self._table.add(key, repeated=repeated)
        elif self._seen is not None:
            self._seen.add(hash(key))
            self._hashes.append(hash(key))
        elif not repeated and _above(key, self._greatest):
            self._greatest = key
        else:
            self._gaps.append(self._count - len(self._gaps))
            if not repeated:
                self._strays[key] = self._count
        self._count += 1

    def add_if_new(self, key: str) -> bool:
        """Give `key` the next position if that it is new can be seen at once."""
        self._look()
        if self._unseen:
            self._put_hashes_by((key,))
        elif self._seen is not None and self._count < _QUICK:
            key_hash = hash(key)
            if key_hash in self._seen:
                return False
            self._seen.add(key_hash)
            self._hashes.append(key_hash)
        elif self._table is not None:
            if not self._table.add_if_new(key):
                return False
        elif self.first(key) is not None:
            return False
        else:
            self.add(key)
            return True
        self._count += 1
        return True

    def add_new(self, keys: Sequence[str]) -> int:
        """Add keys up to the first one that may be known, and return how many were added: nearly always all."""
        if self._counting and self._counts_on(keys):
            self._count += len(keys)
            return len(keys)
        self._make_room(_falls(keys) if self._counting else 0)
        if self._unseen:
            self._put_hashes_by(keys)
            self._count += len(keys)
            return len(keys)
        if self._table is not None:
            added = self._table.add_new(keys)
            self._count += added
            return added
        if self._seen is not None and self._add_hashes(self._seen, list(map(hash, keys))):
            self._count += len(keys)
            return len(keys)
        for place, key in enumerate(keys):
            if not self.add_if_new(key):
                return place
        return len(keys)

    def add_all(self, keys: Sequence[str]) -> bool:
        """Add keys that are all new; where any of them may be known, add none and return False."""
        if not keys:
            return True
        if self._counting and self._counts_on(keys):
            self._count += len(keys)
            return True
        self._make_room(_falls(keys) if self._counting else 0)
        if self._unseen:
            self._put_hashes_by(keys)
        elif self._table is not None:
            added = self._table.add_new(keys)
            if added < len(keys):
                self._table.take_back(added)
                return False
        elif self._seen is None or not self._add_hashes(self._seen, list(map(hash, keys))):
            return False
        self._count += len(keys)
        return True

    def take_back(self, count: int) -> None:
        """Forget the last `count` positions, which `add_all` gave."""
        self._count -= count
        self._key_at.forget(self._count)
        if self._table is not None:
            self._table.take_back(count)
        elif self._seen is not None:
            del self._hashes[self._count :]
            self._seen = set(self._hashes)
        elif self._unseen:
            del self._hashes[self._count :]
            self._compared = [end for end in self._compared if end <= self._count]
        elif count:
            ordered = self._count - len(self._gaps)
            self._greatest = self._key_at(self._position(ordered - 1)) if ordered else ""

    def _add_hashes(self, seen: set[int], hashes: list[int]) -> bool:
        """Add hashes if all of them are new."""
        before = len(seen)
        seen.update(hashes)
        if len(seen) == before + len(hashes):
            self._hashes.fromlist(hashes)
            return True
        self._seen = set(self._hashes)
        return False

    def _counts_on(self, keys: Sequence[str]) -> bool:
        """Take keys that go on counting."""
        if not keys or not _above(keys[0], self._greatest):
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

    @property
    def _counting(self) -> bool:
        return self._seen is None and self._table is None and not self._unseen

    def _look(self) -> None:
        """Make what ids are looked for in, where they are no longer trusted."""
        if self._unseen and not self._trusting:
            self._unseen = False
            if self._count < _QUICK:
                self._seen = set(self._hashes)
            else:
                self._tabulate()

    def _make_room(self, falls: int) -> None:
        """Change the way of looking where it is time to; so many ids that come now are lower than the one before.

        Of a short ledger that is known at once: the ids before them are quickly read again.
        """
        self._look()
        if self._seen is not None and self._count >= _QUICK:
            self._tabulate()
        elif self._counting and (
            len(self._gaps) + falls > _FEW + (self._count >> _FEW_OF) or _FEW * falls > self._count
        ):
            self._hashes.extend(map(hash, map(self._key_at, range(self._count))))
            self._unseen = True
            self._look()
            self._strays.clear()
            self._gaps.clear()

    def _tabulate(self) -> None:
        self._table = IdTable.of_hashes(self._key_at, self._hashes, max(self._expected, self._count))
        self._seen, self._hashes = None, array("q")


def _above(key: str, other: str) -> bool:
    return len(key) > len(other) or (len(key) == len(other) and key > other)


def _falls(keys: Sequence[str]) -> int:
    return sum(map(gt, keys, islice(keys, 1, None)))
