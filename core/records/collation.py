"""The order in which ties between ids are broken: a locale's order, not that of code points (format: collation order).

For the alphabet of ids the order is exact: `_` before `-` before digits before letters, case looked at last, lower case
first. Other ASCII characters follow the root collation too. Beyond ASCII a letter with marks sorts by its base letter
first; what has no ASCII base sorts behind, by code point, which is a deviation that the format allows.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_ORDER: Final = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
_IGNORED: Final = dict.fromkeys([*range(0x09), *range(0x0E, 0x20), *range(0x7F, 0xA0)])
_PRIMARY: Final[dict[int, str | None]] = {
    **_IGNORED,
    **{ord(char): chr(rank) for rank, char in enumerate(_ORDER, 1)},
    **{ord(char.upper()): chr(rank) for rank, char in enumerate(_ORDER, 1) if char.isalpha()},
}
_TERTIARY: Final[dict[int, str | None]] = {
    **_IGNORED,
    **{code: "1" if chr(code).isupper() else "0" for code in range(0x80) if code not in _IGNORED},
}

CollationKey = tuple[str, tuple[str, ...], str]
"""Base characters; marks on them; case. Compared in this order, each over the whole string."""


def collation_key(text: str) -> CollationKey:
    """Return a key that sorts `text` as the ledger's writer does; equal keys are ties, to be left in their order."""
    if text.isascii():
        return text.translate(_PRIMARY), (), text.translate(_TERTIARY)
    bases: list[str] = []
    marks: list[str] = []
    for char in unicodedata.normalize("NFD", text):
        if unicodedata.combining(char) and bases:
            marks.append(char)
        else:
            bases.append(char)
            marks.append("")
    base = "".join(bases)
    case = "".join("1" if char.isupper() else "0" for char in base)
    return base.lower().translate(_PRIMARY), tuple(marks) if any(marks) else (), case
