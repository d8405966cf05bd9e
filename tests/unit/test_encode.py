"""Events written as rows, and as documents."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from core.errors import AppendRefused
from core.records.codec import decode_event, encode_event, event_document
from core.records.events import FunctionCall
from tests.support.records import as_row, event_with

ATTACHMENT = {
    "kind": "pdf",
    "name": "a",
    "mimeType": "m",
    "bytes": 7,
    "ref": {"kind": "session_file", "sessionId": "s", "relativePath": "p"},
}


def written(document: dict[str, Any]) -> str:
    """Return the row that is written for a row."""
    return encode_event(decode_event(as_row(document))).decode()


def test_rows_are_canonical() -> None:
    """A row has sorted keys at every level, array indices first, and no blanks."""
    document = event_with(
        content={"kind": "function_call", "name": "n", "id": "c", "args": {"b": 1.0, "10": [1e21], "9": "é\ud800"}}
    )

    assert written(document) == (
        '{"author":"agent","content":{"args":{"9":"é\\ud800","10":[1e+21],"b":1},"id":"c","kind":"function_call",'
        '"name":"n"},"id":"e1","invocationId":"inv-1","partial":false,"role":"model","runId":"run-1",'
        '"sessionId":"sess-1","ts":5,"turnId":"turn-1"}'
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"displayText": "x"}, {}),
        ({"displayText": ""}, {"displayText": ""}),
        ({"attachments": [], "quotes": []}, {}),
        ({"inlineReferences": []}, {"inlineReferences": []}),
        ({"providerOptions": {"a": 1}}, {}),
        (
            {"origin": {"kind": "automation", "automationId": "a"}},
            {"origin": {"kind": "legacy_automation", "automationId": "a"}},
        ),
        ({"origin": {"kind": "goal", "goalId": "a"}}, {"origin": {"kind": "goal", "goalId": "a"}}),
        ({"steering": True, "quotes": [{"text": "q"}]}, {"steering": True, "quotes": [{"text": "q"}]}),
        ({"attachments": [ATTACHMENT | {"bytes": -0.0}]}, {"attachments": [ATTACHMENT | {"bytes": 0}]}),
        ({"attachments": [ATTACHMENT | {"bytes": 0.5}]}, {"attachments": [ATTACHMENT | {"bytes": 0.5}]}),
    ],
)
def test_text_is_rebuilt_by_writing(content: dict[str, Any], expected: dict[str, Any]) -> None:
    """What says nothing is left out of a text that is written, and its origin has today's name."""
    text = {"kind": "text", "text": "x"}
    row = written(event_with(content=text | content))

    assert event_document(decode_event(row.encode()))["content"] == text | expected


def test_other_content_is_not_rebuilt() -> None:
    """Provider options of anything but text are written."""
    thinking = {"kind": "thinking", "text": "x", "providerOptions": {"a": [1, 2.5, {"b": None}]}}

    assert event_document(decode_event(written(event_with(content=thinking)).encode()))["content"] == thinking


@pytest.mark.parametrize("args", [b"-0", b"[1e400]", b'{"a":-0.0}'])
def test_what_would_be_lost_is_not_written(args: bytes) -> None:
    """Arguments with -0 or an infinite number are refused: no row can hold them."""
    row = as_row(event_with(content={"kind": "function_call", "name": "n", "id": "c", "args": 77}))
    event = decode_event(row.replace(b"77", args))

    with pytest.raises(AppendRefused) as caught:
        encode_event(event)
    assert caught.value.code == "not_serializable"


def test_a_time_of_minus_zero_is_not_written() -> None:
    """A time that would come back as another one is refused."""
    with pytest.raises(AppendRefused):
        encode_event(decode_event(event_with(ts=-0.0)))


def test_documents_hold_the_values_of_the_row() -> None:
    """A document has the row's numbers as they are: whole ones whole, the others not."""
    document = event_with(
        ts=5.5,
        content={"kind": "function_response", "id": "c", "name": "n", "result": [1, 2.5, None]},
        actions={"stateDelta": {"durationMs": 12, "x": 0.5}, "tokenUsage": {"input": 3, "output": 1e300}},
    )
    found = event_document(decode_event(as_row(document)))

    assert found == document
    assert isinstance(found["actions"]["stateDelta"]["durationMs"], int)
    assert isinstance(found["actions"]["tokenUsage"]["input"], int)


def test_deep_values_are_written() -> None:
    """Depth is no limit for writing, in arguments and in free objects."""
    deep = b"[" * 100_000 + b"]" * 100_000
    content = {"kind": "function_call", "name": "n", "id": "c", "args": 77}
    row = as_row(event_with(content=content, actions={"stateDelta": {"a": 77}})).replace(b"77", deep)

    assert deep + b'}},"author"' in encode_event(decode_event(row))


def test_events_can_be_made_by_hand() -> None:
    """An event made in code is written like one that was read."""
    event = decode_event(as_row(event_with(content={"kind": "function_call", "id": "c", "name": "n", "args": [1]})))
    made = msgspec.structs.replace(event, content=FunctionCall("c", "n", msgspec.Raw(b"[1]")))

    assert encode_event(made) == encode_event(event)
