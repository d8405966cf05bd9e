"""What the beginning of a torn row looks like. It is evidence of a kind, never a fact: the row was not committed."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from .summary import size_text

_LOOKED_AT: Final = 1 << 16
"""Bytes of a fragment that are looked at."""

_KIND = re.compile(r'"kind"\s*:\s*"(text|thinking|function_call|function_response|error)"')
_CALL = re.compile(r'"(?:toolCallId|providerToolCallId|toolUseId)"\s*:\s*"([^"\\]*)"')
_CONTENT_ID = re.compile(r'"content"\s*:\s*\{[^{}]*?"id"\s*:\s*"([^"\\]*)"')
_ACTION = re.compile(
    r'"(toolDispatch|permissionRequest|permissionDecision|userQuestionRequest|toolRecovery|tokenUsage)"'
)
_EVENT_ID = re.compile(r'\A\s*\{\s*"id"\s*:\s*"([^"\\]*)"')


class Fragment(Struct, frozen=True):
    """What a torn row starts like; None where its bytes do not go so far."""

    length: int
    """Bytes."""
    kind: str | None
    """Content kind or action, in the ledger's word."""
    tool_call_id: str | None
    event_id: str | None

    @property
    def says(self) -> str:
        """A few words; ids are the ledger's own."""
        what = f"starts like a {self.kind}" if self.kind else "too short to tell what it would be"
        return f"{size_text(self.length)}, {what}"


def read_fragment(payload: bytes) -> Fragment:
    """Look at the bytes of a torn row."""
    text = payload[:_LOOKED_AT].decode("utf-8", "replace")
    kind = _KIND.search(text) or _ACTION.search(text)
    call = (_CONTENT_ID.search(text) if kind and kind[1].startswith("function") else None) or _CALL.search(text)
    event = _EVENT_ID.search(text)
    return Fragment(len(payload), kind[1] if kind else None, call[1] if call else None, event[1] if event else None)
