"""Records as documents: plain JSON types under the names that they have on the wire."""

from __future__ import annotations

import math
from typing import Any, Final

from msgspec import UNSET, Raw, Struct

from .events import RuntimeEvent
from .headers import RunHeader
from .json_text import decode_value, parse
from .json_write import plain_json

_EXACT_INT: Final = 2.0**53


def event_document(event: RuntimeEvent) -> dict[str, Any]:
    """Return an event as plain JSON types, every value as its row has it; whole numbers are ints."""
    return _document(event)


def header_document(header: RunHeader) -> dict[str, Any]:
    """Return a header as plain JSON types; whole numbers are ints."""
    return _document(header)


def written_document(event: RuntimeEvent) -> dict[str, Any]:
    """Return an event as plain JSON types in the form in which it is written anew (format: rebuilt on decoding).

    Text loses its provider options, a shown text equal to the text and empty lists, and names its origin as today.
    """
    document = _document(event)
    content = document.get("content")
    if not isinstance(content, dict) or content["kind"] != "text":
        return document
    content.pop("providerOptions", None)
    if content.get("displayText") == content["text"]:
        del content["displayText"]
    for key in ("attachments", "quotes"):
        if key in content and not content[key]:
            del content[key]
    for attachment in content.get("attachments", ()):
        attachment["bytes"] = attachment["bytes"] or 0
    if content.get("origin", {}).get("kind") == "automation":
        content["origin"]["kind"] = "legacy_automation"
    return document


def _document(record: Struct) -> dict[str, Any]:
    document: dict[str, Any] = {}
    kind = getattr(record, "kind", None)
    if record.__struct_config__.tag_field is not None:
        document["kind"] = kind
    for name, key in zip(record.__struct_fields__, record.__struct_encode_fields__, strict=True):
        value = getattr(record, name)
        if value is not UNSET:
            document[key] = _value(value)
    return document


def _value(value: Any) -> Any:
    if isinstance(value, Struct):
        return _document(value)
    if isinstance(value, Raw):
        return decode_value(value)
    if isinstance(value, tuple):
        return [_value(item) for item in value]
    if isinstance(value, float):
        return int(value) if _is_whole(value) else value
    if isinstance(value, dict):
        # A free object may be nested deeper than Python would follow; the parser follows.
        return parse(plain_json(value))
    return value


def _is_whole(value: float) -> bool:
    negative_zero = value == 0 and math.copysign(1, value) < 0
    return value.is_integer() and -_EXACT_INT <= value <= _EXACT_INT and not negative_zero
