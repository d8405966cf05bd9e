"""Rows of the usual shapes, decoded many at once and with the least effort: what nearly every row of a ledger is.

A row that says anything unusual, like every row that the decoder refuses, is left to `codec`, and so are the rows that
came with it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from itertools import compress
from typing import Any, Final, Literal, overload

import msgspec
from msgspec import UnsetType

from .codec import REFUSALS, decode_event, plain_only
from .content import ErrorContent, FunctionCall, FunctionResponse, Text, Thinking
from .events import RuntimeEvent
from .plain_events import PlainActions, PlainEvent
from .plain_facts import PlainFacts, plain_facts
from .row_kinds import RowKind
from .scalars import Record
from .utf8 import check_utf8

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
_LOOKS: Final = bytes(kind in {_TEXT, _THINKING, _ERROR, _BARE} for kind in range(256))
"""Kinds that the content alone does not settle. Calls and responses are looked at among the tool facts."""
_KINDS: Final[dict[type, int]] = {
    Text: _TEXT,
    Thinking: _THINKING,
    FunctionCall: RowKind.CALL.value,
    FunctionResponse: RowKind.RESPONSE.value,
    ErrorContent: _ERROR,
    UnsetType: _BARE,
}


class PlainRows(Sequence[RuntimeEvent]):
    """Some plain rows of one execution, one behind the other. As a sequence it holds the events, decoded when asked."""

    def __init__(
        self,
        execution: Execution,
        kinds: bytearray,
        ids: list[str],
        times: array[float],
        facts: PlainFacts | None,
        lines: Callable[[], bytes],
        events: Sequence[PlainEvent] = (),
    ) -> None:
        self.execution = execution
        self.kinds = kinds
        """The `RowKind` of each."""
        self.ids = ids
        self.times = times
        """Milliseconds since 1970."""
        self.facts = facts
        """All tool facts; None where one of them is not regular by itself."""
        self.events = events
        """Where they were decoded in this process."""
        self._lines = lines

    def __len__(self) -> int:
        return len(self.ids)

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
        return self._lines().split(b"\n")[: len(self)]


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
    """Decode so many lines that are all plain rows of one execution; None where any of them may not be.

    Each line must begin and end with a brace; no line feed is needed last. With `execution` it must be that one, which
    takes less time; it pays for many rows.
    """
    try:
        events = _LINES(lines) if execution is None else _lines_of(execution)(lines)
        # No value goes from one line to the next, and each line has one at least: as many as lines are one on each.
        if not events or len(events) != count or True in [event.partial for event in events]:
            return None
        # The decoder only passes over some values. It costs less to look at all of it than to cut those out.
        check_utf8(lines)
    except REFUSALS:
        return None
    if execution is None:
        execution = _execution_of_all(events)
        if execution is None:
            return None
    kinds = _kinds(events)
    if kinds is None:
        return None
    ids, times = [event.id for event in events], array("d", [event.ts for event in events])
    return PlainRows(execution, kinds, ids, times, plain_facts(events, kinds), lambda: lines, events)


def _execution_of_all(events: list[PlainEvent]) -> Execution | None:
    session_id, invocation_id, run_id, turn_id = execution = _execution_of(events[0])
    others = [
        event
        for event in events
        if event.run_id != run_id
        or event.session_id != session_id
        or event.turn_id != turn_id
        or event.invocation_id != invocation_id
    ]
    return None if others else execution


def _execution_of(event: PlainEvent) -> Execution:
    return (event.session_id, event.invocation_id, event.run_id, event.turn_id)


def _kinds(events: list[PlainEvent]) -> bytearray | None:
    """Tell what each event says, as `row_kind` does; None where one says two things: that is for the rules."""
    kinds = bytearray([_KINDS[type(event.content)] for event in events])
    looks = kinds.translate(_LOOKS)
    for place in compress(range(len(events)), looks):
        event = events[place]
        actions = event.actions
        if kinds[place] == _BARE:
            kinds[place] = _bare_kind(actions) if actions else RowKind.EVENT
        elif actions and actions.tool_dispatch:
            return None
        elif event.role == "user" and kinds[place] == _TEXT:
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
