"""Events without what they say: the shape that the decision stands on, and replacements for everything else.

Nothing passes because it was forgotten: what is kept is named here, all else is replaced or left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import UNSET, structs

from ..decision.operations import fold
from ..decision.tool_rules import same_arguments
from ..records.args_identity import args_hash
from ..records.events import ErrorContent, FunctionCall, FunctionResponse, RuntimeEvent, Text, Thinking
from ..records.headers import RunHeader
from ..records.json_write import plain_json
from ..records.wire import event_document, header_document
from .redaction import Redactor

_KEPT: Final = ("ts", "partial", "role", "author", "status", "origin", "modelVisibility")
_IDS: Final = {
    "id": "event",
    "invocationId": "invocation",
    "runId": "run",
    "sessionId": "session",
    "turnId": "turn",
    "branch": "branch",
}
_REFS: Final[dict[str, str | None]] = {
    "toolCallId": "call",
    "parentToolCallId": "call",
    "operationId": "operation",
    "parentOperationId": "operation",
    "sourceInvocationId": "invocation",
    "sourceRunId": "run",
    "sourceTurnId": "turn",
    "sourceRuntimeEventHighWater": None,
}
_CALL_STATE: Final = frozenset({"activityKind", "displayName", "intent"})
_ACTIONS: Final = frozenset({"runtimeProtocol", "endInvocation"})
_DISPATCH: Final = {
    "protocol": None,
    "operationId": "operation",
    "providerToolCallId": "call",
    "toolName": "tool",
    "recoveryMode": None,
}
_RECOVERY: Final = {
    "protocol": None,
    "operationId": "operation",
    "observation": None,
    "observationSchema": None,
    "observationDigest": "digest",
    "disposition": None,
    "reasonCode": None,
    "evidenceEventIds": "event",
    "outcomeEventId": "event",
}
_REQUEST: Final = {
    "kind": None,
    "requestId": "request",
    "toolUseId": "call",
    "toolName": "tool",
    "category": None,
    "reason": None,
    "args": "arguments",
    "rememberForTurnAllowed": None,
    "hint": "text",
}
_DECISION: Final = {
    "requestId": "request",
    "decision": None,
    "rememberForTurn": None,
    "reviewer": None,
    "rationale": "text",
    "riskLevel": None,
    "toolName": "tool",
}
"""What is kept of a record, in its order: None as it is, else what it is replaced by."""

_HEADER_KEPT: Final = frozenset({"status", "backendKind", "permissionMode", "createdAt", "updatedAt", "completedAt"})
_HEADER_TEXTS: Final = {"llmConnectionSlug": "header", "modelId": "header", "cwd": "paths"}
_HEADER_IDS: Final = {
    "runId": "run",
    "sessionId": "session",
    "turnId": "turn",
    "invocationId": "invocation",
    "parentRunId": "run",
}


class EventRedactor:
    """Redacts the events of one slice; they are needed together, since a dispatch repeats a digest of its call."""

    def __init__(self, redactor: Redactor, events: Iterable[RuntimeEvent]) -> None:
        self._redactor = redactor
        self._tools, self._event_at = fold(events)

    def row(self, event: RuntimeEvent) -> bytes:
        """Return the row of an event without what it says, without the line feed."""
        return plain_json(self.document(event)).encode()

    def document(self, event: RuntimeEvent) -> dict[str, Any]:
        """Return an event without what it says as plain JSON types."""
        source = event_document(structs.replace(event, content=UNSET))
        document: dict[str, Any] = {}
        for key in RuntimeEvent.__struct_encode_fields__:
            if key in _IDS and key in source:
                document[key] = self._redactor.name(_IDS[key], source[key])
            elif key in _KEPT and key in source:
                document[key] = _number(source[key])
            elif key == "content" and event.content is not UNSET:
                document[key] = self._content(event)
            elif key == "actions" and key in source:
                document[key] = self._actions(event, source[key])
            elif key == "refs" and key in source:
                document[key] = self._refs(source[key])
        return document

    def _content(self, event: RuntimeEvent) -> dict[str, Any]:
        content, hide = event.content, self._redactor
        if isinstance(content, FunctionCall):
            document = {
                "id": hide.name("call", content.id),
                "name": hide.tool_name(content.name),
                "args": hide.json("arguments", bytes(content.args_json)),
            }
        elif isinstance(content, FunctionResponse):
            document = {
                "id": hide.name("call", content.id),
                "name": hide.tool_name(content.name),
                "result": hide.json("results", bytes(content.result_json)),
            }
            if content.is_error is not UNSET:
                document["isError"] = content.is_error
        elif isinstance(content, Text):
            document = {"text": hide.text("texts", content.text)}
        elif isinstance(content, Thinking):
            document = {"text": hide.text("thinking", content.text)}
        elif isinstance(content, ErrorContent):
            document = {"message": hide.text("errors", content.message)}
        else:
            raise AssertionError(type(content).__name__)
        return {"kind": content.kind, **document}

    def _refs(self, refs: Mapping[str, Any]) -> dict[str, Any]:
        kinds = {key: "digest" if key == "sourceMessageDigest" else _REFS.get(key, "reference") for key in refs}
        return self._record(refs, kinds)

    def _actions(self, event: RuntimeEvent, actions: Mapping[str, Any]) -> dict[str, Any]:
        """Keep the facts about tools and permissions; of the other actions, by name, that they were there."""
        kept: dict[str, Any] = {}
        state: dict[str, Any] = {}
        for key, value in actions.items():
            if key in _ACTIONS:
                kept[key] = value
            elif key == "toolDispatch":
                kept[key] = {**self._record(value, _DISPATCH), "canonicalArgsHash": self._args_hash(event, value)}
            elif key == "toolRecovery":
                kept[key] = {
                    "kind": value["kind"],
                    "version": value["version"],
                    "payload": self._record(value["payload"], _RECOVERY),
                }
            elif key == "permissionRequest" and value["kind"] == "tool_permission":
                kept[key] = self._record(value, _REQUEST)
            elif key == "permissionDecision":
                kept[key] = self._record(value, _DECISION)
            elif key == "stateDelta" and _is_call_state(event, value):
                state |= self._record(value, dict.fromkeys(value, "text"))
            elif key == "stateDelta" and _is_response_state(event, value):
                state["durationMs"] = _number(value["durationMs"])
            else:
                self._redactor.drop("actions", value)
                state["withheld"] = [*state.get("withheld", ()), key]
        return {**({"stateDelta": state} if state else {}), **kept}

    def _record(self, record: Mapping[str, Any], kinds: Mapping[str, str | None]) -> dict[str, Any]:
        return {key: self._replaced(kind, record[key]) for key, kind in kinds.items() if key in record}

    def _replaced(self, kind: str | None, value: Any) -> Any:
        hide = self._redactor
        if kind is None:
            return value
        if isinstance(value, list):
            return [self._replaced(kind, one) for one in value]
        if kind == "arguments":
            return hide.value(kind, value)
        if kind == "digest":
            return hide.digest(value)
        if kind == "tool":
            return hide.tool_name(value)
        return hide.text("details", value) if kind == "text" else hide.name(kind, value)

    def _args_hash(self, event: RuntimeEvent, fact: Mapping[str, Any]) -> str:
        """Return the digest of the replaced arguments where the old one was that of the call's; else a wrong one."""
        number = self._tools.find(event.invocation_id, fact["providerToolCallId"])
        index = 0 if number is None else self._tools.calls.call_at(number)
        call = self._event_at(index - 1) if index else None
        dispatch = event.actions.tool_dispatch if event.actions else None
        content = call.content if call is not None else None
        if call is not None and dispatch and isinstance(content, FunctionCall) and same_arguments(call, dispatch):
            args = plain_json(self._redactor.stand_in(bytes(content.args_json))).encode()
            digest = args_hash(self._redactor.tool_name(content.name), args)
            if digest is not None:
                return digest
        return self._redactor.digest(fact["canonicalArgsHash"])


