"""The exact JSON parser and the classifier of torn rows."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.records.json_spans import member_spans
from core.records.json_text import JsonError, classify, decode_value, parse

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | FINITE | st.integers(-(2**53), 2**53) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)
DEEP = 100_000


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_any_document_is_read(value: Any, escaped: bool, indent: int | None) -> None:
    """Every value comes back as it was, with or without escapes and whitespace."""
    assert parse(json.dumps(value, ensure_ascii=escaped, indent=indent)) == value


@given(VALUES, st.data())
def test_every_beginning_of_a_document_may_be_torn(value: Any, data: st.DataObject) -> None:
    """No beginning of a document is called invalid; the whole of it is complete."""
    text = json.dumps(value)
    cut = data.draw(st.integers(0, len(text)))

    assert classify(text) == "complete"
    assert classify(text[:cut]) != "invalid"


@given(st.text(alphabet='[]{},:"\\/0123456789.-+eEtrufalsn \t\n\x00\x1f\u2028\ufeff', max_size=12))
def test_only_json_is_accepted(text: str) -> None:
    """The parser agrees with the standard library's on what is JSON and what it says."""

    def refuse(word: str) -> float:
        raise ValueError(word)

    try:
        expected = json.loads(text, parse_constant=refuse)
    except ValueError:
        with pytest.raises(JsonError):
            parse(text)
    else:
        assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9007199254740993", 9007199254740992),
        ("3.0", 3),
        ("30e-1", 3),
        ("1e400", math.inf),
        ("-1e400", -math.inf),
        ("9" * 400, math.inf),
        ("1" + "0" * 5000, math.inf),
        ("0." + "0" * 5000 + "1", 0),
        ("1e-400", 0),
        (r'"\ud800"', "\ud800"),
        (r'"\ude00\ud83d"', "\ude00\ud83d"),
        (r'"\ud83d\ude00"', "\U0001f600"),
        ('{"__proto__":1,"":2}', {"__proto__": 1, "": 2}),
    ],
)
def test_values_are_those_of_javascript(text: str, value: object) -> None:
    """Numbers are doubles of any spelling, strings keep halves of pairs, no key is special."""
    assert parse(text) == value


def test_the_last_of_equal_keys_wins_where_the_first_stood() -> None:
    """An object with equal keys has the value of the last one, at the place of the first."""
    assert list(parse('{"a":1,"b":2,"a":3}').items()) == [("a", 3), ("b", 2)]


@pytest.mark.parametrize("text", ["-0", "-0.0", "-0e5", "-1e-400"])
def test_zero_keeps_its_sign(text: str) -> None:
    """Any spelling of -0 is -0, unless the caller wants it read as something else."""
    assert math.copysign(1, parse(text)) == -1
    assert math.copysign(1, parse(text, negative_zero=0)) == 1


@pytest.mark.parametrize(
    ("text", "position", "truncated"),
    [
        ("", 0, True),
        ("  ", 2, True),
        ("{", 1, True),
        ('{"a"', 4, True),
        ('{"a" 1', 5, False),
        ('{"a":1 ', 7, True),
        ('{"a":1,}', 7, False),
        ("{1", 1, False),
        ("[", 1, True),
        ("[1", 2, True),
        ("[1,", 3, True),
        ("[1,]", 3, False),
        ("[1}", 2, False),
        ("[,", 1, False),
        ("1 2", 2, False),
        ("tru", 0, True),
        ("trux", 0, False),
        ("nulll", 4, False),
        ("01", 0, False),
        ("1.", 0, True),
        ("1.e", 0, False),
        ("1e+", 0, True),
        ("-", 0, True),
        ("+1", 0, False),
        (".5", 0, False),
        ('"a', 2, True),
        ('"\\', 2, True),
        ('"\\u12', 5, True),
        ('"\\u12x', 1, False),
        ('"\\x', 1, False),
        ('"a\nb"', 2, False),
        ("\ufeff{}", 0, False),
        ("{}\0", 2, False),
        ("NaN", 0, False),
    ],
)
def test_a_complaint_says_where(text: str, position: int, truncated: bool) -> None:
    """An error has the place where it went wrong, and whether more text could have helped."""
    with pytest.raises(JsonError) as caught:
        parse(text)

    assert (caught.value.position, caught.value.truncated) == (position, truncated)
    assert classify(text) == ("incomplete-prefix" if truncated else "invalid")


