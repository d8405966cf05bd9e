"""The only door from untrusted text to a terminal.

Whatever a workspace holds (tool output, arguments, names, ids, paths) is shown through `printable` or
`printable_lines`. What comes out cannot move the cursor, retitle the window, write the clipboard, reorder the line,
or hide: every character is a visible one whose width does not depend on its neighbours.

| comes in | goes out |
|---|---|
| C0 controls, DEL | their control pictures, such as `␛` |
| NEL, line and paragraph separator | `␤` |
| TAB | spaces |
| other C1, bidi controls, zero-width and format characters, surrogates, private use, unassigned | `\ufffd` |
| variation selectors, enclosing marks, skin tones, invisible fillers | `\ufffd` |
| regional indicators (halves of a flag) | squared letters, such as `🄳` |
| combining marks | kept after a character to stand on, at most three; the others `\ufffd` |

The data itself is never changed: documents and copies take it from the ledger.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

ELLIPSIS: Final = "…"
REPLACEMENT: Final = "\ufffd"
TAB_STOP: Final = 8
INLINE_TAB: Final = " " * 4

MARKS_PER_CHARACTER: Final = 3
"""Enough for every living script, too few to climb over the rows above."""

_KNOWN_AT_MOST: Final = 1 << 14
"""Distinct characters that are remembered: hostile text could otherwise name all 1,114,112."""

_LINE_SEPARATORS: Final = frozenset({0x85, 0x2028, 0x2029})
_REGIONAL_INDICATORS: Final = range(0x1F1E6, 0x1F200)
_SQUARED_A: Final = 0x1F130
_SKIN_TONES: Final = range(0x1F3FB, 0x1F400)
_FILLERS: Final = frozenset({0x115F, 0x1160, 0x3164, 0xFFA0})
_IGNORABLE_MARKS: Final = frozenset({0x034F, 0x17B4, 0x17B5})
_VARIATION_SELECTORS: Final = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_JOINING_JAMO: Final = (range(0x1161, 0x1200), range(0xD7B0, 0xD800))


class _Pictures(dict[int, str]):
    """Code point -> what is shown for it, worked out when the character is first met."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: set[str] = set()

    def __missing__(self, code: int) -> str:
        shown = _picture(code)
        if _is_mark(shown):
            self.marks.add(shown)
        if len(self) < _KNOWN_AT_MOST:
            self[code] = shown
        return shown


def _picture(code: int) -> str:
    if code == 0x09:
        return INLINE_TAB
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if code in _LINE_SEPARATORS:
        return "\u2424"
    if code in _REGIONAL_INDICATORS:
        return chr(_SQUARED_A + code - _REGIONAL_INDICATORS.start)
    character = chr(code)
    hidden = (
        unicodedata.category(character)[0] == "C"
        or unicodedata.category(character) == "Me"
        or code in _FILLERS
        or code in _SKIN_TONES
        or code in _IGNORABLE_MARKS
        or any(code in selectors for selectors in _VARIATION_SELECTORS)
    )
    return REPLACEMENT if hidden else character


def _is_mark(character: str) -> bool:
    """Whether a terminal draws the character on top of the one before it."""
    if len(character) != 1:
        return False
    code = ord(character)
    return unicodedata.category(character) in ("Mn", "Mc") or any(code in jamo for jamo in _JOINING_JAMO)


_PICTURES: Final = _Pictures()


def printable(text: str, *, limit: int | None = None) -> str:
    """Make one safe line of any text.

    Idempotent. The result holds no control, format or bidi character and no line break; it shows line breaks as
    pictures. Its width in cells is the sum of the widths of its characters.

    Args:
        text: anything, lone surrogates included.
        limit: the greatest length of the result in characters; longer text ends with an ellipsis. Only as much of
            `text` is looked at as can be shown.

    """
    if limit is not None and len(text) > limit:
        text = text[: max(limit, 0) + 1]
    if not (text.isascii() and text.isprintable()):
        text = text.translate(_PICTURES)
        if not _PICTURES.marks.isdisjoint(text):
            text = _unstacked(text)
    if limit is not None and len(text) > limit:
        return text[: limit - 1] + ELLIPSIS if limit > 0 else ""
    return text


def printable_lines(text: str, *, limit: int | None = None) -> Iterator[str]:
    r"""Give the lines of a text one by one, each made safe; lazily, so that the first screen of a huge text is cheap.

    A line ends at LF or CR LF; a CR anywhere else is shown. TAB goes to the next multiple of eight characters. A text
    that ends with a line break has no empty line after it; the empty text has no line at all.

    Args:
        text: anything, lone surrogates included.
        limit: the greatest length of each line in characters, as in `printable`.

    """
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        last = end - 1 if end > start and text[end - 1] == "\r" and end < len(text) else end
        if limit is not None:
            last = min(last, start + max(limit, 0) + 1)
        yield printable(text[start:last].expandtabs(TAB_STOP), limit=limit)
        start = end + 1


def _unstacked(text: str) -> str:
    """Replace marks that stand on nothing, or on more marks than a character of any living script carries."""
    kept: list[str] = []
    height = MARKS_PER_CHARACTER
    for character in text:
        if character not in _PICTURES.marks:
            height = 0
            kept.append(character)
        elif height < MARKS_PER_CHARACTER:
            height += 1
            kept.append(character)
        else:
            kept.append(REPLACEMENT)
    return "".join(kept)
