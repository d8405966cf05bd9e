"""Small runs to write to: ids, a header, and events of every lane the store takes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from core.store.headers import AgentRunStore
from core.store.store import RuntimeEventStore

SESSION, RUN, TURN, INVOCATION = "sess-1", "run-1", "turn-1", "inv-1"
RUN_PATH = Path("sessions", SESSION, "runs", RUN)
LEDGER_PATH = RUN_PATH / "runtime-events.jsonl"


def header(**changes: Any) -> dict[str, Any]:
    """Return the header of the one run; a key set to None is left out."""
    document = {
        "runId": RUN,
        "invocationId": INVOCATION,
        "sessionId": SESSION,
        "turnId": TURN,
        "status": "running",
        "backendKind": "ai-sdk",
        "llmConnectionSlug": "conn",
        "modelId": "model",
        "cwd": "/w",
        "permissionMode": "ask",
        "createdAt": 1,
        "updatedAt": 2,
        **changes,
    }
    return {key: value for key, value in document.items() if value is not None}


def new_run(root: Path) -> Path:
    """Create the one run in a state root and return the path of its ledger, which does not exist yet."""
    AgentRunStore(root).create(header())
    return root / LEDGER_PATH


def append_all(root: Path, *events: dict[str, Any], **options: Any) -> RuntimeEventStore:
    """Append events to the one run through a new store and return the store."""
    store = RuntimeEventStore(root)
    for item in events:
        store.append(SESSION, RUN, item, **options)
    return store


def event(event_id: str, **keys: Any) -> dict[str, Any]:
    """Return an event of the one run; by default the user's text."""
    document = {
        "id": event_id,
        "invocationId": INVOCATION,
        "runId": RUN,
        "sessionId": SESSION,
        "turnId": TURN,
        "ts": 5,
        "partial": False,
        "role": "user",
        "author": "user",
        **keys,
    }
    return {key: value for key, value in document.items() if value is not None}


def text(event_id: str, said: str = "hello", **keys: Any) -> dict[str, Any]:
    """Return a text of the user."""
    return event(event_id, content={"kind": "text", "text": said}, **keys)


def call(event_id: str, call_id: str = "t", args: Any = None, **keys: Any) -> dict[str, Any]:
    """Return a tool call."""
    content = {"kind": "function_call", "id": call_id, "name": "Bash", "args": args}
    return event(
        event_id, **{"role": "model", "author": "agent", "content": content, "refs": {"toolCallId": call_id}, **keys}
    )


def response(event_id: str, call_id: str = "t", result: Any = "ok", **keys: Any) -> dict[str, Any]:
    """Return a tool result."""
    content = {"kind": "function_response", "id": call_id, "name": "Bash", "result": result}
    return event(
        event_id, **{"role": "tool", "author": "tool", "content": content, "refs": {"toolCallId": call_id}, **keys}
    )


def dispatch(
    event_id: str, call_id: str = "t", operation_id: str = "op-1", args: Any = None, **keys: Any
) -> dict[str, Any]:
    """Return the fact that a tool was about to start."""
    identity = json.dumps({"args": args, "toolName": "Bash"}, separators=(",", ":"), sort_keys=True)
    fact = {
        "protocol": "t1_after_preflight_v1",
        "operationId": operation_id,
        "providerToolCallId": call_id,
        "toolName": "Bash",
        "canonicalArgsHash": "sha256:" + hashlib.sha256(identity.encode()).hexdigest(),
        "recoveryMode": "never_auto_retry",
    }
    refs = {"operationId": operation_id, "toolCallId": call_id}
    return event(
        event_id, **{"role": "system", "author": "system", "actions": {"toolDispatch": fact}, "refs": refs, **keys}
    )


def reconcile(event_id: str, call_id: str = "t", operation_id: str = "op-1", **keys: Any) -> dict[str, Any]:
    """Return the fact that the world was looked at after a dispatch without a response."""
    payload = {
        "protocol": "tool_reconcile_v1",
        "operationId": operation_id,
        "observation": "matches_prior_state",
        "observationSchema": "state_identity_v1",
        "observationDigest": "sha256:" + "0" * 64,
    }
    fact = {"kind": "maka.tool.reconcile_result", "version": 1, "payload": payload}
    refs = {"operationId": operation_id, "toolCallId": call_id}
    return event(
        event_id, **{"role": "system", "author": "system", "actions": {"toolRecovery": fact}, "refs": refs, **keys}
    )


def terminal(event_id: str, status: str = "completed", **keys: Any) -> dict[str, Any]:
    """Return the event that ends the run."""
    return event(event_id, **{"role": "system", "author": "system", "status": status, **keys})


def delta(event_id: str, said: str, stream: str = "m1", **keys: Any) -> dict[str, Any]:
    """Return a piece of streamed text."""
    content = {"kind": "text", "text": said}
    base = {
        "partial": True,
        "role": "model",
        "author": "agent",
        "content": content,
        "refs": {"providerEventId": stream},
    }
    return event(event_id, **{**base, **keys})


def tree(root: Path) -> dict[str, bytes | None]:
    """Return every path below a folder with its bytes; None for folders."""
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None for path in sorted(root.rglob("*"))
    }