def test_no_depth_is_too_deep() -> None:
    """A complete document is read however deep it is."""
    depth = 0
    value = parse('{"a":[' * DEEP + "1" + "]}" * DEEP)
    while isinstance(value, dict):
        value = value["a"][0]
        depth += 1

    assert (depth, value) == (DEEP, 1)
    assert classify("[" * DEEP + "]" * DEEP) == "complete"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[" * 513, "incomplete-prefix"),
        ("[" * 513 + " ", "incomplete-prefix"),
        ("[" * 514, "invalid"),
        ("[" * 513 + "1", "invalid"),
        ("[" * 513 + "]", "incomplete-prefix"),
        ('{"a":' * 512, "incomplete-prefix"),
        ('{"a":' * 512 + "{", "incomplete-prefix"),
        ('{"a":' * 513, "invalid"),
        ("[" * DEEP, "invalid"),
        ("[1," * 512, "incomplete-prefix"),
    ],
)
def test_torn_rows_have_a_greatest_depth(text: str, expected: str) -> None:
    """A torn text with a value inside more than 512 brackets counts as invalid."""
    assert classify(text) == expected


@given(VALUES, st.booleans())
def test_a_part_of_a_record_has_the_same_value(value: Any, escaped: bool) -> None:
    """A value kept as text is the value that the parser finds there."""
    text = json.dumps(value, ensure_ascii=escaped)

    assert decode_value(msgspec.Raw(text.encode("utf-8", "replace"))) == value


@pytest.mark.parametrize("text", ["[9007199254740993]", "[-0]", "[1e400]", r'["\ud800"]', "[" * 3000 + "]" * 3000])
def test_what_the_fast_reader_gets_wrong_is_read_exactly(text: str) -> None:
    """Long integers, signed zeros, infinities, half pairs and deep values are the parser's."""
    value, expected = decode_value(msgspec.Raw(text.encode())), parse(text)
    while isinstance(value, list) and value:
        value, expected = value[0], expected[0]

    assert repr(value) == repr(expected)


@given(
    st.dictionaries(st.text(), VALUES, max_size=5), st.sampled_from([None, 1]), st.text(alphabet=" \n\t\r", max_size=3)
)
def test_spans_of_members_hold_their_text(value: dict[str, Any], indent: int | None, space: str) -> None:
    """Each span is the text of its member's value, without the blanks around it."""
    text = f"{space}{json.dumps(value, indent=indent)}{space}"
    spans = {key: text[start:end] for key, (start, end) in member_spans(text).items()}

    assert {key: parse(part) for key, part in spans.items()} == value
    assert all(part == part.strip() for part in spans.values())


def test_spans_follow_the_last_of_equal_keys() -> None:
    """Of equal keys the last has the span, in whatever spelling it is written."""
    text = r'{"a":1,"b":"}","\u0061":[{"a":2}] }'

    assert {key: text[start:end] for key, (start, end) in member_spans(text).items()} == {"a": '[{"a":2}]', "b": '"}"'}


def test_spans_need_an_object() -> None:
    """Where no object lies there are no members."""
    with pytest.raises(ValueError, match="no object"):
        member_spans("[1]")


def test_long_strings_of_escapes_are_read() -> None:
    """A string may hold any number of escapes, and ends at its own quote."""
    value = '\n"\\é' * 5000

    assert parse(json.dumps({value: value}, ensure_ascii=False)) == {value: value}
    assert classify(json.dumps(value)[:-1]) == "incomplete-prefix"
