"""Bytes are UTF-8 exactly where Python's own decoder says so, wherever in them the odd ones stand."""

from __future__ import annotations

import random

import pytest

from core.records.utf8 import check_utf8

PIECES = (b"\xc3\xbc", "→".encode(), "😀".encode(), b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xe2\x86", b"\x80", b"x" * 600)


def test_it_says_what_the_decoder_says() -> None:
    """Also where a character begins, ends or is torn at any place around the edge of a block."""
    rng = random.Random(3)
    for _ in range(4_000):
        data = bytearray(b"a" * rng.randrange(2_000, 4_000))
        for _ in range(rng.randrange(4)):
            place = rng.choice((rng.randrange(len(data) + 1), 1_022 + rng.randrange(5), 2_046 + rng.randrange(5)))
            data[place:place] = rng.choice(PIECES)
        try:
            bytes(data).decode()
        except UnicodeDecodeError:
            with pytest.raises(UnicodeDecodeError):
                check_utf8(bytes(data))
        else:
            check_utf8(bytes(data))
