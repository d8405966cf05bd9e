"""Reading rows, and what is said about rows that cannot be read."""

from __future__ import annotations

import math
import pickle
from typing import Any

import pytest

from core.errors import EventDecodeError
from core.records.codec import decode_event
from core.records.events import Actions, FunctionCall, FunctionResponse, RuntimeEvent, Text
from tests.support.records import ABSENT, as_row, event_with

CALL = {"kind": "function_call", "id": "c1", "name": "Bash", "args": {"command": "ls"}}
TEXT = {"kind": "text", "text": "see @a/b now"}
CLOSURE = {"permissionClosureAccepted": {"requestId": "q", "reason": "timed_out"}}
DEEP = 100_000


def refusal(row: Any) -> EventDecodeError:
    """Return the error with which a row is refused."""
    with pytest.raises(EventDecodeError) as caught:
        decode_event(row)
    return caught.value


def call_of(event: RuntimeEvent) -> FunctionCall:
    """Return the call that an event holds."""
    assert isinstance(event.content, FunctionCall)
    return event.content


def state_of(event: RuntimeEvent) -> dict[str, Any]:
    """Return the state change that an event holds."""
    assert isinstance(event.actions, Actions)
    assert isinstance(event.actions.state_delta, dict)
    return event.actions.state_delta


@pytest.mark.parametrize(
    ("document", "field"),
    [
        (event_with(ts="x"), "$.ts"),
        (event_with(id=""), "$.id"),
        (event_with(zzz=None), "$.zzz"),
        (event_with(role=ABSENT), "$.role"),
        (event_with(role="boss"), "$.role"),
        (event_with(content={"kind": "poem"}), "$.content.kind"),
        (event_with(content={"text": "of no kind"}), "$.content.kind"),
        (event_with(content=CALL | {"id": 5}), "$.content.id"),
        (event_with(content=TEXT | {"quotes": [{"text": "a"}, {"text": 1}]}), "$.content.quotes[1].text"),
        (event_with(content=TEXT | {"steering": False}), "$.content.steering"),
        (event_with(content=TEXT | {"inlineReferences": [{"kind": "skill"}]}), "$.content.inlineReferences[0].value"),
        (event_with(actions=CLOSURE | {"endInvocation": True}), "$.actions.permissionClosureAccepted"),
        (event_with(refs={"sourceRuntimeEventHighWater": 2**53}), "$.refs.sourceRuntimeEventHighWater"),
        ([], "$"),
        (5, "$"),
        (None, "$"),
    ],
)
def test_a_wrong_shape_names_its_field(document: object, field: str) -> None:
    """A row of the wrong shape is refused with the path of the field that is wrong."""
    error = refusal(as_row(document))

    assert (error.code, error.field) == ("row_invalid_event", field)
    assert "msgspec" not in error.message
    assert "`" not in error.message


@pytest.mark.parametrize(
    ("row", "offset"),
    [
        (b"", 0),
        (b"\xef\xbb\xbf{}", 0),
        (b'{"id":}', 6),
        (b'{"\xc3\xa9":x}', 6),
        (b'{"\xff\xff":x}', 6),
        (b'{"\xe2\x82":\xff}', 6),
        (b'{"a":"\xff', 7),
        (b'{"a":1}\0', 7),
    ],
)
def test_broken_json_names_its_byte(row: bytes, offset: int) -> None:
    """A row that is no JSON is refused with the offset of the byte where it goes wrong."""
    error = refusal(row)

    assert (error.code, error.offset) == ("row_invalid_json", offset)


@pytest.mark.parametrize("row", [event_with(ts=math.nan), event_with(branch={1}), event_with() | {1: 2}])
def test_a_mapping_must_be_json(row: dict[Any, Any]) -> None:
    """A mapping that holds what JSON does not have is refused as a row of the wrong shape."""
    assert refusal(row).code == "row_invalid_event"


def test_an_error_travels_between_processes() -> None:
    """A refused row's error comes out of a pickle with all that it says."""
    error = refusal(as_row(event_with(ts="x")))
    again = pickle.loads(pickle.dumps(error))

    assert (again.code, again.field, str(again)) == (error.code, error.field, str(error))


