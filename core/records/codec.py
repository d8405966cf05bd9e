"""Bytes to events and headers, and back: the only door between the wire's spelling and ours.

Reading has a fast way, one msgspec decoder, and an exact way for whatever that refuses, which is loaded when a row
needs it. Both give the same answer; the fast one is merely silent about rows that it cannot judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import msgspec

from ..errors import AppendRefused, DecodeError, EventDecodeError, HeaderDecodeError
from .bounds import MOST_VALUES, holds_too_many
from .events import RuntimeEvent
from .headers import RunHeader, StoredHeader, has_one_cause
from .json_text import JsonError, TooManyValues
from .json_write import canonical_json, plain_json
from .scalars import Asked
from .wire import event_document as event_document
from .wire import header_document, written_document

R = TypeVar("R")

REFUSALS: Final = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""What msgspec raises for a record that it cannot read, rightly or wrongly."""


def plain_only(kind: type, value: object) -> object:
    """Let nothing through that must be seen together with its neighbours."""
    if isinstance(kind, Asked) and kind.beside:
        raise ValueError("left to the exact way")
    return value


FAST_EVENTS: Final = msgspec.json.Decoder(RuntimeEvent, dec_hook=plain_only)
"""The fast way alone, for loops over many rows. What it raises is in `REFUSALS`; such a row may be good all the same.
It does not look at the UTF-8 of arguments and results: the caller must, or use `decode_event`."""

ROW_TOO_LARGE: Final = "row_too_large"
"""Code of a row that may be good and is not read, for what it would take."""

_decode_fast: Final = FAST_EVENTS.decode
_FAST_HEADERS: Final = msgspec.json.Decoder(RunHeader, dec_hook=plain_only)
_FAST_OLD_HEADERS: Final = msgspec.json.Decoder(StoredHeader, dec_hook=plain_only)


def decode_event(row: bytes | Mapping[str, Any]) -> RuntimeEvent:
    """Read one event from the bytes of its row, or from plain JSON types.

    Raises:
        EventDecodeError: `code` is `row_invalid_json` (with `offset`, in bytes from the row's start),
            `row_invalid_event` (with `field`, a JSON path) or `row_too_large`, for a row that is not judged.

    """
    data = row if isinstance(row, bytes) else _as_bytes(row, EventDecodeError)
    if holds_too_many(data):
        raise EventDecodeError(f"more than {MOST_VALUES:,} values; not decoded", code=ROW_TOO_LARGE)
    try:
        event = _decode_fast(data)
        if not data.isascii():
            str(data, "utf-8")
    except REFUSALS:
        from .exact import read_event

        return _exactly(data, read_event, EventDecodeError)
    return event


def decode_run_header(document: bytes | Mapping[str, Any]) -> RunHeader:
    """Read a run header from the bytes of `run.json`, or from plain JSON types, and bring it to today's words.

    Raises HeaderDecodeError; `offset` (bytes) is set where it is no JSON, `field` (a JSON path) where it is no header.
    """
    data = document if isinstance(document, bytes) else _as_bytes(document, HeaderDecodeError)
    try:
        header = _FAST_HEADERS.decode(data)
        return header if has_one_cause(header) else _FAST_OLD_HEADERS.decode(data).current()
    except REFUSALS:
        pass
    try:
        return _FAST_OLD_HEADERS.decode(data).current()
    except REFUSALS:
        from .exact import read_header

        return _exactly(data, read_header, HeaderDecodeError).current()


def encode_event(event: RuntimeEvent) -> bytes:
    """Return the row that the ledger's writer would write for an event, without the line feed (format: row text).

    Raises AppendRefused, code `not_serializable`, for values that a row cannot hold, such as -0.
    """
    return _encoded(written_document(event), canonical_json)


def encode_run_header(header: RunHeader) -> bytes:
    """Return the text of `run.json` for a header, without the line feed. Raises AppendRefused as `encode_event`."""
    return _encoded(header_document(header), plain_json)


def _encoded(document: dict[str, Any], text_of: Callable[[Any], str]) -> bytes:
    try:
        return text_of(document).encode()
    except (ValueError, TypeError) as error:
        raise AppendRefused(f"the record cannot be written as JSON: {error}", code="not_serializable") from error


def _as_bytes(document: Mapping[str, Any], error_type: type[DecodeError]) -> bytes:
    try:
        return plain_json(document).encode()
    except (ValueError, TypeError) as error:
        raise error_type(f"the record is not made of JSON types: {error}", field="$") from error


def _exactly(data: bytes, read: Callable[[str], R], error_type: type[DecodeError]) -> R:
    from .exact import ShapeError

    text = data.decode("utf-8", "replace")
    try:
        return read(text)
    except TooManyValues as error:
        raise error_type(error.message, code=ROW_TOO_LARGE if error_type is EventDecodeError else None) from None
    except JsonError as error:
        code = "row_invalid_json" if error_type is EventDecodeError else None
        offset = _byte_offset(data, text, error.position)
        raise error_type(f"not JSON: {error.message}", code=code, offset=offset) from None
    except ShapeError as error:
        raise error_type(error.complaint, field=error.field) from None


def _byte_offset(data: bytes, text: str, position: int) -> int:
    """Return where a character of a text begins in the bytes that the text was decoded from."""
    if "\ufffd" not in text[:position]:
        return len(text[:position].encode())
    low, high = 0, len(data)
    while low < high:
        middle = (low + high) // 2
        if len(data[:middle].decode("utf-8", "replace")) <= position:
            low = middle + 1
        else:
            high = middle
    return low - 1 if len(data[:low].decode("utf-8", "replace")) > position else len(data)
