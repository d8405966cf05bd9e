"""A whole workspace as a person might find it after a bad night: every verdict in it, and times that never change.

The snapshots and the pictures of the README are drawn from it.
"""

from __future__ import annotations

import hashlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.storage.stream_keys import document_stream_key

NOW_MS = datetime(2026, 11, 29, 14, 12, 44, tzinfo=UTC).timestamp() * 1000
"""When somebody looks at it."""

HOME = "/home/dev"
HARBOR = "/home/dev/projects/harbor"
MARK = {"runtimeProtocol": {"toolBoundary": "t1_after_preflight_v1"}}


def at(text: str) -> float:
    """Return `2026-11-29 12:00:21.704` as milliseconds since 1970."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000


class Book:
    """One run that is being written: each method adds an event, `save` writes the files."""

    def __init__(self, root: Path, session: str, run: str, start: str, **head: Any) -> None:
        self.folder = root / "sessions" / session / "runs" / run
        self.run = run
        self.ids = {"invocationId": f"inv-{run}", "runId": run, "sessionId": session, "turnId": f"turn-{run}"}
        self.now = at(start)
        self.rows: list[dict[str, Any]] = []
        self.head = {
            **self.ids,
            "status": "running",
            "backendKind": "ai-sdk",
            "llmConnectionSlug": "main",
            "modelId": "model-x",
            "cwd": HARBOR,
            "permissionMode": "ask",
            "createdAt": self.now,
            "updatedAt": self.now,
            **head,
        }

    def event(self, after: float = 0.0, **keys: Any) -> str:
        """Add an event `after` so many seconds and return its id."""
        self.now = round(self.now + after * 1000)
        name = f"{self.run}-e{len(self.rows) + 1:03d}"
        head = {"id": name, **self.ids, "ts": self.now, "partial": False, "role": "system", "author": "system"}
        self.rows.append({**head, **keys})
        return name

    def user(self, text: str, after: float = 0.0, **keys: Any) -> str:
        """Add what the user said."""
        return self.event(after, role="user", author="user", content={"kind": "text", "text": text}, **keys)

    def text(self, text: str, after: float = 0.0, kind: str = "text") -> str:
        """Add what the model said or thought."""
        return self.event(after, role="model", author="agent", content={"kind": kind, "text": text})

    def call(self, call_id: str, name: str, after: float = 0.0, **args: Any) -> str:
        """Add a tool call."""
        content = {"kind": "function_call", "id": call_id, "name": name, "args": args}
        return self.event(after, role="model", author="agent", content=content, refs={"toolCallId": call_id})

    def response(self, call_id: str, name: str, result: Any, after: float = 0.0, *, is_error: bool = False) -> str:
        """Add a tool's answer."""
        content = {"kind": "function_response", "id": call_id, "name": name, "result": result}
        content |= {"isError": True} if is_error else {}
        return self.event(after, role="tool", author="tool", content=content, refs={"toolCallId": call_id})

    def dispatch(self, call_id: str, name: str, args: dict[str, Any], after: float = 0.0) -> str:
        """Add the fact that a tool was about to start."""
        identity = json.dumps({"args": args, "toolName": name}, separators=(",", ":"), sort_keys=True)
        fact = {
            "protocol": "t1_after_preflight_v1",
            "operationId": f"op-{call_id}",
            "providerToolCallId": call_id,
            "toolName": name,
            "canonicalArgsHash": "sha256:" + hashlib.sha256(identity.encode()).hexdigest(),
            "recoveryMode": "reconcile",
        }
        refs = {"operationId": f"op-{call_id}", "toolCallId": call_id}
        return self.event(after, actions={"toolDispatch": fact}, refs=refs)

    def recovery(self, call_id: str, kind: str, after: float = 0.0, **payload: Any) -> str:
        """Add what was found or decided about a call after a crash."""
        fact = {"kind": kind, "version": 1, "payload": {**payload, "operationId": f"op-{call_id}"}}
        refs = {"operationId": f"op-{call_id}", "toolCallId": call_id}
        return self.event(after, actions={"toolRecovery": fact}, refs=refs)

    def ask(self, call_id: str, name: str, category: str, args: dict[str, Any], after: float = 0.0) -> str:
        """Add a request for permission."""
        request = {
            "kind": "tool_permission",
            "requestId": f"ask-{call_id}",
            "toolUseId": call_id,
            "toolName": name,
            "category": category,
            "reason": category.removesuffix("_send"),
            "args": args,
            "rememberForTurnAllowed": False,
        }
        return self.event(after, actions={"permissionRequest": request}, refs={"toolCallId": call_id})

    def allow(self, call_id: str, after: float = 0.0) -> str:
        """Add the user's permission."""
        decision = {"requestId": f"ask-{call_id}", "decision": "allow", "reviewer": "user"}
        return self.event(after, author="user", actions={"permissionDecision": decision}, refs={"toolCallId": call_id})

    def end(self, status: str = "completed", after: float = 0.0) -> str:
        """Add the terminal fact, in ledger and header."""
        self.head |= {"status": status, "completedAt": round(self.now + after * 1000)}
        return self.event(after, status=status, actions={"endInvocation": True})

    def heartbeat(self, call_id: str, ts: float) -> None:
        """Write a sign of life of a tool beside the ledger."""
        event = {
            "id": f"{self.run}-beat",
            **self.ids,
            "ts": ts,
            "partial": True,
            "role": "tool",
            "author": "tool",
            "refs": {"toolCallId": call_id},
        }
        snapshot = {"version": 1, "event": event, "afterEventId": self.rows[-1]["id"]}
        folder = self.folder / "runtime-partials"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{document_stream_key(event)}.partial").write_text(json.dumps(snapshot) + "\n", encoding="utf-8")

    def save(self, tail: bytes = b"", *, written_ms: float | None = None) -> None:
        """Write header and ledger, with `tail` after the last row, as of the last event or of `written_ms`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.head["updatedAt"] = self.now
        rows = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in self.rows)
        (self.folder / "runtime-events.jsonl").write_bytes(rows.encode() + tail)
        (self.folder / "run.json").write_text(json.dumps(self.head) + "\n", encoding="utf-8")
        stamp = (self.now if written_ms is None else written_ms) / 1000
        for path in self.folder.rglob("*"):
            os.utime(path, (stamp, stamp))


def name_session(root: Path, session: str, title: str) -> None:
    """Give a session its title."""
    folder = root / "sessions" / session
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "session.jsonl").write_text(json.dumps({"id": session, "name": title}) + "\n", encoding="utf-8")


def deploy_run(root: Path) -> None:
    """Write the run that the pictures show: its last call, a deployment, has no response."""
    book = Book(root, "sess-port", "run-7f3e", "2026-11-29 12:00:01.000")
    book.user("Deploy the fix for the port clash")
    book.text("The config says 3000 but the service listens on 4000; read it first.", 0.9, "thinking")
    book.call("toolu_01A1", "Read", 1.1, file_path="config.json")
    book.response("toolu_01A1", "Read", {"kind": "text", "text": "{\n" + '  "port": 4000,\n' * 76 + "}"}, 0.1)
    book.call("toolu_01B2", "Edit", 0.8, file_path="config.json", old_string="3000", new_string="4000")
    book.response("toolu_01B2", "Edit", {"error": "no match for old string"}, 0.2, is_error=True)
    book.text("The file already has 4000. Checking the tests before I deploy.", 1.4)
    book.call("toolu_01C5", "Bash", 0.3, command="npm test")
    book.response("toolu_01C5", "Bash", {"exitCode": 0, "stdout": "ok 1 - berth\n" * 480}, 14.2)
    book.text("Tests pass. Deploying now.", 1.3)
    args = {"command": "npm run deploy -- --prod"}
    book.call("toolu_01Q8", "Bash", 0.404, **args)
    book.ask("toolu_01Q8", "Bash", "network_send", args, 0.1)
    book.allow("toolu_01Q8", 2.4)
    book.heartbeat("toolu_01Q8", at("2026-11-29 12:00:26.900"))
    torn = json.dumps({"id": "run-7f3e-e014", **book.ids, "ts": book.now + 2000, "content": 0}, separators=(",", ":"))
    torn = torn.removesuffix("0}") + '{"kind":"function_response","id":"toolu_01Q8","na'
    book.save(torn.encode(), written_ms=at("2026-11-29 12:00:27.100"))


def calm_run(root: Path, session: str, run: str, start: str, events: int, tail: bytes = b"") -> None:
    """Write a run that ended well, with about so many events."""
    book = Book(root, session, run, start)
    book.user("Go on")
    for number in range(max(0, events - 3) // 2):
        book.call(f"t{number}", "Read", 0.1, file_path=f"src/{number}.ts")
        book.response(f"t{number}", "Read", "ok", 0.1)
    if events % 2 == 0:
        book.text("Almost done.", 0.1)
    book.text("Done.", 0.1)
    if tail:
        book.save(tail)
        return
    book.end("completed", 0.1)
    book.save()


def harbor_workspace(root: Path, calm: int = 14) -> Path:
    """Write the workspace under `root`, with so many runs that ended well, and return it."""
    titles = {
        "sess-port": "Fix the port clash",
        "sess-clean": "Clean the history",
        "sess-config": "Port config",
        "sess-berth": "Berth scheduler",
        "sess-schema": "Schema move",
        "sess-release": "Release 0.4",
        "sess-flaky": "Fix the flaky test",
    }
    for session, title in titles.items():
        name_session(root, session, title)
    deploy_run(root)
    _doubtful(root)
    _unsettled(root)
    sessions = list(titles)
    calm_run(
        root, "sess-flaky", "run-0002", "2026-11-26 18:02:00", 31, b'{"id":"run-0002-e032","invocationId":"inv-run'
    )
    for number in range(1, calm):
        day, hour, minute = 26 - number // 60, 17 - number % 60 // 10, 59 - number % 10 * 5
        start = f"2026-11-{day:02d} {hour:02d}:{minute:02d}:00"
        calm_run(root, sessions[number % len(sessions)], f"run-{0x3A00 + number:04x}", start, 4 + number * 7 % 23)
    return root


def _doubtful(root: Path) -> None:
    push = {"command": "git push --force"}
    book = Book(root, "sess-clean", "run-22c0", "2026-11-28 17:41:00", status="waiting_for_user")
    book.user("Clean the history and push it")
    book.call("toolu_02A1", "Bash", 1, **push)
    book.ask("toolu_02A1", "Bash", "git_destructive", push, 0.2)
    book.save()

    book = Book(root, "sess-config", "run-41d9", "2026-11-26 11:30:00")
    book.user("Move the port to the config")
    book.call("toolu_03A1", "Edit", 2, file_path="config.json", old_string="3000", new_string="4000")
    book.save()
    source = {
        "sourceInvocationId": "inv-run-41d9",
        "sourceRunId": "run-41d9",
        "sourceTurnId": "turn-run-41d9",
        "sourceRuntimeEventHighWater": 2,
    }
    book = Book(root, "sess-config", "run-41e0", "2026-11-26 11:52:00", continuationSource=source)
    book.user("Go on")
    book.text("The port is in the config.", 1)
    book.end("completed", 0.2)
    book.save()


def _unsettled(root: Path) -> None:
    book = Book(root, "sess-berth", "run-91aa", "2026-11-28 16:01:00", status="completed")
    book.user("Plan the berths")
    for number in range(5):
        book.text(f"Berth {number} is free.", 9)
    book.event(3, content={"kind": "hologram", "text": "?"})
    book.text("All planned.", 2)
    book.end("completed", 1)
    book.save()

    args = {"file_path": "schema.sql", "content": "create table berth (id integer);"}
    book = Book(root, "sess-schema", "run-0b7d", "2026-11-27 09:15:00")
    book.user("Move the schema", actions=MARK)
    evidence = [book.call("toolu_05A1", "Write", 1, **args), book.dispatch("toolu_05A1", "Write", args, 0.1)]
    found = {
        "observation": "diverged",
        "observationSchema": "state_identity_v1",
        "observationDigest": f"sha256:{'ab' * 32}",
    }
    evidence.append(
        book.recovery("toolu_05A1", "maka.tool.reconcile_result", 3600, protocol="tool_reconcile_v1", **found)
    )
    decided = {"disposition": "parked", "reasonCode": "reconcile_diverged", "evidenceEventIds": evidence}
    book.recovery("toolu_05A1", "maka.tool.recovery_decision", 1, protocol="tool_recovery_v1", **decided)
    book.save()

    book = Book(root, "sess-release", "run-5e11", "2026-11-27 08:50:00")
    book.user("Publish 0.4", actions=MARK)
    book.call("toolu_06A1", "Bash", 1, command="npm publish")
    book.save()

    book = Book(root, "sess-schema", "run-0b61", "2026-11-27 08:02:00")
    book.user("Dump the schema", actions=MARK)
    dump = {"command": "pg_dump harbor"}
    book.call("toolu_07A1", "Bash", 1, **dump)
    book.dispatch("toolu_07A1", "Bash", {"command": "pg_dump port"}, 0.1)
    book.save()

    book = Book(root, "sess-port", "run-7f40", "2026-11-29 14:12:20")
    book.user("Run the tests again")
    book.call("toolu_08A1", "Bash", 2, command="npm test")
    book.save(written_ms=NOW_MS - 14_000)