def test_invalid_utf8_is_replaced() -> None:
    """Each broken sequence of bytes is one replacement character, in arguments too."""
    row = as_row(event_with(branch="B", content=CALL | {"args": "A"}))
    event = decode_event(row.replace(b'"A"', b'"\xff\xc3"').replace(b'"B"', b'"\xed\xa0\x80"'))

    assert event.branch == "\ufffd\ufffd\ufffd"
    assert call_of(event).args == "\ufffd\ufffd"
    assert bytes(call_of(event).args_json) == '"\ufffd\ufffd"'.encode()


def test_half_pairs_are_kept() -> None:
    """A string cut inside a surrogate pair comes out as it went in, wherever it stands."""
    event = decode_event(as_row(event_with(branch="\ud800", content=CALL | {"args": {"\udc00": "\ud83d"}})))

    assert event.branch == "\ud800"
    assert call_of(event).args == {"\udc00": "\ud83d"}
    assert bytes(call_of(event).args_json) == rb'{"\udc00":"\ud83d"}'


@pytest.mark.parametrize("key", ["content", "actions"])
def test_half_pairs_make_no_known_word(key: str) -> None:
    """A key or a word with half a pair is unknown, and an error like any other."""
    assert refusal(as_row(event_with(role="\ud800"))).code == "row_invalid_event"
    assert refusal(as_row(event_with(**{key: {"\ud800": 1}}))).code == "row_invalid_event"


@pytest.mark.parametrize("spelling", ["3.0", "3e0", "30e-1", "3", "0.3e1"])
def test_whole_numbers_have_many_spellings(spelling: str) -> None:
    """A count may be written as any number that is whole."""
    row = as_row(event_with(refs={"sourceRuntimeEventHighWater": 77})).replace(b"77", spelling.encode())
    refs = decode_event(row).refs

    assert refs
    assert refs.source_runtime_event_high_water == 3


@pytest.mark.parametrize(
    ("spelling", "value"), [("-0", 0), ("-0.0", 0), ("9007199254740991.4", 2**53 - 1), ("-1e-400", 0)]
)
def test_counts_are_doubles_first(spelling: str, value: int) -> None:
    """A count is what the double is that was written: -0 is 0, and too many digits are rounded."""
    row = as_row(event_with(refs={"sourceRuntimeEventHighWater": 77})).replace(b"77", spelling.encode())
    refs = decode_event(row).refs

    assert refs
    assert refs.source_runtime_event_high_water == value


@pytest.mark.parametrize("spelling", ["1e400", "-1e400", "9" * 5000, "true", '"1"', "null"])
def test_times_are_finite_numbers(spelling: str) -> None:
    """A time that is infinite or no number is refused."""
    row = as_row(event_with(ts=77)).replace(b"77", spelling.encode())

    assert refusal(row).field == "$.ts"


@pytest.mark.parametrize(
    ("spelling", "value"),
    [("1e400", math.inf), ("9007199254740993", 2.0**53), ("9" * 5000, math.inf), ("3", 3.0), ("true", True)],
)
def test_numbers_of_free_objects_are_doubles(spelling: str, value: float) -> None:
    """Numbers in an object of any shape are doubles, infinite ones too; true stays true."""
    row = as_row(event_with(actions={"stateDelta": {"a": [77]}})).replace(b"77", spelling.encode())
    found = state_of(decode_event(row))["a"][0]

    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize("spelling", ["1e400", "[" * DEEP + "]" * DEEP, "9" * 5000, " 1 ", '{"a":1,"a":2}'])
def test_arguments_stay_text(spelling: str) -> None:
    """Arguments are kept as their own text without the blanks around it, whatever value it has."""
    call = call_of(decode_event(as_row(event_with(content=CALL | {"args": 77})).replace(b"77", spelling.encode())))

    assert bytes(call.args_json).decode() == spelling.strip()


def test_free_objects_may_be_deep() -> None:
    """An object of any shape may be nested without limit."""
    row = as_row(event_with(actions={"stateDelta": {"a": 77}})).replace(b"77", b"[" * DEEP + b"]" * DEEP)
    depth, value = 0, state_of(decode_event(row))["a"]
    while value:
        depth, value = depth + 1, value[0]

    assert depth == DEEP - 1


@pytest.mark.parametrize("bracket", [b"[", b'{"content":', b'{"actions":{"permissionRequest":'])
def test_deep_rows_of_the_wrong_shape_are_refused(bracket: bytes) -> None:
    """Depth where none belongs is an error like any other."""
    assert refusal(bracket * DEEP).code == "row_invalid_json"
    close = b"]" if bracket == b"[" else b"}" * bracket.count(b"{")
    assert refusal(bracket * DEEP + b"1" + close * DEEP).code == "row_invalid_event"


