"""A method that a value may hold of itself and still goes when the last who asks it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakMethod

T = TypeVar("T")


def loosely(method: Callable[[int], T]) -> Callable[[int], T]:
    """Return what asks a method and does not keep alive what that belongs to; it is for that one alone to ask.

    A value in a ring stays until the garbage is looked through, which for a ledger of many small ones took longer than
    some of the reading.
    """
    held = WeakMethod(method)

    def ask(position: int) -> T:
        found = held()
        if found is None:
            raise ReferenceError("what is asked is gone")
        return found(position)

    return ask
