"""The exact way to read a record: for every row that the fast decoder refuses, good or bad.

It knows what a C decoder does not: replaced bytes, half surrogate pairs, 3.0 as a whole number, infinite numbers, any
depth, requests of old versions, and rules between neighbours. It gives what the fast way gives for all other rows.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import force_setattr

from .codec import REFUSALS
from .complaints import complaint_of
from .content import Text
from .events import Actions, RuntimeEvent
from .headers import StoredHeader
from .inline_references import InlineReference, InlineReferences, check_references
from .json_spans import member_spans
from .json_text import parse
from .permission import ClosureAccepted, LoneClosure

R = TypeVar("R")

_RAW: Final = (
    (("content",), "args"),
    (("content",), "result"),
    (("content",), "providerOutput"),
    (("actions", "permissionRequest"), "args"),
)
_FREE: Final = (
    (("content",), "providerOptions", "provider_options"),
    (("content",), "details", "details"),
    (("actions",), "stateDelta", "state_delta"),
)


class ShapeError(Exception):
    """A value of the wrong shape.

    Attributes:
        complaint: what is wrong with it.
        field: JSON path of the value, such as `$.content.kind`.

    """

    def __init__(self, complaint: str, field: str) -> None:
        super().__init__(complaint)
        self.complaint = complaint
        self.field = field


def read_event(text: str) -> RuntimeEvent:
    """Read an event from the text of its row. Raises JsonError or ShapeError."""
    tree = parse(text, negative_zero=0)
    free: list[tuple[str, str, dict[str, Any]]] = []
    if isinstance(tree, dict):
        _complete_old_request(tree)
        for path, key in _RAW:
            holder = _member(tree, path)
            if holder is not None and key in holder:
                holder[key] = msgspec.Raw(_text_at(text, (*path, key)).encode())
        for path, key, name in _FREE:
            holder = _member(tree, path)
            if holder is not None and isinstance(holder.get(key), dict):
                # msgspec would stop at some depth. An empty object stands in for it.
                free.append((path[0], name, holder[key]))
                holder[key] = {}
    event = _shaped(tree, RuntimeEvent)
    for holder_name, name, value in free:
        force_setattr(getattr(event, holder_name), name, _in_doubles(value))
    _check_neighbours(event)
    return event


def read_header(text: str) -> StoredHeader:
    """Read a header from its text. Raises JsonError or ShapeError."""
    return _shaped(parse(text, negative_zero=0), StoredHeader)


def _shaped(tree: Any, record: type[R]) -> R:
    try:
        return msgspec.convert(tree, record, dec_hook=_ask)
    except REFUSALS as error:
        raise ShapeError(*complaint_of(error)) from None


def _ask(kind: type, value: Any) -> Any:
    if kind is not InlineReferences and kind is not LoneClosure:
        return value
    try:
        return msgspec.convert(value, tuple[InlineReference, ...] if kind is InlineReferences else ClosureAccepted)
    except msgspec.ValidationError as error:
        # msgspec adds the outer half of the path to this error only if it does not take it for one of its own.
        raise ValueError(str(error)) from None


def _member(tree: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any] | None:
    for key in path:
        value = tree.get(key)
        if not isinstance(value, dict):
            return None
        tree = value
    return tree


def _text_at(text: str, path: tuple[str, ...]) -> str:
    start, end = 0, len(text)
    for key in path:
        start, end = member_spans(text, start)[key]
    return text[start:end]


def _complete_old_request(tree: dict[str, Any]) -> None:
    """Say what a permission request left unsaid when there was only one kind of it."""
    request = _member(tree, ("actions", "permissionRequest"))
    if request is not None and "kind" not in request and "rememberForTurnAllowed" not in request:
        request |= {"kind": "tool_permission", "rememberForTurnAllowed": False}


def _in_doubles(value: dict[str, Any]) -> dict[str, Any]:
    """Turn every int of a parsed object into a float, in place, as the fast decoder has them."""
    waiting: list[dict[str, Any] | list[Any]] = [value]
    while waiting:
        holder: Any = waiting.pop()
        for place, member in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            if type(member) is int:
                holder[place] = float(member)
            elif isinstance(member, dict | list):
                waiting.append(member)
    return value


def _check_neighbours(event: RuntimeEvent) -> None:
    content, actions = event.content, event.actions
    if isinstance(content, Text) and content.inline_references:
        shown = content.display_text if isinstance(content.display_text, str) else content.text
        try:
            check_references(content.inline_references, shown)
        except ValueError as error:
            raise ShapeError(str(error), "$.content.inlineReferences") from None
    if isinstance(actions, Actions) and actions.permission_closure_accepted:
        present = sum(getattr(actions, name) is not msgspec.UNSET for name in Actions.__struct_fields__)
        if present > 1:
            raise ShapeError("an action stands beside it", "$.actions.permissionClosureAccepted")
