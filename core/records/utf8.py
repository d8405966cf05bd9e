"""Whether bytes are UTF-8, told with little work where nearly all of them are ASCII."""

from __future__ import annotations

from typing import Final

_BLOCK: Final = 1 << 12
"""Bytes. Whether a block is ASCII is told many times as fast as it is decoded."""


def check_utf8(data: bytes) -> None:
    """Raise UnicodeDecodeError where bytes are no UTF-8."""
    if data.isascii():
        return
    start = -1
    for place in range(0, len(data), _BLOCK):
        # No character reaches into a block that is ASCII, so what stands between two such blocks stands for itself.
        if data[place : place + _BLOCK].isascii():
            if start >= 0:
                str(data[start:place], "utf-8")
                start = -1
        elif start < 0:
            start = place
    if start >= 0:
        str(data[start:], "utf-8")
