"""JSON text, read exactly as the ledger's writer read it (format: JSON and text rules, prefix classifier).

Values come out as dict, list, str, bool, None and numbers. Every number is an IEEE double: a whole one within ±2^53 is
an int, any other a float; `1e400` is infinite, and -0 the float -0.0. The last of two equal keys wins, at the place of
the first. Half surrogate pairs are kept.
The standard library reads what it can, twenty times as fast; what it refuses is read by `json_parser`, good or bad.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, Literal

import msgspec

from ..errors import DecodeError
from .bounds import MOST_VALUES, holds_too_many

CLASSIFIED_DEPTH: Final = 512
"""A torn row that has a value inside more brackets than this was never taken for a torn row."""

_EXACT_INT: Final = 2.0**53
_INEXACT: Final = re.compile(rb"[0-9]{16}|-0")
"""What the fast reader may not take for a double: long integers, and a zero with a sign."""


class JsonError(DecodeError):
    """Text that is no JSON document.

    Attributes:
        position: index of the character where it went wrong.
        truncated: the text ends too early; some longer text that begins with it may be a document.

    """

    code = "invalid_json"

    def __init__(self, message: str, *, position: int = 0, truncated: bool = False) -> None:
        super().__init__(message)
        self.position = position
        self.truncated = truncated


class TooManyValues(JsonError):
    """Text that holds more values than are read; whether it is a document is not known."""

    code = "too_many_values"


class TooDeep(JsonError):
    """A value that lies inside more brackets than were asked for."""


def parse(text: str, *, negative_zero: float = -0.0) -> Any:
    """Return the value of a JSON document.

    Args:
        text: the document; whitespace around it is allowed, a byte order mark is not.
        negative_zero: what -0 is read as, in any spelling.

    Raises:
        JsonError: the text is no JSON document, or holds more than `MOST_VALUES` values.

    """
    found = _quickly(text, negative_zero)
    return _by_hand(text, len(text), negative_zero) if found is _REFUSED else found


def classify(text: str) -> Literal["complete", "incomplete-prefix", "invalid"]:
    """Tell whether a text is a JSON document, could become one by going on, or neither.

    One of too many values is invalid: nobody looked to its end.
    """
    try:
        if _quickly(text, -0.0) is not _REFUSED:
            return "complete"
        _by_hand(text, CLASSIFIED_DEPTH, -0.0)
    except TooDeep:
        return _deep(text)
    except JsonError as error:
        return "incomplete-prefix" if error.truncated else "invalid"
    return "complete"


def _deep(text: str) -> Literal["complete", "invalid"]:
    try:
        _by_hand(text, len(text), -0.0)
    except JsonError:
        return "invalid"
    return "complete"


def decode_value(raw: msgspec.Raw) -> Any:
    """Return the value of a piece of JSON text out of a record; equal to what `parse` returns."""
    data = bytes(raw)
    if not _INEXACT.search(data):
        try:
            return msgspec.json.decode(data)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            pass
    return parse(data.decode("utf-8", "replace"))


def _by_hand(text: str, deepest: int, negative_zero: float) -> Any:
    from .json_parser import Parser  # compiles the grammar, which few texts need

    return Parser(text, deepest, negative_zero).document()


def number_of(digits: str, negative_zero: float) -> int | float:
    """Return the number that a text has in the place of these digits."""
    double = float(digits)
    if not -_EXACT_INT <= double <= _EXACT_INT or not double.is_integer():
        return double
    return int(double) if double or digits[0] != "-" else negative_zero


def _no_number(word: str) -> Any:
    raise ValueError(word)


def _quick_reader(negative_zero: float) -> json.JSONDecoder:
    def number(digits: str) -> int | float:
        return number_of(digits, negative_zero)

    return json.JSONDecoder(parse_float=number, parse_int=number, parse_constant=_no_number)


_REFUSED: Final = object()
_QUICK: Final = {str(zero): _quick_reader(zero) for zero in (0, -0.0)}
"""By the spelling of what -0 is read as: as numbers the two are equal."""


def _quickly(text: str, negative_zero: float) -> Any:
    """Read a document as the standard library does; `_REFUSED` where it is none, or is nested too deep for it."""
    if holds_too_many(text):
        raise TooManyValues(f"more than {MOST_VALUES:,} values")
    try:
        return _QUICK[str(negative_zero)].decode(text)
    except (ValueError, RecursionError):
        return _REFUSED
