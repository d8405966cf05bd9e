"""Rows and headers to make variations of."""

from __future__ import annotations

import copy
import json
from typing import Any, Final

from core.errors import EventDecodeError
from core.records.codec import decode_event

DIGEST: Final = f"sha256:{'a' * 64}"
OTHER_DIGEST: Final = f"sha256:{'b' * 64}"

ABSENT: Final = object()
"""Stands for a key that is taken away."""

_EVENT: Final = {
    "id": "e1",
    "invocationId": "inv-1",
    "runId": "run-1",
    "sessionId": "sess-1",
    "turnId": "turn-1",
    "ts": 5,
    "partial": False,
    "role": "model",
    "author": "agent",
}
_HEADER: Final = {
    "runId": "run-1",
    "sessionId": "sess-1",
    "turnId": "turn-1",
    "status": "running",
    "backendKind": "ai-sdk",
    "llmConnectionSlug": "conn",
    "modelId": "model",
    "cwd": "/w",
    "permissionMode": "ask",
    "createdAt": 1,
    "updatedAt": 2,
}


def event_with(**changes: Any) -> dict[str, Any]:
    """Return a small valid event with keys changed, added or (ABSENT) taken away."""
    return changed(_EVENT, changes)


def header_with(**changes: Any) -> dict[str, Any]:
    """Return a small valid header with keys changed, added or (ABSENT) taken away."""
    return changed(_HEADER, changes)


def changed(record: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a record with keys changed, added or (ABSENT) taken away."""
    return {key: value for key, value in (copy.deepcopy(record) | changes).items() if value is not ABSENT}


def as_row(document: object) -> bytes:
    """Return a document as a row of ASCII."""
    return json.dumps(document, separators=(",", ":")).encode()


def action(name: str, value: object) -> dict[str, Any]:
    """Return a small event with one action."""
    return event_with(actions={name: value})


def accepts_event(document: object) -> bool:
    """Whether a document is read as an event."""
    try:
        decode_event(as_row(document))
    except EventDecodeError:
        return False
    return True
