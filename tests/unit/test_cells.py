"""Text cut and filled by cells."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.text import printable
from viewer.cells import cut, fit, pad

TEXT = st.text().map(printable)


@given(TEXT, st.integers(-1, 20))
def test_cut_fits(text: str, width: int) -> None:
    """A cut text is never wider than asked, and a text that fits is not cut."""
    short = cut(text, width)

    assert cell_len(short) <= max(width, 0)
    assert short == text or cell_len(text) > width
    assert short == text or width <= 0 or short.endswith("…")


@given(TEXT, st.integers(0, 20))
def test_fit_is_exact(text: str, width: int) -> None:
    """A fitted text takes just its cells, wide characters or not."""
    assert cell_len(fit(text, width)) == width


def test_wide_characters_are_not_halved() -> None:
    """Where half a character would fit, a blank stands."""
    assert cut("日本語", 4) == "日…"
    assert fit("日本語", 4) == "日… "
    assert pad("日", 4, "left") == "  日"
    assert cut("abc", 2, "...") == "ab"
