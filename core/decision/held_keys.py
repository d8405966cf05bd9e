"""Keys that were read again, held for a while: whoever repeats an id must not have a long row decoded each time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_ROOM: Final = 1 << 20
"""Characters that are held, each key counting for at least `_LEAST`; the last key is held however long it is."""
_LEAST: Final = 100


class HeldKeys:
    """Gives keys by position as `read` does, and asks it again only for those that it no longer holds."""

    __slots__ = ("_held", "_left", "_read")

    def __init__(self, read: Callable[[int], str]) -> None:
        self._read = read
        self._held: dict[int, str] = {}
        self._left = _ROOM

    def __call__(self, position: int) -> str:
        """Return the key at a position. Raises what `read` raises."""
        key = self._held.get(position)
        if key is None:
            key = self._read(position)
            self._left -= max(len(key), _LEAST)
            if self._left < 0:
                self._held.clear()
                self._left = _ROOM - max(len(key), _LEAST)
            self._held[position] = key
        return key

    def forget(self, start: int) -> None:
        """Hold no key from this position on: others may come there."""
        for position in [position for position in self._held if position >= start]:
            del self._held[position]
