"""What bounds the opening of a database; apart, since who opens no database should not load what reads one."""

from __future__ import annotations

from typing import Final

COPY_LIMIT: Final = 512 << 20
"""Bytes of main file, log and journal up to which a private copy is the first choice."""


def never() -> bool:
    """Never stop."""
    return False
