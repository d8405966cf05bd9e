"""How many values a JSON text may hold before it is not read: values take many times the memory of their text."""

from __future__ import annotations

import re
from typing import Final

MOST_VALUES: Final = 1 << 23
"""Values of one text. The largest results of tools are long strings, which count as one."""

_MARKS: Final = b',[{"'
_NO_MARKS: Final = bytes(code for code in range(256) if code not in _MARKS)
_STRINGS: Final = re.compile(rb'"[^"]*"')


def holds_too_many(text: str | bytes) -> bool:
    """Tell whether a JSON text holds more than `MOST_VALUES` values, or as many strings."""
    if len(text) <= MOST_VALUES:
        return False
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if sum(map(data.count, (b",", b"[", b"{"))) <= MOST_VALUES:
        return False
    # Without escapes every quote begins or ends a string. What is left outside of them stands before a value each.
    bare = data.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _NO_MARKS)
    if bare.count(b'"') > 2 * MOST_VALUES:
        return True
    return len(_STRINGS.sub(b"", bare.replace(b'""', b""))) > MOST_VALUES
