"""The fast way of reading gives what the exact way gives, or nothing."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from core.errors import EventDecodeError
from core.records.codec import FAST_EVENTS, REFUSALS, decode_event
from core.records.events import RuntimeEvent
from core.records.exact import ShapeError, read_event
from core.records.json_text import JsonError
from tests.support.records import DIGEST, event_with
from tests.support.vector_files import read_vectors

NUMBERS = [
    "0", "-0", "-0.0", "3", "3.0", "3e0", "30e-1", "1.5", "-1", "1e-400", "1e400", "-1e400", "0.1", "1E+2",
    "9007199254740991", "9007199254740992", "9007199254740993", "9007199254740991.4", "18446744073709551616",
    "123456789012345678901234567890", "2.2250738585072011e-308", "01", "1.", "1e", "+1", "-", ".5", "NaN", "0x1",
]  # fmt: skip
STRINGS = [
    '""', '"a"', r'"\u0061"', r'"\ud800"', r'"\ud83d\ude00"', '"é"', '"\u2028"', '"\x7f"', '"\t"', r'"\/"', r'"\x"',
    r'"\u12"', '"text"', '"thinking"', '"function_call"', '"function_response"', '"model"', f'"{DIGEST}"',
]  # fmt: skip
KEYS = ['"__proto__"', '"kind"', r'"k\u0069nd"', '"id"', '"text"', '"args"', '"result"', '"zzz"', '""', r'"\udc00"']
GOOD = [text for text in (*NUMBERS, *STRINGS) if text not in {"01", "1.", "1e", "+1", "-", ".5", "NaN", "0x1"}]
ATOMS = st.sampled_from([*GOOD * 3, *NUMBERS, *STRINGS, *["true", "false", "null", "[]", "{}"] * 3, "nulll", "[1,]"])
BLANKS = st.sampled_from([*[""] * 12, " ", "\n\t", "\r", "\x0b", "\ufeff", "\xa0"])


def joined(items: list[str], blank: str) -> str:
    """Return an array's text."""
    return f"[{blank}{','.join(items)}{blank}]"


def members(items: list[tuple[str, str]], blank: str) -> str:
    """Return an object's text; nothing keeps its keys from being equal."""
    return f"{{{blank}{f'{blank},'.join(f'{key}{blank}:{value}' for key, value in items)}}}"


VALUES = st.recursive(
    ATOMS,
    lambda inner: (
        st.builds(joined, st.lists(inner, max_size=3), BLANKS)
        | st.builds(
            members, st.lists(st.tuples(st.sampled_from(KEYS) | st.sampled_from(STRINGS), inner), max_size=3), BLANKS
        )
    ),
    max_leaves=8,
)

ACCEPTED = [json.dumps(vector["event"], ensure_ascii=False) for vector in read_vectors("decode") if vector["accept"]]
RICH = [
    event_with(content={"kind": "function_call", "id": "c", "name": "Bash", "args": {"a": [1, None]}}),
    event_with(content={"kind": "function_response", "id": "c", "name": "Bash", "result": "out", "isError": False}),
    event_with(content={"kind": "thinking", "text": "x", "providerOptions": {"a": {"b": [1]}}}),
    event_with(content={"kind": "text", "text": "x", "steering": True, "quotes": [{"text": "q"}]}),
    event_with(content={"kind": "error", "message": "m", "details": {"a": 1}}),
    event_with(actions={"stateDelta": {"durationMs": 12, "deep": {"a": {"b": [True]}}}, "artifactDelta": {"f": 1}}),
    event_with(actions={"tokenUsage": {"input": 1, "output": 2, "costUsd": 0.5}}),
    event_with(refs={"sourceRuntimeEventHighWater": 3, "sourceMessageDigest": DIGEST}),
]
SEEDS = st.sampled_from(ACCEPTED) | st.sampled_from([json.dumps(event) for event in RICH] * 10)
SCALAR = re.compile(r'(?<=: )(?:"[^"]*"|-?[\d.]+|true|false|null)')
COPIED = re.compile(r'("[^"]*": [^,{}\[\]]*)[,}]')
MEMBER = re.compile(r'[{,] ?(?="[^"]*": )')


@st.composite
def rows(draw: st.DrawFn) -> bytes:
    """Draw the bytes of a row: a good one with values replaced, members added, bytes changed."""
    text = draw(SEEDS)
    for _ in range(draw(st.integers(0, 2))):
        places = list((SCALAR if draw(st.booleans()) else MEMBER).finditer(text))
        if not places:
            continue
        place = draw(st.sampled_from(places))
        if place.re is SCALAR:
            text = text[: place.start()] + draw(VALUES) + text[place.end() :]
        else:
            added = draw(st.sampled_from(COPIED.findall(text)))
            text = f"{text[: place.end()]}{added}, {text[place.end() :]}"
    row = (draw(BLANKS) + text + draw(BLANKS)).encode("utf-8", "surrogatepass")
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(row)))
        row = (
            row[:at]
            + draw(st.sampled_from([b"\xff", b"\xed\xa0\x80", b"\xc3", b"\0", b"\x1f", b'"', b"\\", b""]))
            + row[at + 1 :]
        )
    return row


def fast(row: bytes) -> RuntimeEvent | None:
    """Return what the fast way says, with the look at the bytes that it leaves to its caller."""
    try:
        str(row, "utf-8")
        return FAST_EVENTS.decode(row)
    except REFUSALS:
        return None


def exact(row: bytes) -> RuntimeEvent | None:
    """Return what the exact way says."""
    try:
        return read_event(row.decode("utf-8", "replace"))
    except (JsonError, ShapeError):
        return None


def plain(value: Any) -> Any:
    """Return a record as something to compare, in which types and the text of raw values count."""
    if isinstance(value, msgspec.Struct):
        return type(value), [(name, plain(getattr(value, name))) for name in value.__struct_fields__]
    if isinstance(value, msgspec.Raw):
        return bytes(value)
    if isinstance(value, dict):
        return [(key, plain(member)) for key, member in value.items()]
    if isinstance(value, list | tuple):
        return type(value), [plain(item) for item in value]
    return type(value), value


@given(rows())
@example(
    json.dumps(event_with(content={"kind": "text", "text": "x"}))
    .replace('"kind"', '"kind": "thinking", "kind"')
    .encode()
)
@example(json.dumps(event_with()).replace('"ts": 5', '"ts": "x", "ts": 5').encode())
def test_both_ways_agree(row: bytes) -> None:
    """Whatever the fast way reads the exact way reads too, to the same values of the same types."""
    quick, slow = fast(row), exact(row)

    if quick is not None:
        assert plain(quick) == plain(slow)


@given(rows())
def test_reading_is_reading_exactly(row: bytes) -> None:
    """Any bytes are an event or an EventDecodeError, as the exact way decides."""
    expected = exact(row)
    try:
        event = decode_event(row)
    except EventDecodeError:
        assert expected is None
    else:
        assert plain(event) == plain(expected)


@given(st.binary(max_size=40))
def test_any_bytes_are_an_answer(row: bytes) -> None:
    """No bytes make reading fail in another way."""
    with contextlib.suppress(EventDecodeError):
        decode_event(row)
