"""What `printable` promises, whatever goes in."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.text import ELLIPSIS, MARKS_PER_CHARACTER, printable, printable_lines

ANY_CHARACTER = st.characters(exclude_categories=())
HOSTILE = st.sampled_from(
    [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))]
    + list("\u00ad\u061c\u034f\u115f\u1161\u180e\u200b\u200d\u200e\u202a\u202e\u2028\u2029\u2060\u2066\u2069\u20e3")
    + list("\u0301\u0489\u093f\ufe0f\ufeff\ufff9\ufffe\ud800\udfff\ue000")
    + list("\U000e0001\U000e0100\U0001f1e9\U0001f3fd\U0001f469")
)
ANYTHING = st.text(st.one_of(HOSTILE, ANY_CHARACTER))
FORBIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Me", "Zl", "Zp"}


@given(ANYTHING)
def test_nothing_dangerous_leaves(text: str) -> None:
    """No control, format, bidi, surrogate or unassigned character comes out, nor a line break."""
    shown = printable(text)

    assert not {unicodedata.category(character) for character in shown} & FORBIDDEN
    assert not any("\ufe00" <= character <= "\ufe0f" for character in shown)
    assert len(shown.splitlines()) <= 1


@given(ANYTHING, st.one_of(st.none(), st.integers(-1, 12)))
def test_idempotent(text: str, limit: int | None) -> None:
    """What has been through the door goes through it unchanged."""
    once = printable(text, limit=limit)

    assert printable(once, limit=limit) == once


@given(ANYTHING, st.integers(-3, 12))
def test_limit_holds(text: str, limit: int) -> None:
    """The result is never longer than the limit, and says so when it was cut."""
    shown = printable(text, limit=limit)

    assert len(shown) <= max(limit, 0)
    assert shown == printable(text) or not shown or shown.endswith(ELLIPSIS)


@given(ANYTHING)
def test_nothing_vanishes(text: str) -> None:
    """Every character of the text leaves a trace: a hidden one is replaced, never dropped."""
    assert len(printable(text)) >= len(text)


@given(ANYTHING, ANYTHING)
def test_width_is_the_sum_of_its_characters(left: str, right: str) -> None:
    """No character changes the width of its neighbours, so text may be cut and joined at any place."""
    shown = printable(left)

    assert cell_len(shown) == sum(cell_len(character) for character in shown)
    assert cell_len(shown + printable(right)) == cell_len(shown) + cell_len(printable(right))


@given(ANYTHING)
def test_marks_do_not_stack(text: str) -> None:
    """No run of marks is higher than a script needs, and none stands on what is drawn before the text."""
    height = MARKS_PER_CHARACTER
    for character in printable(text):
        height = height + 1 if unicodedata.category(character) in ("Mn", "Mc") else 0
        assert height <= MARKS_PER_CHARACTER


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_plain_text_is_itself(text: str) -> None:
    """Ordinary text is not touched: not even brackets, which mean nothing here."""
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("a\r\nb\nc", "a␍␊b␊c"),
        ("a\tb", "a    b"),
        ("\x7f\x9b31m\x85\u2028", "␡\ufffd31m␤␤"),
        ("gnp.\u202eexe", "gnp.\ufffdexe"),
        ("a\u200bb\ufeff", "a\ufffdb\ufffd"),
        ("\ud83d", "\ufffd"),
        ("⚠\ufe0f", "⚠\ufffd"),
        ("👨\u200d👩", "👨\ufffd👩"),
        ("🇩🇪", "🄳🄴"),
        ("👍🏽", "👍\ufffd"),
        ("e\u0301 tiê\u0301ng हिन्दी ไทย", "e\u0301 tiê\u0301ng हिन्दी ไทย"),
        ("\u0301x", "\ufffdx"),
        ("x" + "\u0301" * 5, "x" + "\u0301" * 3 + "\ufffd" * 2),
        ("日本語 ✅ café\u00a0", "日本語 ✅ café\u00a0"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    """Each kind of character is shown in the way that the table of the module says."""
    assert printable(text) == shown


def test_limit_looks_at_no_more_than_it_shows() -> None:
    """A cut text ends with the ellipsis inside the limit; a text of exactly the limit is whole."""
    assert printable("abcdef", limit=4) == "abc…"
    assert printable("abcd", limit=4) == "abcd"
    assert printable("\t\t", limit=5) == "    …"
    assert printable("abc", limit=0) == ""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("one", ["one"]),
        ("one\ntwo\n", ["one", "two"]),
        ("one\r\n\r\ntwo\r", ["one", "", "two␍"]),
        ("50%\r100%\n", ["50%␍100%"]),
        ("a\tb\n\tc", ["a       b", "        c"]),
        ("\x1b[2J\u2028\n", ["␛[2J␤"]),
    ],
)
def test_lines(text: str, lines: list[str]) -> None:
    """Lines end at LF and CR LF alone, and every one is as safe as a single line."""
    assert list(printable_lines(text)) == lines


@given(ANYTHING, st.integers(0, 12))
def test_lines_are_printable_and_limited(text: str, limit: int) -> None:
    """Each line of any text is what `printable` would leave alone, and no longer than asked."""
    for line in printable_lines(text, limit=limit):
        assert printable(line) == line
        assert len(line) <= limit


def test_lines_come_one_by_one() -> None:
    """The first line of a huge text does not wait for the others."""
    lines = printable_lines("x\n" * 1_000_000, limit=80)

    assert next(lines) == "x"
