"""The pen that writes the demonstration's runs: each call adds one step for the child that will be killed.

Times are the story's own, `2026-11-29 12:00:01.000` in UTC, moved as a whole to where the caller wants its end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from ..crash.writer import Step, add_bytes, add_rows, append, create, finish, update
from ..records.args_identity import args_hash
from ..records.codec import decode_event, encode_event
from ..storage.layout import LEDGER, RUNS, SESSIONS

HARBOR: Final = "/home/dev/projects/harbor"
PROTOCOL: Final = {"runtimeProtocol": {"toolBoundary": "t1_after_preflight_v1"}}

Document = dict[str, Any]


def story_ms(text: str) -> int:
    """Return a time of the story as milliseconds since 1970."""
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


class Pen:
    """Writes one run. Every method that adds an event moves the run's clock by `after` seconds first."""

    def __init__(self, session_id: str, run_id: str, start: str, shift_ms: int, **header: Any) -> None:
        self.session_id = session_id
        self.run_id = run_id
        self.folder = f"{SESSIONS}/{session_id}/{RUNS}/{run_id}"
        self.now = story_ms(start) + shift_ms
        self.count = 0
        self.ids = {
            "invocationId": f"inv-{run_id}", "runId": run_id, "sessionId": session_id, "turnId": f"turn-{run_id}",
        }  # fmt: skip
        self.header: Document = {
            **self.ids,
            "status": "running",
            "backendKind": "ai-sdk",
            "llmConnectionSlug": "main",
            "modelId": "model-x",
            "cwd": HARBOR,
            "permissionMode": "ask",
            "createdAt": self.now,
            "updatedAt": self.now,
            **header,
        }
        self.steps: list[Step] = [create(self.header)]
        self._trace: list[Document] = []

    def next_event(self, after: float, role: str, author: str, **keys: Any) -> Document:
        """Return the next event without writing it."""
        self.now = round(self.now + after * 1000)
        self.count += 1
        name = f"{self.run_id}-e{self.count:03d}"
        given = {key: value for key, value in keys.items() if value is not None}
        return {"id": name, **self.ids, "ts": self.now, "partial": False, "role": role, "author": author, **given}

    def write(self, event: Document, *, tool_facts: bool = False) -> str:
        """Append an event through the store and return its id."""
        self.steps.append(append(event, tool_facts=tool_facts))
        return str(event["id"])

    def user(self, text: str, after: float = 0.0, actions: Document | None = None) -> str:
        """Write what the user said."""
        return self.write(self.next_event(after, "user", "user", content=_text(text), actions=actions))

    def think(self, text: str, after: float) -> str:
        """Write what the model thought."""
        content = {"kind": "thinking", "text": text, "signature": "c2lnbmVk"}
        return self.write(self.next_event(after, "model", "agent", content=content, refs=self._message()))

    def say(self, text: str, after: float) -> str:
        """Write what the model said."""
        return self.write(self.next_event(after, "model", "agent", content=_text(text), refs=self._message()))

    def call(self, call_id: str, name: str, after: float, operation: str | None = None, **args: Any) -> str:
        """Write a tool call."""
        content = {"kind": "function_call", "id": call_id, "name": name, "args": args}
        refs = _refs(call_id, operation)
        return self.write(self.next_event(after, "model", "agent", content=content, refs=refs))

    def answer(self, call_id: str, name: str, after: float, result: Any, operation: str | None = None) -> str:
        """Write a tool's response; a result with an `error` is one."""
        event = self.answer_event(call_id, name, after, result, operation)
        return self.write(event, tool_facts=operation is not None)

    def answer_event(
        self, call_id: str, name: str, after: float, result: Any, operation: str | None = None
    ) -> Document:
        """Return a tool's response without writing it."""
        content = {"kind": "function_response", "id": call_id, "name": name, "result": result}
        if isinstance(result, Mapping) and ("error" in result or result.get("exitCode", 0) != 0):
            content["isError"] = True
        actions = {"stateDelta": {"durationMs": round(after * 1000)}}
        refs = _refs(call_id, operation)
        return self.next_event(after, "tool", "tool", content=content, actions=actions, refs=refs)

    def use(self, call_id: str, name: str, seconds: float, result: Any, **args: Any) -> None:
        """Write a tool call and its response."""
        self.call(call_id, name, 0.6, **args)
        self.answer(call_id, name, seconds, result)

    def ask(self, call_id: str, name: str, category: str, reason: str, after: float, **args: Any) -> str:
        """Write the question whether a tool may run."""
        request = {
            "kind": "tool_permission",
            "requestId": f"ask-{call_id}",
            "toolUseId": call_id,
            "toolName": name,
            "category": category,
            "reason": reason,
            "args": args,
            "rememberForTurnAllowed": False,
        }
        event = self.next_event(after, "system", "system", actions={"permissionRequest": request}, refs=_refs(call_id))
        return self.write(event)

    def allow(self, call_id: str, after: float) -> str:
        """Write the user's permission."""
        decision = {"requestId": f"ask-{call_id}", "decision": "allow", "reviewer": "user"}
        event = self.next_event(after, "system", "user", actions={"permissionDecision": decision}, refs=_refs(call_id))
        return self.write(event)

    def dispatch(self, call_id: str, name: str, operation: str, after: float, **args: Any) -> str:
        """Write the later phase's fact that a tool was about to start."""
        fact = {
            "protocol": "t1_after_preflight_v1",
            "operationId": operation,
            "providerToolCallId": call_id,
            "toolName": name,
            "canonicalArgsHash": args_hash(name, json.dumps(args).encode()),
            "recoveryMode": "reconcile",
        }
        return self._fact({"toolDispatch": fact}, call_id, operation, after)

    def recovery(self, kind: str, call_id: str, operation: str, after: float, **payload: Any) -> str:
        """Write the later phase's fact of what was observed, or decided, about a call after a crash."""
        fact = {"kind": f"maka.tool.{kind}", "version": 1, "payload": {**payload, "operationId": operation}}
        return self._fact({"toolRecovery": fact}, call_id, operation, after)

    def tokens(self, used: int, written: int, after: float = 0.05) -> str:
        """Write how many tokens a step took."""
        usage = {"input": used, "output": written, "total": used + written, "runtimeSteps": 1}
        return self.write(self.next_event(after, "system", "system", actions={"tokenUsage": usage}))

    def heartbeat(self, call_id: str, after: float) -> None:
        """Write a sign of life of a tool, which lies beside the ledger."""
        event = self.next_event(after, "tool", "tool", refs=_refs(call_id))
        self.count -= 1
        self.steps.append(append({**event, "id": f"{self.run_id}-beat", "partial": True}))

    def end(self, after: float, status: str = "completed") -> None:
        """Write the terminal fact and the terminal header."""
        self.steps.append(
            finish(self.next_event(after, "system", "system", status=status, actions={"endInvocation": True}))
        )
        self.end_header(status)

    def end_header(self, status: str) -> None:
        """Write the terminal header alone."""
        self.change_header(status=status, completedAt=self.now + 3)

    def change_header(self, **changes: Any) -> None:
        """Change the header."""
        self.now += 3
        self.steps.append(update(self.session_id, self.run_id, {**changes, "updatedAt": self.now}))

    def tear(self, event: Document, length: int) -> None:
        """Write so many bytes of an event's row, as a process leaves them that dies inside its append."""
        row = encode_event(decode_event(event))[:length]
        self.steps.append(add_bytes(f"{self.folder}/{LEDGER}", row.decode()))

    def force(self, *events: Document) -> None:
        """Write rows that the store would refuse."""
        rows = "".join(json.dumps(event, separators=(",", ":"), sort_keys=True) + "\n" for event in events)
        self.steps.append(add_rows(f"{self.folder}/{LEDGER}", rows))

    def trace(self, kind: str, **data: Any) -> None:
        """Write a record of the operational trace, which lies beside the ledger."""
        number = sum(step["do"] == "rows" for step in self.steps) + 1
        ids = {key: self.ids[key] for key in ("runId", "sessionId", "turnId")}
        record = {"type": kind, "id": f"{self.run_id}-op{number:02d}", **ids, "ts": self.now}
        record |= {"data": data} if data else {}
        text = json.dumps(record, separators=(",", ":")) + "\n"
        self.steps.append(add_rows(f"{self.folder}/events.jsonl", text))

    def _fact(self, actions: Document, call_id: str, operation: str, after: float) -> str:
        event = self.next_event(after, "system", "system", actions=actions, refs=_refs(call_id, operation))
        return self.write(event, tool_facts=True)

    def _message(self) -> Document:
        return {"providerEventId": f"msg-{self.count + 1}"}


def terminal(command: str, stdout: str, exit_code: int = 0) -> Document:
    """Return what a shell command gives back."""
    output = {"mode": "pipes", "stdout": stdout, "stderr": "", "stdoutTruncated": False, "stderrTruncated": False}
    status = "failed" if exit_code else "completed"
    return {
        "kind": "terminal", "cwd": HARBOR, "cmd": command, "status": status, "exitCode": exit_code, "output": output,
    }  # fmt: skip


def shown(text: str) -> Document:
    """Return what a tool that reads gives back."""
    return {"kind": "text", "text": text}


def _text(text: str) -> Document:
    return {"kind": "text", "text": text}


def _refs(call_id: str, operation: str | None = None) -> Document:
    return {"toolCallId": call_id, **({"operationId": operation} if operation else {})}
