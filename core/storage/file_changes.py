"""What happened to a ledger file while it was read: cut, longer, overwritten, replaced or removed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from .files import FileState, ReadFailed, ReadOnlyFile, file_state
from .findings import Finding

_CHUNK: Final = 1 << 20
_KEPT: Final = 1 << 19
"""Bytes of a file that are kept at most in the place of a checksum."""


class ReadSum:
    """Checksums of the bytes that were read from the start of a file."""

    def __init__(self) -> None:
        self.size = 0
        """Bytes that were read."""
        self._sums: list[tuple[int, int]] = []
        """Where each part ends, and its CRC-32."""
        self._grows = False
        self._kept: list[bytes] = []
        """All bytes, while they are few: of most files nobody ever asks for a checksum."""

    def add(self, chunk: bytes) -> None:
        """Note the bytes that were read next."""
        if not self._sums and self.size + len(chunk) <= _KEPT:
            self._kept.append(chunk)
            self.size += len(chunk)
            return
        self._sum_up()
        self._add(chunk)

    def _add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        before = self._sums.pop()[1] if self._grows else 0
        self._sums.append((self.size, zlib.crc32(chunk, before)))
        self._grows = True

    def _sum_up(self) -> None:
        kept, self._kept = self._kept, []
        if kept:
            self.size = 0
            for chunk in kept:
                self._add(chunk)

    def add_sum(self, size: int, checksum: int) -> None:
        """Note that so many bytes were read next, with their CRC-32."""
        self._sum_up()
        self.size += size
        self._sums.append((self.size, checksum))
        self._grows = False

    def still_begins(self, file: ReadOnlyFile) -> bool:
        """Read the same part of the file again and tell whether it is the same. Raises ReadFailed."""
        self._sum_up()
        place = 0
        for end, checksum in self._sums:
            found = 0
            while place < end:
                chunk = file.read_at(place, min(_CHUNK, end - place))
                if not chunk:
                    return False
                found = zlib.crc32(chunk, found)
                place += len(chunk)
            if found != checksum:
                return False
        return True


def changes(file: ReadOnlyFile, before: FileState, read: ReadSum, path: Path) -> Iterator[Finding]:
    """Say what happened to an open file since it was in the state `before`.

    A ledger only ever grows. Where its first bytes are no longer what was read, the rows are a mix of two ledgers.
    """
    try:
        after = file.state()
        if after.size >= before.size and after != before and not read.still_begins(file):
            yield Finding("ledger_rewritten", "the ledger was overwritten while it was read", path=str(path))
    except ReadFailed as error:
        yield Finding("ledger_changed", f"the ledger can no longer be read: {error.message}", path=str(path))
        return
    now = file_state(path)
    if after.size < before.size:
        lost = before.size - after.size
        said = f"the ledger was cut by {lost:,} bytes while it was read"
        yield Finding("ledger_shrank", said, offset=after.size, path=str(path))
    elif after.size > before.size:
        more = after.size - before.size
        yield Finding("ledger_grew", f"{more:,} bytes were added while it was read", offset=before.size, path=str(path))
    if now is None:
        said = "the ledger was removed while it was read; what was read is shown"
        yield Finding("ledger_vanished", said, path=str(path))
    elif now.identity != before.identity:
        said = "the ledger was replaced while it was read; the old one is shown"
        yield Finding("ledger_replaced", said, path=str(path))
