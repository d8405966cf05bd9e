"""Damage to bytes and rows: what disks, half-written appends, editors and careless copies do to a file."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

BytesDamage = Callable[[Random, bytes, bytes], bytes]
"""Takes the chance, the bytes to damage, and bytes of another file of the same kind."""

ODD_BYTES = (
    b"\x00", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xef\xbb\xbf", b"\xc2\x85", b"\xe2\x80\xa8",
    b"\x1f",
    b"\r", b"\r\n", b"\n", b"\n\n", b"\t", b"\x0b", b"\x0c", b" ", b"\xc2\xa0", b"\\", b'"', b"{", b"}", b"[", b"]",
    b",",
    b":", b"\\u", b"\\ud800", b"\\u0000", b"\x7f", b"\xf4\x90\x80\x80", b"-", b"e", b".", b"0", b"9" * 400,
)  # fmt: skip
BLANK_LINES = (
    b"", b" ", b"\t", b"\r", b"\x0b\x0c", b"\xc2\xa0", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xe3\x80\x80",
    b"\xe1\x9a\x80",
    b"\xc2\x85", b"\x1c", b"\xe2\x80\x8b", b"\xe1\xa0\x8e", b"\x00", b"\x1f ",
)  # fmt: skip
ODD_ROWS = (
    b"{}", b"null", b"[]", b"12", b'"', b"true", b"tru", b"-", b"1e", b'{"id":', b"{", b"[" * 600, b"[" * 512,
    b'{"a":' * 520,
    b"NaN", b"\xef\xbb\xbf{}", b'{"id":"x"}', b"{}{}", b'{"__proto__":{}}', b"//", b"'", b'"\\', b'"\\u12',
    b"\xff\xfe{\x00",
)  # fmt: skip


def flip_bit(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Turn one bit round."""
    if not payload:
        return b"\x01"
    place = rng.randrange(len(payload))
    return payload[:place] + bytes([payload[place] ^ (1 << rng.randrange(8))]) + payload[place + 1 :]


def insert_bytes(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Put odd bytes somewhere."""
    place = rng.randint(0, len(payload))
    return payload[:place] + rng.choice(ODD_BYTES) + payload[place:]


def overwrite_bytes(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Write over some bytes, as a lost sector does: zeros, or bytes of the same file or of another."""
    start, length = rng.randint(0, len(payload)), min(rng.choice((1, 2, 8, 64, 512)), len(payload))
    source = rng.choice((bytes(length), payload, other))
    begin = rng.randint(0, max(0, len(source) - length))
    return payload[:start] + source[begin : begin + length] + payload[start + length :]


def delete_bytes(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Take some bytes away."""
    start = rng.randint(0, len(payload))
    return payload[:start] + payload[start + rng.choice((1, 1, 2, 7, 100, 1000)) :]


def repeat_bytes(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Write some bytes twice."""
    start = rng.randint(0, len(payload))
    end = min(len(payload), start + rng.choice((1, 2, 30, 500, 4096)))
    return payload[:end] + payload[start:end] + payload[end:]


def truncate(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Cut the file anywhere."""
    return payload[: rng.randint(0, len(payload))]


def zero_tail(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Cut the file and fill with zeros, as some file systems do after a crash."""
    place = rng.randint(0, len(payload))
    return payload[:place] + bytes(rng.choice((1, 100, len(payload) - place)))


def splice_bytes(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Go on with another file from some byte on."""
    return payload[: rng.randint(0, len(payload))] + other[rng.randint(0, len(other)) :]


def line_ends(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Change line ends, or the last one."""
    return rng.choice(
        (
            payload.replace(b"\n", b"\r\n"),
            payload.replace(b"\n", b"\r"),
            payload.replace(b"\n", b"\xe2\x80\xa8"),
            payload.rstrip(b"\n"),
            payload + b"\n",
            payload + b" ",
            payload + rng.choice(BLANK_LINES),
            payload.rstrip(b"\n") + rng.choice(BLANK_LINES),
            b"\xef\xbb\xbf" + payload,
        )
    )


def _rows(payload: bytes) -> list[bytes]:
    rows = payload.split(b"\n")
    if rows[-1] == b"":
        rows.pop()
    return rows


def drop_row(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Take a row away."""
    rows = _rows(payload)
    if rows:
        del rows[rng.randrange(len(rows))]
    return b"".join(row + b"\n" for row in rows)


def repeat_row(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Write a row again, there or elsewhere, once or often."""
    rows = _rows(payload)
    if rows:
        again = [rng.choice(rows)] * rng.choice((1, 1, 1, 2, 40))
        place = rng.randint(0, len(rows))
        rows[place:place] = again
    return b"".join(row + b"\n" for row in rows)


def move_rows(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Change the order: two rows, a whole block, or everything."""
    rows = _rows(payload)
    if len(rows) > 1:
        kind = rng.randrange(4)
        if kind == 0:
            first, second = rng.sample(range(len(rows)), 2)
            rows[first], rows[second] = rows[second], rows[first]
        elif kind == 1:
            rows.reverse()
        elif kind == 2:
            rng.shuffle(rows)
        else:
            place = rng.randrange(len(rows))
            rows = rows[place:] + rows[:place]
    return b"".join(row + b"\n" for row in rows)


def splice_rows(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Mix in rows of another ledger, or go on with them."""
    rows, others = _rows(payload), _rows(other)
    if others:
        start = rng.randrange(len(others))
        taken = others[start : start + rng.choice((1, 1, 2, 5, 100))]
        place = rng.randint(0, len(rows))
        rows[place : rng.choice((place, place + 1, len(rows)))] = taken
    return b"".join(row + b"\n" for row in rows)


def insert_row(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Put a blank line or a row of the wrong kind somewhere; the last may stay open."""
    rows = _rows(payload)
    rows.insert(rng.randint(0, len(rows)), rng.choice(rng.choice((BLANK_LINES, ODD_ROWS))))
    return b"\n".join(rows) + rng.choice((b"\n", b"\n", b""))


def cut_row(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Cut a row short and keep its line feed, or run two together, perhaps with a blank line that makes up for it."""
    rows = _rows(payload)
    if rows:
        place = rng.randrange(len(rows))
        if rng.random() < 0.7:
            rows[place] = rows[place][: rng.randint(0, len(rows[place]))]
        if rng.random() < 0.4:
            rows[place : place + 2] = [b"".join(rows[place : place + 2]), *rng.choice(([], [b""]))]
    return b"\n".join(rows) + rng.choice((b"\n", b""))


def tear_tail(rng: Random, payload: bytes, other: bytes) -> bytes:
    """Tear the last row anywhere, which is what a crash does."""
    rows = _rows(payload)
    if not rows:
        return payload
    last = rows.pop()
    torn = last[: rng.randint(0, len(last))]
    return b"".join(row + b"\n" for row in rows) + torn + rng.choice((b"", b"", b"", b"\n", b"\n ", b" "))


BYTES_DAMAGES: tuple[BytesDamage, ...] = (
    flip_bit, insert_bytes, overwrite_bytes, delete_bytes, repeat_bytes, truncate, zero_tail, splice_bytes, line_ends,
)  # fmt: skip
ROW_DAMAGES: tuple[BytesDamage, ...] = (
    drop_row, repeat_row, move_rows, splice_rows, insert_row, cut_row, tear_tail, tear_tail,
)  # fmt: skip
