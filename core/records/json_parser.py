"""JSON text, read by hand: what the standard library refuses, good or bad (see `json_text`).

Nothing here recurses, so no depth is too deep, and all of it is linear.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from .json_text import JsonError, TooDeep, TooManyValues, number_of

_MOST_BY_HAND: Final = 1 << 19
"""Values that are read here, where each takes a microsecond and more."""

_BLANK: Final = r"[ \t\n\r]*"
_PLAIN: Final = r'"([^"\\\x00-\x1f]*)"'
_NUMBER: Final = r"(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![0-9.eE])"

_SPACE: Final = re.compile(_BLANK)
_VALUE: Final = re.compile(rf'{_BLANK}(?:{_PLAIN}|{_NUMBER}|(true|false|null)|([\[{{"]))')
_KEY: Final = re.compile(rf"{_BLANK}{_PLAIN}{_BLANK}:")
_COLON: Final = re.compile(rf"{_BLANK}:")
_COMMA: Final = re.compile(rf"{_BLANK},")
_CLOSE: Final = {"{": re.compile(rf"{_BLANK}\}}"), "[": re.compile(rf"{_BLANK}\]")}

# A regular expression remembers every turn of a loop with turns to choose from; the bound keeps that small.
_STRING_PART: Final = re.compile(r'[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*){0,1000}')
_ESCAPE_SO_FAR: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_NUMBER_SO_FAR: Final = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.(?:[0-9]+(?:[eE][+-]?)?)?|[eE][+-]?)?)?\Z")
_LITERALS: Final = {"true": True, "false": False, "null": None}

_PLAIN_TOKEN, _NUMBER_TOKEN, _LITERAL_TOKEN, _OPENING_TOKEN = 1, 2, 3, 4


class Parser:
    """One pass over one text. Open containers lie on a list, so that depth costs memory and no stack."""

    def __init__(self, text: str, deepest: int, negative_zero: float) -> None:
        self._text = text
        self._pos = 0
        self._deepest = deepest
        self._negative_zero = negative_zero
        self._left = _MOST_BY_HAND
        self._open: list[dict[str, Any] | list[Any]] = []
        self._keys: list[str] = []
        """The key under which the next value of each open object goes; of arrays, an empty string."""

    def document(self) -> Any:
        """Return the value of the whole text."""
        while True:
            opened, value = self._value()
            if opened:
                continue
            while self._open:
                if not self._put(value):
                    break
                value = self._open.pop()
                self._keys.pop()
            else:
                self._pos = skip_space(self._text, self._pos)
                if self._pos < len(self._text):
                    raise JsonError("something follows the document", position=self._pos)
                return value

    def _value(self) -> tuple[bool, Any]:
        """Read a value, or the beginning of a container that is not empty; says which."""
        if len(self._open) > self._deepest:
            raise TooDeep("a value lies too deep", position=self._pos)
        self._left -= 1
        if self._left < 0:
            raise TooManyValues(f"more than {_MOST_BY_HAND:,} values, and it may be no JSON", position=self._pos)
        match = _VALUE.match(self._text, self._pos)
        if match is None:
            raise self._no_value()
        self._pos = match.end()
        kind = match.lastindex
        if kind == _PLAIN_TOKEN:
            return False, match[_PLAIN_TOKEN]
        if kind == _NUMBER_TOKEN:
            return False, number_of(match[_NUMBER_TOKEN], self._negative_zero)
        if kind == _LITERAL_TOKEN:
            return False, _LITERALS[match[_LITERAL_TOKEN]]
        bracket = match[_OPENING_TOKEN]
        if bracket == '"':
            return False, self._rest_of_string()
        container: dict[str, Any] | list[Any] = {} if bracket == "{" else []
        if close := _CLOSE[bracket].match(self._text, self._pos):
            self._pos = close.end()
            return False, container
        if bracket == "[" and skip_space(self._text, self._pos) == len(self._text):
            raise self._ends_early("a value or ]")
        self._open.append(container)
        self._keys.append(self._key("a key or }") if bracket == "{" else "")
        return True, None

    def _put(self, value: Any) -> bool:
        """Put a value into the innermost container; True if that ends there."""
        container = self._open[-1]
        if isinstance(container, list):
            container.append(value)
            bracket = "["
        else:
            container[self._keys[-1]] = value
            bracket = "{"
        if comma := _COMMA.match(self._text, self._pos):
            self._pos = comma.end()
            if bracket == "{":
                self._keys[-1] = self._key("a key")
            return False
        if close := _CLOSE[bracket].match(self._text, self._pos):
            self._pos = close.end()
            return True
        raise self._unexpected(", or ]" if bracket == "[" else ", or }")

    def _key(self, wanted: str) -> str:
        if match := _KEY.match(self._text, self._pos):
            self._pos = match.end()
            return match[1]
        self._pos = skip_space(self._text, self._pos)
        if not self._text.startswith('"', self._pos):
            raise self._unexpected(wanted)
        self._pos += 1
        key = self._rest_of_string()
        if (colon := _COLON.match(self._text, self._pos)) is None:
            raise self._unexpected(":")
        self._pos = colon.end()
        return key

    def _rest_of_string(self) -> str:
        text, begin = self._text, self._pos
        end = string_end(text, begin)
        if text.startswith('"', end):
            self._pos = end + 1
            return unescape(text[begin:end])
        if end == len(text) or _ESCAPE_SO_FAR.match(text, end):
            raise JsonError("the text ends inside a string", position=len(text), truncated=True)
        escape = text[end] == "\\"
        raise JsonError("a malformed escape" if escape else "a bare control character in a string", position=end)

    def _no_value(self) -> JsonError:
        """Say why no value stands here."""
        self._pos = pos = skip_space(self._text, self._pos)
        text = self._text
        if pos == len(text):
            return self._ends_early("a value")
        if text[pos] in "-0123456789":
            truncated = _NUMBER_SO_FAR.match(text, pos) is not None
            return JsonError("a malformed number", position=pos, truncated=truncated)
        truncated = len(text) - pos < len("false") and any(word.startswith(text[pos:]) for word in _LITERALS)
        return JsonError("a value is expected", position=pos, truncated=truncated)

    def _unexpected(self, wanted: str) -> JsonError:
        self._pos = skip_space(self._text, self._pos)
        if self._pos == len(self._text):
            return self._ends_early(wanted)
        return JsonError(f"{wanted} is expected", position=self._pos)

    def _ends_early(self, wanted: str) -> JsonError:
        return JsonError(f"the text ends where {wanted} is expected", position=len(self._text), truncated=True)


def skip_space(text: str, pos: int) -> int:
    """Return where the blanks at a place end."""
    match = _SPACE.match(text, pos)
    return match.end() if match else pos


def string_end(text: str, pos: int) -> int:
    """Return where a string that goes on at `pos` stops being one: at its closing quote, if all is well."""
    while (match := _STRING_PART.match(text, pos)) and match.end() > pos:
        pos = match.end()
    return pos


def unescape(body: str) -> str:
    """Return what a well-formed string says, given what stands between its quotes."""
    return json.loads(f'"{body}"') if "\\" in body else body
