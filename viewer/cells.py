"""Fits text into terminal cells. For text that has been through `core.text.printable`, whose width is additive."""

from __future__ import annotations

from typing import Literal

from rich.cells import cell_len, get_character_cell_size


def width_of(text: str) -> int:
    """Return the cells of a text; quickly for most, which is ASCII."""
    return len(text) if text.isascii() else cell_len(text)


def cut(text: str, width: int, ellipsis: str = "…") -> str:
    """Cut a text to at most `width` cells; what was cut off is marked by the ellipsis, if that much room is left."""
    if text.isascii() and len(text) <= width:
        return text
    if width <= 0:
        return ""
    mark = ellipsis if cell_len(ellipsis) <= width else ""
    room = width - cell_len(mark)
    if text.isascii():
        return text[:room] + mark
    used = fits = 0
    for index, character in enumerate(text):
        used += get_character_cell_size(character)
        if used > width:
            return text[:fits] + mark
        if used <= room:
            fits = index + 1
    return text


def pad(text: str, width: int, side: Literal["left", "right"] = "right") -> str:
    """Fill a text up to `width` cells with blanks on one side; a longer text is left as it is."""
    blanks = " " * (width - width_of(text))
    return blanks + text if side == "left" else text + blanks


def fit(text: str, width: int, ellipsis: str = "…") -> str:
    """Make a text exactly `width` cells wide: cut or filled up with blanks."""
    return pad(cut(text, width, ellipsis), width)


def cut_middle(text: str, width: int, ellipsis: str = "…") -> str:
    """Cut an id to at most `width` cells in its middle: ids that follow one another often begin alike."""
    if cell_len(text) <= width:
        return text
    room = width - cell_len(ellipsis)
    if room < 4:
        return cut(text, width, ellipsis)
    tail = text[-(room // 2) :]
    while cell_len(tail) > room // 2:
        tail = tail[1:]
    return cut(text, width - cell_len(tail), ellipsis) + tail
