"""Rows that are decoded for another process, which asks for some at a time and folds them."""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..records.bounds import MOST_VALUES
from ..records.plain import Execution, decode_plain
from ..storage.ahead import PlainColumns, travelling
from ..storage.files import ReadFailed, ReadOnlyFile
from ..storage.jsonl_reading import CHUNK, LARGEST_CHUNK, ROWS_OF_CHUNK
from ..storage.lines import Lines

_VERSION: Final = 2
"""Of marshal's format: later ones look for what is there twice, and nothing is."""


@dataclass(frozen=True, slots=True)
class SomeRows:
    """Rows of a ledger that are all plain, if they are. An empty part is asked for to see whether anybody answers."""

    path: Path
    identity: tuple[int, int]
    """Of the file."""
    start: int
    end: int
    """Bytes; lines are whole."""
    execution: Execution


def encoded(parts: list[PlainColumns]) -> bytes:
    """Return rows as bytes for `decoded`, on the same machine."""
    return marshal.dumps([tuple(columns) for columns in parts], _VERSION)


def decoded(answer: bytes) -> list[PlainColumns]:
    """Return the rows of `encoded`. Raises EOFError, ValueError or TypeError for other bytes."""
    return [PlainColumns(*columns) for columns in marshal.loads(answer)]


class Decoding:
    """Answers for one file after the other; the one that was asked for last stays open."""

    def __init__(self) -> None:
        self._file: ReadOnlyFile | None = None
        self._key: tuple[Path, tuple[int, int]] | None = None

    def answer(self, wanted: SomeRows) -> bytes | None:
        """Return the rows, encoded; None where any of them may not be plain, or the file is another one."""
        with suppress(ReadFailed):
            file = self._opened(wanted.path, wanted.identity)
            data = file.read_at(wanted.start, wanted.end - wanted.start) if file is not None else b""
            if file is not None and len(data) == wanted.end - wanted.start and data[-1:] in (b"\n", b""):
                rows = list(_decode(data, wanted.start, wanted.execution))
                return None if None in rows else encoded([columns for columns in rows if columns is not None])
        return None

    def _opened(self, path: Path, identity: tuple[int, int]) -> ReadOnlyFile | None:
        if self._key != (path, identity):
            if self._file is not None:
                self._file.close()
            self._file, self._key = ReadOnlyFile(path, follow=False), (path, identity)
            if self._file.state().identity != identity:
                self._file.close()
                self._file = None
        return self._file


def _decode(data: bytes, offset: int, execution: Execution) -> Iterator[PlainColumns | None]:
    """Yield the rows, some at a time; None ends it: they are not all plain."""
    usual = ROWS_OF_CHUNK * len(data) // (data.count(b"\n") or 1)
    size, start = min(max(CHUNK, usual), LARGEST_CHUNK), 0
    while start < len(data):
        end = data.find(b"\n", min(start + size, len(data)) - 1) + 1
        lines = Lines(offset + start, data[start:end])
        offsets, lengths, objects = lines.measured()
        plain = objects and max(lengths) <= MOST_VALUES
        rows = decode_plain(lines.data, len(lengths), execution) if plain else None
        if rows is None:
            yield None
            return
        yield travelling(rows, lines.data, offsets, lengths)
        start = end
