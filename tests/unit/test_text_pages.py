"""Long texts as lines for a width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core import printable
from viewer.text_pages import UNWRAPPED_AT_MOST, TextLines, TextPages


def drawn(text: str, width: int, *, wrap: bool = True) -> list[str]:
    """Write a text down as it is shown."""
    lines = TextLines(TextPages(text), width, wrap=wrap)
    return [lines.pages.text[slice(*lines.piece(index)[:2])] for index in range(len(lines))]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", []),
        ("abc", ["abc"]),
        ("abcdefg", ["abcd", "efg"]),
        ("abcd\n", ["abcd"]),
        ("a\n\nb", ["a", "", "b"]),
        ("a\r\nb\rc", ["a", "b\rc"]),
        ("\tx", ["    ", "    ", "x"]),
        ("表示テスト", ["表示", "テス", "ト"]),
        ("übergrößer", ["über", "größ", "er"]),
    ],
)
def test_wrapped(text: str, shown: list[str]) -> None:
    """Lines break at the width; where some characters take two cells, at half of it."""
    assert drawn(text, 4) == shown


def test_not_wrapped() -> None:
    """Each line is one, and how much of a very long one is left out is known."""
    text = "short\n" + "x" * (UNWRAPPED_AT_MOST + 9)
    lines = TextLines(TextPages(text), 10, wrap=False)

    assert len(lines) == 2
    assert lines.piece(0) == (0, 5, 0)
    assert lines.piece(1) == (6, 6 + UNWRAPPED_AT_MOST, 9)


@given(st.text(st.characters() | st.sampled_from("\n\t\r表é\u0301")), st.integers(1, 30), st.booleans())
def test_nothing_is_lost_and_everything_fits(text: str, width: int, wrap: bool) -> None:
    """The pieces of a text are all of it, each can be found again, and each fits the width it was made for."""
    lines = TextLines(TextPages(text), width, wrap=wrap)
    shown = lines.pages.text
    pieces = [lines.piece(index) for index in range(len(lines))]

    covered = "".join(shown[start:end] for start, end, _ in pieces)
    assert covered.replace("\r", "") == shown.replace("\n", "").replace("\r", "")
    for index, (start, end, _) in enumerate(pieces):
        if start < end:
            assert lines.row_of(start) == index
            assert lines.row_of(end - 1) == index
        assert not wrap or cell_len(printable(shown[start:end])) <= max(width, 2)
