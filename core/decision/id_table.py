"""A compact hash table from ids to positions: some 20 bytes an id, the ids themselves not kept."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Final

_FIRST_SIZE: Final = 1 << 10
_MOST_EXPECTED: Final = 1 << 22
"""Room for more ids than this is made when they come: a guess must not cost much."""
_GROWTH: Final = 2
"""Bits by which the table grows: few rebuildings, at most an eighth full after one."""


class IdTable:
    """Positions 0, 1, 2 ... of ids, found again by the 64-bit hash of the id.

    Two ids may share a hash, so a hit is only a suspicion, and `key_at(position)` decides. What is not hit is new.
    """

    __slots__ = ("_hashes", "_key_at", "_mask", "_slots")

    def __init__(self, key_at: Callable[[int], str], expected: int = 0) -> None:
        self._key_at = key_at
        self._hashes = array("q")
        size = max(_FIRST_SIZE, 1 << (3 * min(expected, _MOST_EXPECTED)).bit_length())
        self._mask = size - 1
        self._slots = array("I", bytes(4 * size))

    @classmethod
    def of_hashes(cls, key_at: Callable[[int], str], hashes: array[int], expected: int = 0) -> IdTable:
        """Make the table of ids whose hashes are known by position; some ids may be there more than once."""
        table = cls(key_at, max(expected, len(hashes)))
        table._hashes = hashes
        slots, mask = table._slots, table._mask
        for position, key_hash in enumerate(hashes, 1):
            slot = key_hash & mask
            repeated = False
            while (found := slots[slot]) and not repeated:
                repeated = hashes[found - 1] == key_hash and key_at(found - 1) == key_at(position - 1)
                slot = slot + 1 & mask
            if not repeated:
                slots[slot] = position
        return table

    def first(self, key: str) -> int | None:
        """Return the first position of a key, or None."""
        wanted = hash(key)
        slots, hashes, mask = self._slots, self._hashes, self._mask
        slot = wanted & mask
        while found := slots[slot]:
            if hashes[found - 1] == wanted and self._key_at(found - 1) == key:
                return found - 1
            slot = slot + 1 & mask
        return None

    def add(self, key: str, *, repeated: bool = False) -> None:
        """Give `key` the next position. `repeated` if it is in the table: the earlier position stays the answer."""
        if 2 * len(self._hashes) >= self._mask:
            self._grow(len(self._hashes) + 1)
        self._hashes.append(hash(key))
        if not repeated:
            slot = self._hashes[-1] & self._mask
            while self._slots[slot]:
                slot = slot + 1 & self._mask
            self._slots[slot] = len(self._hashes)

    def add_if_new(self, key: str) -> bool:
        """Give `key` the next position, unless its hash is known already."""
        if 2 * len(self._hashes) >= self._mask:
            self._grow(len(self._hashes) + 1)
        wanted = hash(key)
        slots, hashes, mask = self._slots, self._hashes, self._mask
        slot = wanted & mask
        while found := slots[slot]:
            if hashes[found - 1] == wanted:
                return False
            slot = slot + 1 & mask
        hashes.append(wanted)
        slots[slot] = len(hashes)
        return True

    def add_new(self, keys: Sequence[str]) -> int:
        """Add keys up to the first one whose hash is known, and return how many were added: nearly always all."""
        hashes = list(map(hash, keys))
        base = position = len(self._hashes)
        if 2 * (base + len(hashes)) >= self._mask:
            self._grow(base + len(hashes))
        known, slots, mask = self._hashes, self._slots, self._mask
        known.extend(hashes)
        for key_hash in hashes:
            slot = key_hash & mask
            while found := slots[slot]:
                if known[found - 1] == key_hash:
                    del known[position:]
                    return position - base
                slot = slot + 1 & mask
            position += 1
            slots[slot] = position
        return position - base

    def take_back(self, count: int) -> None:
        """Forget the last `count` positions."""
        for position in range(len(self._hashes), len(self._hashes) - count, -1):
            slot = self._hashes.pop() & self._mask
            while self._slots[slot] != position:
                slot = slot + 1 & self._mask
            self._slots[slot] = 0

    def _grow(self, wanted: int) -> None:
        """Rebuild the table so that it can take `wanted` ids. In any order: the ids in it are all different."""
        size = self._mask + 1
        while 2 * wanted >= size - 1:
            size <<= _GROWTH
        slots, mask = array("I", bytes(4 * size)), size - 1
        for found in self._slots:
            if not found:
                continue
            slot = self._hashes[found - 1] & mask
            while slots[slot]:
                slot = slot + 1 & mask
            slots[slot] = found
        self._slots, self._mask = slots, mask
