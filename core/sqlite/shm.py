"""The shared-memory index (`-shm`) of a SQLite database: it remembers how many frames of the log were committed.

SQLite rebuilds it and needs nothing of it. To us it is a witness: it still counts frames that the log has lost. It is
written in the byte order of the machine that wrote it, and its header stands twice, each with a checksum of its own.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

from msgspec import Struct

from ..storage.files import ReadFailed, ReadOnlyFile
from .wal import ByteOrder, checksum

_HEADER_SIZE: Final = 48
_BACKFILL_SIZE: Final = 4
HEAD_SIZE: Final = 2 * _HEADER_SIZE + _BACKFILL_SIZE
"""Bytes at the start of the file that say anything of the log."""

_VERSION: Final = 3007000
_FIELDS: Final = "3I2BH2I8s8s2I"
_TRIES: Final = 3


class ShmIndex(Struct, frozen=True):
    """What the index says of the log."""

    max_frame: int
    """Frames of the log up to and including the last commit."""
    backfilled: int
    """How many of them a checkpoint has moved into the main file."""
    salts: bytes
    """The log's generation, as in its header."""


class ShmState(Struct, frozen=True):
    """A `-shm` file as it was found."""

    size: int
    """Bytes."""
    index: ShmIndex | None
    """None where it is blank or damaged."""
    blank: bool
    """Whether it was never initialised."""


def parse_index(data: bytes) -> ShmIndex | None:
    """Read the first 100 bytes of a `-shm` file. Of two sound headers the one that knows more frames counts."""
    copies = (data[:_HEADER_SIZE], data[_HEADER_SIZE : 2 * _HEADER_SIZE])
    backfill = data[2 * _HEADER_SIZE : HEAD_SIZE]
    sound = [index for copy in copies if (index := _parse_copy(copy, backfill)) is not None]
    return max(sound, key=lambda index: index.max_frame, default=None)


def read_shm(path: Path) -> ShmState | None:
    """Read a `-shm` file; None where there is none. A writer may change it under us: a damaged one is read again."""
    state = None
    for _ in range(_TRIES):
        try:
            with ReadOnlyFile(path) as file:
                head = file.read_at(0, HEAD_SIZE)
                state = ShmState(file.state().size, parse_index(head), not any(head))
        except ReadFailed:
            return None
        if state.index is not None or state.blank:
            break
    return state


def _parse_copy(copy: bytes, backfill: bytes) -> ShmIndex | None:
    if len(copy) < _HEADER_SIZE or len(backfill) < _BACKFILL_SIZE:
        return None
    orders: tuple[ByteOrder, ByteOrder] = ("little", "big")
    for order in orders:
        form = struct.Struct((">" if order == "big" else "<") + _FIELDS)
        version, _, _, initialised, _, _, max_frame, _, _, salts, first, second = form.unpack(copy)
        if version == _VERSION and initialised and checksum(copy[:40], (0, 0), order) == (first, second):
            return ShmIndex(max_frame, int.from_bytes(backfill, order), salts)
    return None
