"""A method that a value may hold of itself and still goes when the last who asks it does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import proxy


def loosely(method: Any) -> Callable[..., Any]:
    """Return what calls a bound method and does not keep alive what that belongs to, which alone may hold it.

    A value in a ring stays until the garbage is looked through, which for very many ledgers takes a while.
    """
    return partial(method.__func__, proxy(method.__self__))
