"""Which events belong to one stream: the key that names a snapshot and finds its final row (format: stream key)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from ..records.events import FunctionResponse, Refs, RuntimeEvent, Text, Thinking
from ..records.json_write import string_text


def document_stream_key(event: Mapping[str, object]) -> str | None:
    """Return the key of a stream event given as plain JSON types, of any shape; None for any other event."""
    name = _stream_name(event)
    if name is None:
        return None
    parts: list[str | None] = [name]
    for key in ("sessionId", "invocationId", "runId", "turnId", "branch", "role", "author"):
        part = event.get(key)
        # A final row has text everywhere but perhaps in its branch; with anything else here no final can ever match.
        if not isinstance(part, str) and not (part is None and key == "branch"):
            return None
        parts.append(part if isinstance(part, str) else None)
    return _digest(parts)


def completed_key(event: RuntimeEvent) -> str | None:
    """Return the key of the stream that a committed row completes; None where it completes none."""
    name = None if event.partial else _completed_name(event)
    if name is None:
        return None
    branch = event.branch if isinstance(event.branch, str) else None
    place = [event.session_id, event.invocation_id, event.run_id, event.turn_id, branch, event.role, event.author]
    return _digest([name, *place])


def _stream_name(event: Mapping[str, object]) -> str | None:
    if event.get("partial") is not True or "status" in event or "actions" in event:
        return None
    refs = event.get("refs")
    if not isinstance(refs, Mapping) or len(refs) != 1:
        return None
    if "content" not in event:
        call_id = refs.get("toolCallId")
        return f"tool:call:{call_id}" if isinstance(call_id, str) and call_id else None
    content, provider_id = event["content"], refs.get("providerEventId")
    if not isinstance(content, Mapping) or not isinstance(provider_id, str) or not provider_id:
        return None
    if content.get("kind") == "text" and "attachments" not in content:
        return f"text:provider:{provider_id}"
    if content.get("kind") == "thinking" and "signature" not in content:
        return f"thinking:provider:{provider_id}"
    return None


def _completed_name(event: RuntimeEvent) -> str | None:
    content, refs = event.content, event.refs
    if not isinstance(refs, Refs):
        return None
    if isinstance(content, FunctionResponse):
        return f"tool:call:{refs.tool_call_id}" if refs.tool_call_id else None
    if isinstance(content, Text) and refs.provider_event_id:
        return f"text:provider:{refs.provider_event_id}"
    if isinstance(content, Thinking) and refs.provider_event_id:
        return f"thinking:provider:{refs.provider_event_id}"
    return None


def _digest(parts: list[str | None]) -> str:
    text = ",".join("null" if part is None else string_text(part) for part in parts)
    return hashlib.sha256(f"[{text}]".encode()).hexdigest()
