"""Where the parts of a JSON document lie in its text."""

from __future__ import annotations

import json
import re
from typing import Final

from .json_parser import skip_space, string_end, unescape

_BRACKET_OR_QUOTE: Final = re.compile(r'["\[\]{}]')
_QUICK: Final = json.JSONDecoder(parse_int=len, parse_float=len)
"""The standard library finds the end of a value faster, unless that is nested too deep for it; it reads no digits."""
_SCALAR: Final = re.compile(r"[^ \t\n\r,\]}]+")


def member_spans(text: str, start: int = 0) -> dict[str, tuple[int, int]]:
    """Return where the value of each member lies, given the place of an object in a text that `parse` has accepted.

    Raises ValueError if there is no object.
    """
    pos = skip_space(text, start)
    if text[pos] != "{":
        raise ValueError("no object lies here")
    spans: dict[str, tuple[int, int]] = {}
    pos = skip_space(text, pos + 1)
    while text.startswith('"', pos):
        key_end = string_end(text, pos + 1)
        colon = skip_space(text, key_end + 1)
        begin = skip_space(text, colon + 1)
        end = _value_end(text, begin)
        spans[unescape(text[pos + 1 : key_end])] = (begin, end)
        pos = skip_space(text, skip_space(text, end) + 1)
    return spans


def _value_end(text: str, begin: int) -> int:
    if text[begin] == '"':
        return string_end(text, begin + 1) + 1
    if text[begin] not in "[{":
        match = _SCALAR.match(text, begin)
        return match.end() if match else begin
    try:
        return _QUICK.raw_decode(text, begin)[1]
    except (ValueError, RecursionError):
        return _bracket_end(text, begin)


def _bracket_end(text: str, begin: int) -> int:
    depth, pos = 0, begin
    while token := _BRACKET_OR_QUOTE.search(text, pos):
        pos = token.end()
        if token[0] == '"':
            pos = string_end(text, pos) + 1
        elif token[0] in "[{":
            depth += 1
        else:
            depth -= 1
            if not depth:
                break
    return pos
