"""JSON text in the spelling of the ledger's writer."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.records.json_text import parse
from core.records.json_write import canonical_json, number_text, plain_json

NUMBERS = st.floats(allow_nan=False) | st.integers()
SCALARS = st.none() | st.booleans() | NUMBERS | st.text(st.characters())
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (3.0, "3"),
        (-1.5, "-1.5"),
        (0.1, "0.1"),
        (1e-6, "0.000001"),
        (-1.25e-6, "-0.00000125"),
        (1e-7, "1e-7"),
        (1.5e-7, "1.5e-7"),
        (1e16, "10000000000000000"),
        (2**60, "1152921504606847000"),
        (123456789012345680000, "123456789012345680000"),
        (1e21, "1e+21"),
        (-1.25e21, "-1.25e+21"),
        (12345.678, "12345.678"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (9007199254740993, "9007199254740992"),
    ],
)
def test_numbers_are_spelt_as_in_javascript(value: float, text: str) -> None:
    """A number is written with the fewest digits that name it, with an exponent only where JavaScript has one."""
    assert number_text(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read_back(value: float) -> None:
    """No number is changed by writing it."""
    assert float(number_text(value)) == value


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 10**400, -(10**400)])
def test_numbers_without_end_have_no_text(value: float) -> None:
    """What is no finite double cannot be written."""
    with pytest.raises(ValueError, match="not finite"):
        number_text(value)


def test_keys_are_sorted_by_utf16_units_behind_array_indices() -> None:
    """Array indices come first and by value; other keys by UTF-16 units, which is not the order of code points."""
    keys = ["b", "10", "9", "a", "01", "4294967295", "4294967294", "\U0001f600", "\uff5e", "", "-1"]

    written = list(parse(canonical_json(dict.fromkeys(keys, None))))

    assert written == ["9", "10", "4294967294", "", "-1", "01", "4294967295", "a", "b", "\U0001f600", "\uff5e"]


def test_strings_escape_only_what_they_must() -> None:
    """Quotes, backslashes, controls and half pairs are escaped; all else stands as it is."""
    assert canonical_json('"\\/\b\f\n\r\t\x00\x1b\x7f\u2028é😀\ud800') == (
        '"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001b\x7f\u2028é😀\\ud800"'
    )


@given(VALUES)
def test_plain_text_is_read_back(value: Any) -> None:
    """Reading the text of a value gives the value, as doubles; keys keep their order."""
    text = plain_json(value)
    again = parse(text)

    assert plain_json(again) == text
    if isinstance(value, dict):
        assert list(again) == list(value)


@pytest.mark.parametrize("value", [-0.0, math.inf, [math.nan], {"a": -math.inf}])
def test_canonical_text_refuses_what_would_be_lost(value: object) -> None:
    """A value that would come back as another one has no canonical text."""
    with pytest.raises(ValueError, match=r"-0|finite"):
        canonical_json(value)


@pytest.mark.parametrize("value", [{1: 2}, {None: 1}, {"a": {1, 2}}, b"bytes", object()])
@pytest.mark.parametrize("write", [canonical_json, plain_json])
def test_only_json_values_have_text(write: Any, value: object) -> None:
    """Sets, bytes, objects and keys that are no strings are refused."""
    with pytest.raises(TypeError):
        write(value)


def test_a_value_that_holds_itself_has_no_text() -> None:
    """A circle is refused; the same value at two places is not."""
    circle: list[object] = []
    circle.append({"a": circle})

    with pytest.raises(ValueError, match="holds itself"):
        canonical_json(circle)
    assert canonical_json([circle[:0]] * 2) == "[[],[]]"


def test_any_depth_is_written() -> None:
    """Depth is no limit for writing."""
    depth = 100_000
    value: list[object] = []
    for _ in range(depth):
        value = [value]

    assert canonical_json(value) == "[" * (depth + 1) + "]" * (depth + 1)
