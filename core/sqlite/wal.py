"""The write-ahead log of a SQLite database, read from its bytes (SQLite's file format: the WAL).

A log is a header of 32 bytes and frames: 24 bytes, then one page. Salts in the header name its generation; frames of an
older generation may follow the live ones. A commit is a frame that says how many pages the database has after it.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from ..storage.files import ReadOnlyFile

HEADER_SIZE: Final = 32
FRAME_HEADER_SIZE: Final = 24

_MAGIC_LITTLE: Final = 0x377F0682
_MAGIC_BIG: Final = 0x377F0683
_VERSION: Final = 3007000
_HEADER: Final = struct.Struct(">4I8sII")
_FRAME: Final = struct.Struct(">II8sII")

ByteOrder = Literal["little", "big"]


class WalHeader(Struct, frozen=True):
    """The first 32 bytes of a log, known to be sound."""

    page_size: int
    """Bytes of a page."""
    salts: bytes
    """8 bytes that name the generation; every live frame repeats them."""
    checksum: tuple[int, int]
    """Where the chain of checksums starts."""
    byteorder: ByteOrder
    """Byte order in which checksums read their input."""

    @property
    def frame_size(self) -> int:
        """Bytes of a frame, its header included."""
        return FRAME_HEADER_SIZE + self.page_size

    def offset_of(self, frame: int) -> int:
        """Return the byte offset of frame `frame`, counted from 0."""
        return HEADER_SIZE + frame * self.frame_size


class Frame(NamedTuple):
    """The header of one frame."""

    page: int
    """1-based number of the page that it holds."""
    commit: int
    """Pages of the database after the commit that this frame ends; 0 where it ends none."""
    salts: bytes
    checksum: tuple[int, int]


class WalSurvey(Struct, frozen=True):
    """What a log holds. Frames are counted from 0."""

    size: int
    """Bytes of the file."""
    header: WalHeader | None
    """None where the file is too short or its header is damaged: SQLite then ignores the whole log."""
    frames: int = 0
    """Whole frames in the file, stale ones included."""
    trailing: int = 0
    """Bytes after the last whole frame."""
    committed: int = 0
    """Frames up to and including the last commit that SQLite accepts."""
    pages: int = 0
    """Pages of the database after that commit."""
    lost_commits: int = 0
    """Commits of this generation behind that one: they were complete once and cannot be trusted any more."""


def checksum(data: bytes, start: tuple[int, int], byteorder: ByteOrder) -> tuple[int, int]:
    """Continue SQLite's running checksum over `data`, whose length is a multiple of 8."""
    words = array("I", data)
    if byteorder != sys.byteorder:
        words.byteswap()
    first, second = start
    pairs = iter(words)
    for even, odd in zip(pairs, pairs, strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


def parse_header(data: bytes) -> WalHeader | None:
    """Read a log's first 32 bytes; None where they are no sound header."""
    if len(data) < HEADER_SIZE:
        return None
    magic, version, page_size, _, salts, first, second = _HEADER.unpack(data[:HEADER_SIZE])
    if magic not in (_MAGIC_LITTLE, _MAGIC_BIG) or version != _VERSION or not is_page_size(page_size):
        return None
    byteorder: ByteOrder = "big" if magic == _MAGIC_BIG else "little"
    if checksum(data[:24], (0, 0), byteorder) != (first, second):
        return None
    return WalHeader(page_size, salts, (first, second), byteorder)


def is_page_size(size: int) -> bool:
    """Tell whether a database may have pages of that many bytes."""
    return 512 <= size <= 65536 and size & (size - 1) == 0


def survey_wal(file: ReadOnlyFile, committed: int | None = None) -> WalSurvey:
    """Survey a log. Raises ReadFailed.

    `committed` is the number of frames that SQLite accepted, where it told. Otherwise the checksums are walked, which
    takes about 0.03 s for a MiB.
    """
    size = file.state().size
    header = parse_header(file.read_at(0, HEADER_SIZE))
    if header is None:
        return WalSurvey(size, None)
    frames, trailing = divmod(size - HEADER_SIZE, header.frame_size)
    if committed is None:
        committed = _walk(file, header, frames)
    last = read_frame(file, header, committed - 1) if committed else None
    lost = sum(1 for frame in _live_frames(file, header, committed, frames) if frame.commit)
    return WalSurvey(size, header, frames, trailing, committed, last.commit if last else 0, lost)


def first_broken_frame(file: ReadOnlyFile, header: WalHeader, frames: int) -> int | None:
    """Return the first frame whose checksum does not follow from those before it, or None."""
    sound = sum(1 for _ in _sound_frames(file, header, frames))
    return sound if sound < frames else None


def committed_pages(file: ReadOnlyFile, header: WalHeader, committed: int) -> frozenset[int]:
    """Return the numbers of all pages that the first `committed` frames hold."""
    return frozenset(frame.page for frame in _frames(file, header, 0, committed))


def read_frame(file: ReadOnlyFile, header: WalHeader, number: int) -> Frame | None:
    """Read the header of one frame; None behind the end of the file."""
    data = file.read_at(header.offset_of(number), FRAME_HEADER_SIZE)
    if len(data) < FRAME_HEADER_SIZE:
        return None
    page, commit, salts, first, second = _FRAME.unpack(data)
    return Frame(page, commit, salts, (first, second))


def _frames(file: ReadOnlyFile, header: WalHeader, start: int, stop: int) -> Iterator[Frame]:
    for number in range(start, stop):
        frame = read_frame(file, header, number)
        if frame is None:
            return
        yield frame


def _live_frames(file: ReadOnlyFile, header: WalHeader, start: int, stop: int) -> Iterator[Frame]:
    return (frame for frame in _frames(file, header, start, stop) if frame.salts == header.salts and frame.page)


def _walk(file: ReadOnlyFile, header: WalHeader, frames: int) -> int:
    committed = 0
    for number, frame in enumerate(_sound_frames(file, header, frames), start=1):
        if frame.commit:
            committed = number
    return committed


def _sound_frames(file: ReadOnlyFile, header: WalHeader, frames: int) -> Iterator[Frame]:
    running = header.checksum
    for number in range(frames):
        data = file.read_at(header.offset_of(number), header.frame_size)
        if len(data) < header.frame_size:
            return
        page, commit, salts, first, second = _FRAME.unpack(data[:FRAME_HEADER_SIZE])
        if salts != header.salts or not page:
            return
        # A frame's checksum covers the first 8 bytes of its header and the page, but not the salts between them.
        running = checksum(data[:8] + data[FRAME_HEADER_SIZE:], running, header.byteorder)
        if running != (first, second):
            return
        yield Frame(page, commit, salts, running)
