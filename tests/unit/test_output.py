"""Lines in any encoding, with colour or without."""

from __future__ import annotations

import pytest

from viewer.output import Line, encodable, holds_glyphs, render
from viewer.styles import CONTINUED, DISPOSITIONS, STATUSES, VERDICTS

LOOKS = [*VERDICTS.values(), *STATUSES.values(), *DISPOSITIONS.values(), CONTINUED]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437", "shift_jis", "utf-8"])
def test_no_glyph_becomes_a_question_mark(encoding: str) -> None:
    """A stream that cannot hold a glyph gets its ASCII twin: a question mark would say MAY HAVE RUN."""
    for look in LOOKS:
        shown = encodable(look.glyph, encoding)
        assert shown in (look.glyph, look.plain)
        shown.encode(encoding)


def test_other_characters_are_spelled_out() -> None:
    """What has no twin is written by its number; what the stream can hold stays."""
    assert encodable("é 漢 …", "utf-8") == "é 漢 …"
    assert encodable("é 漢 …", "latin-1") == "é \\u6f22 ..."
    assert encodable("␛[2J␡␤", "ascii") == "\\x1b[2J\\x7f\\n"
    assert encodable("plain", None) == "plain"
    assert encodable("😀", "ascii") == "\\U0001f600"


def test_utf_8_holds_everything() -> None:
    """Only a stream of a lesser encoding is drawn in ASCII."""
    assert holds_glyphs("utf-8")
    assert holds_glyphs(None)
    assert not holds_glyphs("ascii")
    assert not holds_glyphs("cp1252")


def test_colour_is_put_around_the_words() -> None:
    """Colour covers the line, or its head; a line without a tone, and any line where none is wanted, has none."""
    assert render(Line("x", "doubt"), colour=True, encoding="utf-8") == "\x1b[1;31mx\x1b[0m"
    assert render(Line("✗ and more", "doubt", 1), colour=True, encoding="ascii") == "\x1b[1;31mX\x1b[0m and more"
    assert render(Line("x"), colour=True, encoding="utf-8") == "x"
    assert render(Line("x", "doubt", 1), colour=False, encoding="utf-8") == "x"
