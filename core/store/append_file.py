"""A JSONL file held open for one append: its tail judged and repaired, rows added in one write."""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack, suppress
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Final

from msgspec import Struct

from ..errors import AppendRefused, StoreError
from ..records.json_text import classify
from .locks import exclusive

ATTEMPTS: Final = 100
"""How often an append is tried again when writers without our lock come between."""

_BLOCK: Final = 1 << 16
_FLAGS: Final = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class TailKind(StrEnum):
    """What stands behind the last line feed of a file."""

    CLEAN = "clean"
    """Nothing."""
    COMPLETE = "complete"
    """A whole JSON document that only lacks its line feed."""
    TORN = "torn"
    """The beginning of one, or JSON white space; to be cut off before anything is added."""


class Tail(Struct, frozen=True):
    """The bytes behind the last line feed."""

    kind: TailKind
    offset: int
    """Byte offset in the file."""
    payload: bytes


class TailMoved(AppendRefused):
    """Somebody who ignores the lock wrote after the tail was judged; nothing was written, try again."""

    code = "ledger_changed"


class AppendFile:
    """One file, opened for appending and locked against other processes where the system can. A context manager.

    Raises StoreError where the system fails, AppendRefused where the path holds no regular file or, without `create`,
    nothing at all. New files are private to their owner (format: JSONL append).
    """

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.path = path
        self._create = create
        self._descriptor = -1
        self._held = ExitStack()

    def __enter__(self) -> AppendFile:
        try:
            self._open()
        except OSError as error:
            self._held.close()
            raise write_failed(error, self.path) from error
        except BaseException:
            self._held.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.close()

    def status(self) -> os.stat_result:
        """Return what the system knows of the open file."""
        return os.fstat(self._descriptor)

    def read_at(self, offset: int, size: int) -> bytes:
        """Return up to `size` bytes from `offset`; fewer only where the file ends."""
        os.lseek(self._descriptor, offset, os.SEEK_SET)
        pieces = []
        while size > 0 and (piece := os.read(self._descriptor, size)):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def tail(self) -> Tail:
        """Judge what stands behind the last line feed. Raises AppendRefused where no JSON document can begin so."""
        end = offset = self.status().st_size
        blocks: list[bytes] = []
        while offset > 0:
            start = max(0, offset - (_BLOCK if blocks else 1))
            block = self.read_at(start, offset - start)
            cut = block.rfind(b"\n")
            if cut >= 0:
                blocks.append(block[cut + 1 :])
                offset = start + cut + 1
                break
            blocks.append(block)
            offset = start
        payload = b"".join(reversed(blocks))
        return judge_tail(payload, end - len(payload), self.path)

    def commit(self, tail: Tail, payload: bytes) -> int:
        """Repair the tail, add `payload` in one write and return the offset where it begins.

        A write that fails halfway is taken back as far as the system lets us. Raises TailMoved, or StoreError.
        """
        start = self.status().st_size
        if start != tail.offset + len(tail.payload):
            raise TailMoved("the file was written to at the same moment", path=str(self.path))
        try:
            if tail.kind is TailKind.TORN:
                os.ftruncate(self._descriptor, tail.offset)
                os.fsync(self._descriptor)
                start = tail.offset
        except OSError as error:
            raise write_failed(error, self.path) from error
        missing_line_feed = b"\n" if tail.kind is TailKind.COMPLETE else b""
        self._write(missing_line_feed + payload, start)
        return start + len(missing_line_feed)

    def sync(self) -> None:
        """Have the system bring the file's bytes to stable storage. Raises OSError."""
        os.fsync(self._descriptor)

    def _open(self) -> None:
        flags = _FLAGS | (os.O_CREAT if self._create else 0)
        try:
            self._descriptor = os.open(self.path, flags, 0o600)
        except FileNotFoundError:
            if self._create:
                raise
            raise AppendRefused("there is no such file to add to", path=str(self.path)) from None
        self._held.callback(os.close, self._descriptor)
        if not stat.S_ISREG(self.status().st_mode):
            raise AppendRefused("not a regular file", path=str(self.path))
        self._held.enter_context(exclusive(self._descriptor))

    def _write(self, payload: bytes, start: int) -> None:
        written = 0
        try:
            while written < len(payload):
                written += os.write(self._descriptor, payload[written:] if written else payload)
        except OSError as error:
            self._take_back(start, written)
            raise write_failed(error, self.path) from error

    def _take_back(self, start: int, written: int) -> None:
        # Only our own bytes: whoever ignores the lock may have added rows since.
        with suppress(OSError):
            if written and self.status().st_size == start + written:
                os.ftruncate(self._descriptor, start)


def judge_tail(payload: bytes, offset: int, path: Path) -> Tail:
    """Tell how the bytes behind the last line feed are to be treated. Raises AppendRefused (format: JSONL append)."""
    if not payload:
        return Tail(TailKind.CLEAN, offset, payload)
    kind = classify(payload.decode("utf-8", "replace"))
    if kind == "invalid":
        raise AppendRefused(
            "the last row is damaged, not merely cut: nothing can be added behind it",
            code="invalid_tail",
            path=str(path),
            offset=offset,
            length=len(payload),
        )
    return Tail(TailKind.COMPLETE if kind == "complete" else TailKind.TORN, offset, payload)


def write_failed(error: OSError, path: Path) -> StoreError:
    """Turn an error of the system into ours."""
    reason = error.strerror or type(error).__name__
    return StoreError(f"the system refused to write: {reason}", code="write_failed", path=str(path))
