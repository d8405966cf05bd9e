"""The identity of arguments."""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.records.args_identity import _exact_text, _flat_call, _plain_call, args_hash

KEYS = st.sampled_from(["a", "b", "B", "10", "9", "é", "\uff5e", "\U0001f600"]) | st.text(max_size=3)
SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS | st.text(max_size=5), lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4)
)


def digest(text: str) -> str:
    """Return the digest of a canonical text."""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


@pytest.mark.parametrize(
    ("args", "canonical"),
    [
        ("null", "null"),
        (' { "b" : 1 , "a" : [ 2 , 1 ] } ', '{"a":[2,1],"b":1}'),
        ('{"a":1,"10":2,"9":3}', '{"9":3,"10":2,"a":1}'),
        ('{"\uff5e":1,"\U0001f600":2}', '{"\U0001f600":2,"\uff5e":1}'),
        ('{"a":{"__proto__":{"x":1},"y":2}}', '{"a":{"y":2}}'),
        (r'{"\u005f_proto__":1,"y":2}', '{"y":2}'),
        ('{"required":["b","a","B","A","_","1","-"]}', '{"required":["_","-","1","a","A","b","B"]}'),
        (r'{"\u0065num":[true,null,2,10,{"b":1,"a":2}]}', '{"enum":[{"a":2,"b":1},10,2,null,true]}'),
        ('{"enum":{"a":["b","a"]}}', '{"enum":{"a":["b","a"]}}'),
        ('{"required":[["b","a"]]}', '{"required":[["b","a"]]}'),
        ('{"a":[-0,-0.0,3.0,1e21,1e-7,9007199254740993]}', '{"a":[0,0,3,1e+21,1e-7,9007199254740992]}'),
        (r'{"a":"\u00e9\u2028\u001b\/\ud800"}', '{"a":"é\u2028\\u001b/\\ud800"}'),
        ('{"a":1,"a":2}', '{"a":2}'),
    ],
)
def test_equal_arguments_have_one_text(args: str, canonical: str) -> None:
    """The digest is that of tool and arguments in canonical order, numbers and strings in JavaScript's spelling."""
    assert args_hash("Bash", args.encode()) == digest(f'{{"args":{canonical},"toolName":"Bash"}}')


@pytest.mark.parametrize("args", ["1e400", '{"a":[-1e400]}', "", "{"])
def test_what_is_no_finite_value_has_no_identity(args: str) -> None:
    """Infinite numbers and broken text have no digest."""
    assert args_hash("Bash", args.encode()) is None


def test_a_call_without_a_tool_has_no_identity() -> None:
    """An empty tool name has no digest."""
    assert args_hash("", b"{}") is None


@given(VALUES, st.text(min_size=1))
def test_order_and_spelling_do_not_matter(value: Any, name: str) -> None:
    """Arguments in another order of keys, escaped and with blanks have the same digest."""

    def turned(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: turned(part[key]) for key in reversed(part)}
        return [turned(item) for item in part] if isinstance(part, list) else part

    plain = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    other = json.dumps(turned(value), indent=1, ensure_ascii=True).encode()

    assert args_hash(name, plain) == args_hash(name, other)


def test_depth_is_no_limit() -> None:
    """Arguments of any depth have a digest."""
    text = "[" * 100_000 + "]" * 100_000

    assert args_hash("Bash", text.encode()) == digest(f'{{"args":{text},"toolName":"Bash"}}')


def test_nested_lists_without_order_end_somewhere() -> None:
    """Sorted lists inside sorted lists cost a copy each: hostile nesting has no digest, which fails closed."""
    assert args_hash("Bash", b'{"enum":[' * 64 + b"]}" * 64) is not None
    assert args_hash("Bash", b'{"enum":[' * 100_000 + b"]}" * 100_000) is None


WRITTEN_PIECES = (
    *("a", "b", "\\n", '\\"', "\\\\", "\\u0041", "\\/", "\\u001f", "é", "😀", "%b", "\\ud83d\\ude00", "\\ud800", " "),
    *("\\\\u0041", "\x7f", "\u2028"),
)
WRITTEN_VALUES = (
    *("1", "0", "-0", "-1", "1.0", "1e3", "9007199254740991", "-9007199254740992", "9007199254740993", "true", "null"),
    *("[]", "{}", "[ ]", "[1, 2.5]", '{"b":1,"a":{"d":[],"c":1e400}}', "18446744073709551616", '{"1":0}', "0.5"),
)
WRITTEN_KEYS = (
    '"a"',
    '"b"',
    '"1"',
    '"01"',
    '"required"',
    '"__proto__"',
    '"a%b"',
    '"é"',
    '"a\\u0062"',
    '"\\n"',
    '""',
    '"A"',
)


def test_the_short_ways_say_what_the_exact_one_says() -> None:
    """Whatever keys, escapes, spaces and numbers a call is written with, all ways digest the same text."""
    rng, taken = random.Random(5), {_flat_call: 0, _plain_call: 0}
    for _ in range(6_000):
        members = []
        for _ in range(rng.randrange(5)):
            text = '"' + "".join(rng.choice(WRITTEN_PIECES) for _ in range(rng.randrange(6))) + '"'
            value = text if rng.random() < 0.5 else rng.choice(WRITTEN_VALUES)
            members.append(rng.choice(WRITTEN_KEYS) + rng.choice((":", " : ")) + value)
        args, name = ("{" + ",".join(members) + "}").encode(), rng.choice(("Bash", "x%y", "é", 'a"b'))
        for way in taken:
            short = way(name, args)
            if short is not None:
                taken[way] += 1
                written = json.dumps(name, ensure_ascii=False).encode()
                assert short == b'{"args":%b,"toolName":%b}' % (_exact_text(args), written)
    assert min(taken.values()) > 1_000, taken