def redact_header(header: RunHeader, redactor: Redactor) -> tuple[dict[str, Any], list[str]]:
    """Return a header without what it says, and the keys that were left out."""
    source = header_document(header)
    document: dict[str, Any] = {}
    for key, value in source.items():
        if key in _HEADER_IDS:
            document[key] = redactor.name(_HEADER_IDS[key], value)
        elif key in _HEADER_TEXTS:
            document[key] = redactor.text(_HEADER_TEXTS[key], value)
        elif key in _HEADER_KEPT:
            document[key] = _number(value)
    left_out = [key for key in source if key not in document]
    for key in left_out:
        redactor.drop("header", source[key])
    return document, left_out


def _is_call_state(event: RuntimeEvent, delta: Mapping[str, Any]) -> bool:
    """Whether a call may carry this state; what else it carries makes it no call (format: lanes)."""
    texts = all(isinstance(value, str) for value in delta.values())
    return isinstance(event.content, FunctionCall) and bool(delta) and _CALL_STATE.issuperset(delta) and texts


def _is_response_state(event: RuntimeEvent, delta: Mapping[str, Any]) -> bool:
    duration = delta.get("durationMs")
    number = isinstance(duration, int | float) and not isinstance(duration, bool) and abs(duration) < math.inf
    return isinstance(event.content, FunctionResponse) and len(delta) == 1 and number


def _number(value: Any) -> Any:
    """Return -0 as 0, which every writer of rows can write; anything else as it is."""
    return 0 if isinstance(value, float) and value == 0 else value
