"""The small value types that records are made of, as msgspec reads them.

Every number of a ledger is an IEEE double, as in the runtime that wrote it; `Count` is the one that must be whole.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal, NewType

from msgspec import Meta, Struct

SAFE_INTEGER = 2**53 - 1
"""The greatest whole number that a double holds beside all its smaller neighbours."""

_LARGEST = sys.float_info.max

Name = Annotated[str, Meta(min_length=1)]
"""A string that is not empty."""

ShortId = Annotated[str, Meta(min_length=1, max_length=256)]
"""A string that is not empty; its holder checks that it has at most 256 bytes of UTF-8."""

Finite = Annotated[float, Meta(ge=-_LARGEST, le=_LARGEST)]
"""A double that is neither infinite nor NaN."""

NotNegative = Annotated[float, Meta(ge=0, le=_LARGEST)]
"""A finite double of 0 or more."""

Count = Annotated[int, Meta(ge=0, le=SAFE_INTEGER)]
"""A whole number from 0 on."""

Positive = Annotated[int, Meta(ge=1, le=SAFE_INTEGER)]
"""A whole number from 1 on."""

One = Annotated[int, Meta(ge=1, le=1)]
"""The number 1; a plain `Literal[1]` would refuse the spelling 1.0."""

Zero = Annotated[int, Meta(ge=0, le=0)]
"""The number 0, in any spelling."""

Digest = Annotated[str, Meta(pattern=r"\Asha256:[0-9a-f]{64}\Z")]
"""`sha256:` and 64 lower-case hex digits."""


class Record(Struct, frozen=True, forbid_unknown_fields=True, rename="camel", gc=False):
    """A closed record: the keys it names and no other; a key that is absent is `UNSET`, never None.

    Where records are declared, annotations are not postponed: msgspec would compile each of them at every start.
    """


def units(text: str) -> int:
    """Return the length of a text in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class Asked(type):
    """The type of types that msgspec does not know, so that it asks the decoder's hook for the value."""

    holds: Callable[[object], bool]
    beside: bool

    def __instancecheck__(cls, value: object) -> bool:
        return cls.holds(value)


def asked(name: str, holds: Callable[[object], bool], *, beside: bool = False) -> type:
    """Return a type for a field that plain msgspec types cannot describe.

    Args:
        name: what it is called in complaints.
        holds: whether a value is what it should be; msgspec takes no other.
        beside: whether the value must be judged by what stands beside it, which only the exact way does.

    """
    return Asked(name, (), {"holds": staticmethod(holds), "beside": beside})


if TYPE_CHECKING:
    FreeObject = dict[str, Any]
    """Any JSON object. Its numbers are floats."""

    OnlyTrue = Literal[True]
    """Literally true."""
else:
    # msgspec reads a bare `Any` number as a Python int of any size, which no double is, and it cannot name a type
    # that holds itself. So the nesting is written out; what goes deeper is refused here and read the exact way.
    # Every level doubles what a decoder must prepare before it reads its first row.
    _Free = str | bool | float | None
    for _ in range(5):
        _Free = str | bool | float | None | list[_Free] | dict[str, _Free]
    FreeObject = NewType("FreeObject", dict[str, _Free])

    OnlyTrue = asked("true", lambda value: value is True)