def test_equal_keys_count_once() -> None:
    """Of equal keys the last one counts, in the record, in its kind and in its arguments' place."""
    row = as_row(event_with(content=CALL))
    first = b'"content":{"kind":"text","text":"x"},'
    event = decode_event(
        row.replace(b'"content":', first + b'"content":').replace(b'"kind":', b'"args":1,"kind":"text","kind":')
    )

    assert call_of(event).args == {"command": "ls"}


@pytest.mark.parametrize("key", ["__proto__", "constructor", ""])
def test_no_key_is_special(key: str) -> None:
    """Keys that JavaScript objects inherit are unknown in records and plain in free objects."""
    assert refusal(as_row(event_with(**{key: 1}))).field == f"$.{key}"
    assert state_of(decode_event(as_row(event_with(actions={"stateDelta": {key: 1}})))) == {key: 1}


def test_arguments_and_results_are_read_when_asked_for() -> None:
    """The text of arguments and results comes with a property that reads it."""
    response = {"kind": "function_response", "id": "c1", "name": "Bash", "result": [1, "a"], "isError": True}
    event = decode_event(as_row(event_with(content=response | {"providerOutput": {"a": None}})))

    assert isinstance(event.content, FunctionResponse)
    assert event.content.result == [1, "a"]
    assert event.content.provider_output == {"a": None}
    bare = decode_event(as_row(event_with(content=response))).content
    assert isinstance(bare, FunctionResponse)
    assert not bare.provider_output


def test_old_permission_requests_are_completed() -> None:
    """A request that says neither its kind nor whether it may be remembered is one for a tool, not to be remembered."""
    request = {
        "requestId": "r",
        "toolUseId": "c",
        "toolName": "Bash",
        "category": "shell_unsafe",
        "reason": "custom",
        "args": [1],
    }
    event = decode_event(as_row(event_with(actions={"permissionRequest": request})))

    assert isinstance(event.actions, Actions)
    found = event.actions.permission_request
    assert found
    assert (found.kind, found.tool_name) == ("tool_permission", "Bash")
    assert found.args == [1]
    assert not found.remember_for_turn_allowed
    half = request | {"rememberForTurnAllowed": True}
    assert refusal(as_row(event_with(actions={"permissionRequest": half}))).code == "row_invalid_event"
    wrong = request | {"reason": "because"}
    assert (
        refusal(as_row(event_with(actions={"permissionRequest": wrong}))).field == "$.actions.permissionRequest.reason"
    )


def test_a_closure_stands_alone() -> None:
    """A closed request is an action of its own."""
    event = decode_event(as_row(event_with(actions=CLOSURE)))

    assert isinstance(event.actions, Actions)
    assert event.actions.permission_closure_accepted
    assert event.actions.permission_closure_accepted.request_id == "q"


@pytest.mark.parametrize(
    ("status", "actions", "terminal"),
    [
        ("completed", None, True),
        ("streaming", None, False),
        (None, {"endInvocation": True}, True),
        (None, {"endInvocation": False}, False),
        (None, None, False),
    ],
)
def test_terminal_events(status: str | None, actions: dict[str, bool] | None, terminal: bool) -> None:
    """An event ends its run by its status or by ending the invocation."""
    changes = {"status": status or ABSENT, "actions": ABSENT if actions is None else actions}

    assert decode_event(as_row(event_with(**changes))).is_terminal is terminal


def test_text_is_not_rewritten_by_reading() -> None:
    """Reading keeps what writing would drop."""
    content = TEXT | {"displayText": TEXT["text"], "attachments": [], "quotes": [], "providerOptions": {"a": 1}}
    event = decode_event(as_row(event_with(content=content)))

    assert isinstance(event.content, Text)
    assert event.content.display_text == event.content.text
    assert (event.content.attachments, event.content.quotes) == ((), ())
    assert event.content.provider_options == {"a": 1}


def test_hidden_events_say_so() -> None:
    """An event is hidden if its visibility says so."""
    assert decode_event(as_row(event_with(modelVisibility="hidden"))).is_hidden
    assert not decode_event(as_row(event_with(modelVisibility="visible"))).is_hidden
    assert not decode_event(as_row(event_with())).is_hidden
