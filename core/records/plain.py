"""Rows of the usual shapes, decoded many at once and with the least effort: what nearly every row of a ledger is.

These records are RuntimeEvents without the fields that say something unusual. A row that has one of those, like every
row that the decoder refuses, is left to `codec`, and so are the rows that came with it.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, overload

import msgspec
from msgspec import UNSET, UnsetType

from .codec import decode_event, plain_only
from .content import Content, ErrorContent, FunctionCall, FunctionResponse, Text, Thinking
from .events import RuntimeEvent
from .exact import REFUSALS
from .permission import AnswerAccepted, PermissionDecision, PermissionRequest, UserQuestionRequest
from .recovery_facts import ToolDispatch
from .row_kinds import RowKind
from .scalars import Finite, FreeObject, Name, Record
from .usage import TokenUsage
from .utf8 import check_utf8


class PlainActions(Record, frozen=True):
    """What usually happens beside the content of an event."""

    state_delta: FreeObject | UnsetType = UNSET
    tool_dispatch: ToolDispatch | UnsetType = UNSET
    permission_request: PermissionRequest | UnsetType = UNSET
    permission_decision: PermissionDecision | UnsetType = UNSET
    user_question_request: UserQuestionRequest | UnsetType = UNSET
    token_usage: TokenUsage | UnsetType = UNSET
    permission_answer_accepted: AnswerAccepted | UnsetType = UNSET
    user_question_answer_accepted: AnswerAccepted | UnsetType = UNSET


class PlainRefs(Record, frozen=True):
    """The usual ids that tie an event to what it speaks of."""

    operation_id: str | UnsetType = UNSET
    tool_call_id: str | UnsetType = UNSET
    provider_event_id: str | UnsetType = UNSET
    provider_request_trace_id: str | UnsetType = UNSET
    stored_message_id: str | UnsetType = UNSET
    step_id: str | UnsetType = UNSET


class PlainEvent(Record, frozen=True):
    """A row that is complete and visible, has no status and no branch; `ts` is in milliseconds since 1970."""

    id: Name
    invocation_id: Name
    run_id: Name
    session_id: Name
    turn_id: Name
    ts: Finite
    partial: bool
    role: Literal["user", "model", "tool", "system"]
    author: Literal["user", "agent", "tool", "system", "host"]
    content: Content | UnsetType = UNSET
    actions: PlainActions | UnsetType = UNSET
    refs: PlainRefs | UnsetType = UNSET


Execution = tuple[str, str, str, str]
"""Session, invocation, run, turn."""

_LINES: Final = msgspec.json.Decoder(PlainEvent, dec_hook=plain_only).decode_lines
_EXECUTION: Final = ("session_id", "invocation_id", "run_id", "turn_id")

_BARE: Final = 255
_USER: Final = RowKind.USER.value
_TEXT: Final = RowKind.TEXT.value
_DISPATCH: Final = RowKind.DISPATCH.value
_USAGE: Final = RowKind.USAGE.value
_THINKING: Final = RowKind.THINKING.value
_ERROR: Final = RowKind.ERROR.value
_LOOK_AGAIN: Final = frozenset({_TEXT, _THINKING, _ERROR, _BARE})
"""Kinds that the content alone does not settle. Calls and responses are looked at by whoever folds them."""
_KINDS: Final[dict[type, int]] = {
    Text: _TEXT,
    Thinking: _THINKING,
    FunctionCall: RowKind.CALL.value,
    FunctionResponse: RowKind.RESPONSE.value,
    ErrorContent: _ERROR,
    UnsetType: _BARE,
}


class PlainRows(Sequence[RuntimeEvent]):
    """Some plain rows that stand one behind the other. As a sequence it holds their events, each decoded when asked."""

    def __init__(self, lines: bytes, events: list[PlainEvent], kinds: bytearray) -> None:
        self._lines = lines
        self.events = events
        self.kinds = kinds
        """The `RowKind` of each."""

    def __len__(self) -> int:
        return len(self.events)

    @overload
    def __getitem__(self, index: int) -> RuntimeEvent: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RuntimeEvent]: ...
    def __getitem__(self, index: int | slice) -> RuntimeEvent | Sequence[RuntimeEvent]:
        if isinstance(index, slice):
            return list(map(decode_event, self._payloads[index]))
        return decode_event(self._payloads[index])

    @cached_property
    def _payloads(self) -> list[bytes]:
        return self._lines.split(b"\n")[: len(self.events)]


@lru_cache(maxsize=4)
def _lines_of(execution: Execution) -> Any:
    """Return what decodes the rows of one execution alone. It makes no strings of ids that are known."""
    known = dict(zip(_EXECUTION, execution, strict=True))
    fields: list[Any] = []
    for field in msgspec.structs.fields(PlainEvent):
        if field.name in known:
            fields.append((field.name, Literal[known[field.name]]))
        else:
            fields.append((field.name, field.type) if field.required else (field.name, field.type, field.default))
    same = msgspec.defstruct(PlainEvent.__name__, fields, bases=(Record,), frozen=True)
    return msgspec.json.Decoder(same, dec_hook=plain_only).decode_lines


def decode_plain(lines: bytes, count: int, execution: Execution | None = None) -> PlainRows | None:
    """Decode so many lines that are all plain rows; None where any of them may not be. No line feed is needed last.

    With `execution`, rows of any other are refused, and those of this one take less time; it pays for many rows.
    """
    try:
        events = _LINES(lines) if execution is None else _lines_of(execution)(lines)
        # A value that ends must be the last one of its line: with as many values as lines there is one on each.
        if len(events) != count or True in [event.partial for event in events]:
            return None
        # The decoder only passes over some values. It costs less to look at all of it than to cut those out.
        check_utf8(lines)
    except REFUSALS:
        return None
    kinds = _kinds(events)
    return None if kinds is None else PlainRows(lines, events, kinds)


def _kinds(events: list[PlainEvent]) -> bytearray | None:
    """Tell what each event says, as `row_kind` does; None where one says two things: that is for the rules."""
    kinds = bytearray([_KINDS[type(event.content)] for event in events])
    for place in [place for place, kind in enumerate(kinds) if kind in _LOOK_AGAIN]:
        event, kind = events[place], kinds[place]
        actions = event.actions
        if kind == _BARE:
            kinds[place] = _bare_kind(actions) if actions else RowKind.EVENT
        elif actions and actions.tool_dispatch:
            return None
        elif kind == _TEXT and event.role == "user":
            kinds[place] = _USER
    return kinds


def _bare_kind(actions: PlainActions) -> int:
    """Tell what an event without content says, as `row_kind` does."""
    if actions.tool_dispatch:
        return _DISPATCH
    if actions.permission_request or actions.permission_decision or actions.permission_answer_accepted:
        return RowKind.PERMISSION
    if actions.user_question_request or actions.user_question_answer_accepted:
        return RowKind.QUESTION
    if actions.token_usage:
        return _USAGE
    return RowKind.STATE if actions.state_delta else RowKind.EVENT
