"""Colours that can be read, glyphs that fit their cell."""

from __future__ import annotations

import pytest
from msgspec.structs import fields
from rich.cells import cell_len
from textual.color import Color

from viewer import styles
from viewer.styles import ASCII, DISPOSITIONS, STATUSES, STRIP, UNICODE, VERDICTS, Look
from viewer.themes import BACKGROUNDS, DARK, LIGHT, PALETTE, TERMINAL, TEXT_COLOURS, THEMES

LOOKS = [
    *(look for table in (VERDICTS, STATUSES, DISPOSITIONS, STRIP) for look in table.values()),
    *(value for value in vars(styles).values() if isinstance(value, Look)),
]


def contrast(one: str, other: str) -> float:
    """Contrast of two colours as WCAG 2 defines it: 1 (equal) to 21 (black on white)."""

    def luminance(name: str) -> float:
        parts = (part / 255 for part in Color.parse(name).rgb)
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dim, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("theme", [DARK, LIGHT])
@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("colour", TEXT_COLOURS)
def test_text_can_be_read(theme: str, background: str, colour: str) -> None:
    """Every text colour stands out from every background by a contrast of at least 4.5 to 1."""
    palette = PALETTE[theme]

    assert contrast(palette[colour], palette[background]) >= 4.5


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_text_on_doubt_can_be_read(theme: str) -> None:
    """The one loud thing is loud and still legible."""
    palette = PALETTE[theme]

    assert contrast(palette["on-doubt"], palette["doubt"]) >= 4.5


def test_themes_name_the_same_variables() -> None:
    """A screen written for one theme finds its colours in every other."""
    assert len({frozenset(theme.variables) for theme in THEMES}) == 1
    assert {theme.name for theme in THEMES} == {DARK, LIGHT, TERMINAL}


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.word)
def test_glyphs_fill_one_cell(look: Look) -> None:
    """A glyph never pushes the column beside it, and its twin is plain ASCII."""
    assert cell_len(look.glyph) == len(look.glyph) == 1
    assert len(look.plain) == 1
    assert look.plain.isascii()


@pytest.mark.parametrize("looks", [VERDICTS, STATUSES, DISPOSITIONS, STRIP], ids=["verdict", "status", "plan", "strip"])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_looks_differ_without_colour(looks: dict[str, Look], ascii_only: bool) -> None:
    """No two things of a kind are told apart by colour alone."""
    written = {(look.sign(ascii_only=ascii_only), look.word) for look in looks.values()}

    assert len(written) == len(looks)


def test_ascii_signs_are_ascii() -> None:
    """The ASCII set keeps its promise, and takes as many cells as the other where columns depend on it."""
    for field in fields(ASCII):
        if field.type == "str":
            assert getattr(ASCII, field.name).isascii()
            if field.name not in {"arrow"}:
                assert cell_len(getattr(UNICODE, field.name)) == len(getattr(ASCII, field.name))


def test_doubt_alone_is_red() -> None:
    """Red is kept for doubt: neither a failed tool nor a torn row has it."""
    red = {look.word for look in LOOKS if "$doubt" in look.style}

    assert red == {"MAY HAVE RUN", "REPLAY BLOCKED", "replay would be blocked"}
