"""JSON text as the ledger's writer writes it: compact, numbers and strings in JavaScript's spelling.

Nothing here recurses, so values of any depth can be written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from json.encoder import encode_basestring
from typing import Any, Final, NamedTuple

_HALF_PAIR: Final = "[\ud800-\udfff]"
_INTEGER_KEY: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_GREATEST_INDEX: Final = 2**32 - 2
_EXACT_INT: Final = 2**53
_LONGEST_WITHOUT_EXPONENT: Final = 21
_MOST_ZEROS_WITHOUT_EXPONENT: Final = 6
_WORDS: Final = {None: "null", True: "true", False: "false"}

Members = Callable[[Mapping[Any, Any]], Iterable[tuple[Any, Any]]]
NumberText = Callable[[float], str]


class Ready(str):
    """JSON text that is written as it stands."""

    __slots__ = ()


def canonical_json(value: Any) -> str:
    """Return the canonical text of a JSON value: sorted keys, no whitespace (format: row text).

    Raises:
        ValueError: the value would not come back as it is: -0, an infinite number, NaN, an object that holds itself.
        TypeError: JSON has no such value.

    """
    return write_json(value, lossless_number, sorted_members)


def plain_json(value: Any) -> str:
    """Return a text of a JSON value from which the exact reader gets an equal value, keys in their order.

    Raises ValueError and TypeError as `canonical_json` does, but takes -0 and infinite numbers.
    """
    return write_json(value, _signed_number, Mapping.items)


class _Open(NamedTuple):
    items: Iterator[tuple[Any, Any]]
    close: str
    holder: int


def write_json(value: Any, number: NumberText, members: Members) -> str:
    """Return the text of a JSON value.

    Args:
        value: None, bool, int, float, str, Ready, or a Mapping, list or tuple of such.
        number: how a number is spelt.
        members: the members of an object, in the order in which they are written.

    """
    parts: list[str] = []
    stack: list[_Open] = []
    holders: set[int] = set()
    while True:
        scalar = _scalar_text(value, number)
        if scalar is not None:
            parts.append(scalar)
        elif id(value) in holders:
            raise ValueError("a value holds itself")
        else:
            is_object = isinstance(value, Mapping)
            items = iter(members(value)) if is_object else ((None, item) for item in value)
            stack.append(_Open(items, "}" if is_object else "]", id(value)))
            holders.add(id(value))
            parts.append("{" if is_object else "[")
        while stack:
            item = next(stack[-1].items, None)
            if item is not None:
                break
            parts.append(stack[-1].close)
            holders.remove(stack.pop().holder)
        else:
            return "".join(parts)
        key, value = item
        comma = "" if parts[-1] in ("{", "[") else ","
        parts.append(comma if key is None and stack[-1].close == "]" else f"{comma}{string_text(key)}:")


def _scalar_text(value: Any, number: NumberText) -> str | None:
    """Return the text of a value that is no container, None for a container."""
    if isinstance(value, str):
        return value if type(value) is Ready else string_text(value)
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, Mapping | list | tuple):
        return None
    raise TypeError(f"JSON has no {type(value).__name__}")


def string_text(value: object) -> str:
    """Return a string's text. Raises TypeError if it is none (the key of an object, say)."""
    if not isinstance(value, str):
        raise TypeError(f"a key is {type(value).__name__}")
    text = encode_basestring(value)
    if text.isascii():
        return text
    return re.sub(_HALF_PAIR, lambda half: f"\\u{ord(half[0]):04x}", text)


def number_text(value: float) -> str:
    """Return a number's text. Raises ValueError if it is not finite."""
    if isinstance(value, int) and -_EXACT_INT <= value <= _EXACT_INT:
        return str(int(value))
    double = as_double(value)
    if not math.isfinite(double):
        raise ValueError("a number is not finite")
    if double == 0:
        return "0"
    sign, digits, point = _shortest_digits(double)
    if len(digits) <= point <= _LONGEST_WITHOUT_EXPONENT:
        return sign + digits.ljust(point, "0")
    if 0 < point <= _LONGEST_WITHOUT_EXPONENT:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -_MOST_ZEROS_WITHOUT_EXPONENT < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{point - 1:+d}"


def _shortest_digits(double: float) -> tuple[str, str, int]:
    """Return sign, digits without zeros at either end, and where the point lies before or after their start."""
    mantissa, _, exponent = repr(abs(double)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(digits) - len(fraction) + int(exponent or 0)
    return "-" if double < 0 else "", digits.rstrip("0"), point


def as_double(value: float) -> float:
    """Return a number as the double that it is for the ledger's writer."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def lossless_number(value: float) -> str:
    """Return a number's text. Raises ValueError if reading that would give another number."""
    if _is_negative_zero(as_double(value)):
        raise ValueError("-0 would be written as 0")
    return number_text(value)


def _signed_number(value: float) -> str:
    double = as_double(value)
    if math.isnan(double):
        raise ValueError("a number is NaN")
    if math.isinf(double):
        return "1e999" if double > 0 else "-1e999"
    return "-0.0" if _is_negative_zero(double) else number_text(value)


def _is_negative_zero(double: float) -> bool:
    return double == 0 and math.copysign(1, double) < 0


def sorted_members(members: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """Return the members of an object in canonical order: array indices by value, other keys by UTF-16 units."""
    if not all(isinstance(key, str) for key in members):
        raise TypeError("a key is no string")
    return sorted(members.items(), key=lambda member: _key_order(member[0]))


def _key_order(key: str) -> tuple[int, bytes]:
    if _INTEGER_KEY.fullmatch(key) and int(key) <= _GREATEST_INDEX:
        return int(key), b""
    return _GREATEST_INDEX + 1, key.encode("utf-16-be", "surrogatepass")
