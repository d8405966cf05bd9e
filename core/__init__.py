"""Reads Maka ledgers honestly and decides what may be replayed; knows no terminal."""

from __future__ import annotations

from .codec import decode_event, decode_run_header
from .errors import CoreError, EventDecodeError, HeaderDecodeError
from .events import RuntimeEvent
from .headers import RunHeader

__all__ = [
    "CoreError",
    "EventDecodeError",
    "HeaderDecodeError",
    "RunHeader",
    "RuntimeEvent",
    "decode_event",
    "decode_run_header",
]
