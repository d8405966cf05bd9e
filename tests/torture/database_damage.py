"""Damage to the files of a database: bytes, pages, frames of the log with and without sound checksums, whole files."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from core.sqlite.wal import FRAME_HEADER_SIZE, HEADER_SIZE, WalHeader, checksum, parse_header

Files = dict[str, bytes]
"""The files of one database by what their names end with: nothing for the main file, `-wal`, `-shm`, `-journal`."""

Damage = Callable[[Random, Files, Files], Files]
"""Takes the chance, the files to damage, and those of another database."""

PAGE = 4096


def _any(rng: Random, files: Mapping[str, bytes], *names: str) -> str:
    """Choose one of the files that hold something."""
    there = [name for name in names or files if files.get(name)]
    return rng.choice(there) if there else ""


def _placed(rng: Random, payload: bytes) -> int:
    """Choose a place; often one of the first bytes, where the headers are."""
    return rng.randrange(min(len(payload), 200)) if rng.random() < 0.2 else rng.randrange(len(payload))


def flip_bits(rng: Random, files: Files, other: Files) -> Files:
    """Turn a few bits round anywhere."""
    name = _any(rng, files)
    payload = bytearray(files[name])
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        if payload:
            payload[_placed(rng, payload)] ^= 1 << rng.randrange(8)
    return {**files, name: bytes(payload)}


def overwrite(rng: Random, files: Files, other: Files) -> Files:
    """Write over some bytes: zeros, noise, or bytes from elsewhere."""
    name = _any(rng, files)
    payload = files[name]
    if not payload:
        return files
    size = min(rng.choice((1, 4, 16, 100, 512, 4096)), len(payload))
    start = min(_placed(rng, payload), len(payload) - size)
    source = rng.choice((bytes(size), rng.randbytes(size), payload, other.get(name) or payload))
    begin = rng.randrange(max(1, len(source) - size + 1))
    piece = source[begin : begin + size]
    return {**files, name: payload[:start] + piece + payload[start + len(piece) :]}


def cut(rng: Random, files: Files, other: Files) -> Files:
    """Cut a file anywhere, often at the end of a page or frame."""
    name = _any(rng, files)
    payload = files[name]
    size = rng.randint(0, len(payload))
    if rng.random() < 0.4:
        unit = PAGE + FRAME_HEADER_SIZE if name == "-wal" else PAGE
        size = size // unit * unit + (HEADER_SIZE if name == "-wal" else 0)
    return {**files, name: payload[:size]}


def pages(rng: Random, files: Files, other: Files) -> Files:
    """Lose, repeat or exchange pages of the main file."""
    payload = files.get("", b"")
    count = len(payload) // PAGE
    if count < 3:
        return flip_bits(rng, files, other)
    page, source = rng.randrange(1, count), rng.randrange(count)
    if rng.random() < 0.1:
        page = 0
    theirs = other.get("", b"")
    replacement = rng.choice(
        (
            bytes(PAGE),
            rng.randbytes(PAGE),
            payload[source * PAGE : (source + 1) * PAGE],
            theirs[page * PAGE : (page + 1) * PAGE] or bytes(PAGE),
        )
    )
    return {**files, "": payload[: page * PAGE] + replacement + payload[(page + 1) * PAGE :]}


def frames(rng: Random, files: Files, other: Files) -> Files:
    """Lose, repeat, move or exchange frames of the log; its checksums then tell."""
    log = files.get("-wal", b"")
    unit = PAGE + FRAME_HEADER_SIZE
    count = (len(log) - HEADER_SIZE) // unit
    if count < 3:
        return cut(rng, files, other)
    head, body = log[:HEADER_SIZE], [log[HEADER_SIZE + i * unit : HEADER_SIZE + (i + 1) * unit] for i in range(count)]
    kind, place = rng.randrange(6), rng.randrange(count)
    if kind == 0:
        del body[place]
    elif kind == 1:
        body.insert(place, body[rng.randrange(count)])
    elif kind == 2:
        swap = rng.randrange(count)
        body[place], body[swap] = body[swap], body[place]
    elif kind == 3:
        body[place] = bytes(unit)
    elif kind == 4:
        body[place] = body[place][:FRAME_HEADER_SIZE] + rng.randbytes(PAGE)
    else:
        frame = bytearray(body[place])
        frame[rng.randrange(FRAME_HEADER_SIZE)] ^= 1 << rng.randrange(8)
        body[place] = bytes(frame)
    return {**files, "-wal": head + b"".join(body)}


def sealed_frames(rng: Random, files: Files, other: Files) -> Files:
    """Damage pages in the log and make all its checksums fit: what a bad memory writes to a good disk."""
    log = files.get("-wal", b"")
    header = parse_header(log[:HEADER_SIZE])
    if header is None:
        return pages(rng, files, other)
    unit = header.frame_size
    count = (len(log) - HEADER_SIZE) // unit
    body = [bytearray(log[HEADER_SIZE + i * unit : HEADER_SIZE + (i + 1) * unit]) for i in range(count)]
    live = [i for i, frame in enumerate(body) if bytes(frame[8:16]) == header.salts]
    if not live:
        return pages(rng, files, other)
    place = rng.choice(live)
    frame, kind = body[place], rng.randrange(4)
    if kind == 0:
        for _ in range(rng.choice((1, 1, 4))):
            frame[FRAME_HEADER_SIZE + rng.randrange(header.page_size)] ^= 1 << rng.randrange(8)
    elif kind == 1:
        frame[FRAME_HEADER_SIZE:] = bytes(header.page_size)
    elif kind == 2:
        frame[FRAME_HEADER_SIZE:] = body[rng.choice(live)][FRAME_HEADER_SIZE:]
    else:
        size = rng.choice((1, 16, 400))
        start = FRAME_HEADER_SIZE + rng.randrange(header.page_size - size)
        frame[start : start + size] = rng.randbytes(size)
    return {**files, "-wal": _sealed(log[:HEADER_SIZE] + b"".join(body), header)}


def words(rng: Random, files: Files, other: Files) -> Files:
    """Turn a bit round in a name, a type or an id: every page is as well built as before, and means something else."""
    name = _any(rng, files, "", "-wal")
    payload = bytearray(files.get(name, b""))
    word = rng.choice(_WORDS)
    found = [match.start() for match in re.finditer(re.escape(word), payload)]
    if not found:
        return flip_bits(rng, files, other)
    payload[rng.choice(found) + rng.randrange(len(word))] ^= 1 << rng.randrange(8)
    header = parse_header(bytes(payload[:HEADER_SIZE])) if name == "-wal" else None
    return {**files, name: bytes(payload) if header is None else _sealed(bytes(payload), header)}


_WORDS: Final = (
    b"runtime_events", b"core_agent_runs", b"session_id", b"run_id", b"payload_json", b"record_json", b"event_seq",
    b"invocation_id", b"event_id", b"CREATE TABLE", b"tableruntime_events", b"indexruntime_events", b"WITHOUT ROWID",
    b"TEXT", b"INTEGER", b"PRIMARY KEY", b"UNIQUE", b"function_call", b"function_response", b"toolDispatch",
)  # fmt: skip


def _sealed(log: bytes, header: WalHeader) -> bytes:
    """Make all checksums of a log fit what is in it."""
    unit, running = header.frame_size, header.checksum
    body = [bytearray(log[start : start + unit]) for start in range(HEADER_SIZE, len(log) - unit + 1, unit)]
    for frame in body:
        if bytes(frame[8:16]) == header.salts:
            running = checksum(bytes(frame[:8] + frame[FRAME_HEADER_SIZE:]), running, header.byteorder)
            frame[16:24] = struct.pack(">II", *running)
    whole = log[:HEADER_SIZE] + b"".join(body)
    return whole + log[len(whole) :]


def whole_files(rng: Random, files: Files, other: Files) -> Files:
    """Lose a file, empty it, or put that of another database in its place."""
    name = _any(rng, files)
    kind = rng.randrange(3)
    if kind == 0 and name:
        return {key: payload for key, payload in files.items() if key != name}
    if kind == 1:
        return {**files, name: b""}
    return {**files, name: other.get(name, b"")}


DAMAGES: tuple[Damage, ...] = (
    *(flip_bits, overwrite, overwrite, cut, pages, pages, words, words),
    *(frames, sealed_frames, sealed_frames, sealed_frames, whole_files),
)
