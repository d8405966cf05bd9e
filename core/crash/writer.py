"""What the process that is killed does: it writes step by step, says so after each, and waits for its end.

A step is a JSON object, made by one of the functions here and carried out by `write_until_killed` in the other process.
Events and headers go through the store. What the store refuses on purpose, the rows of a damaged ledger and of files
that it does not own, is put into the files as it is; only demonstrations need that.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ..store.append import append_jsonl
from ..store.store import AgentRunStore, RuntimeEventStore

Step = dict[str, Any]

READY: Final = b"READY\n"
"""What the process says when every step has returned."""


def create(header: Mapping[str, Any]) -> Step:
    """Create a run."""
    return {"do": "create", "header": dict(header)}


def update(session_id: str, run_id: str, changes: Mapping[str, Any]) -> Step:
    """Change a run's header."""
    return {"do": "update", "sessionId": session_id, "runId": run_id, "changes": dict(changes)}


def append(event: Mapping[str, Any], *, tool_facts: bool = False) -> Step:
    """Append an event; with `tool_facts` also one that belongs to a later phase's writer."""
    return {"do": "append", "event": dict(event), "toolFacts": tool_facts}


def finish(event: Mapping[str, Any]) -> Step:
    """Append the run's terminal event, durably."""
    return {"do": "finish", "event": dict(event)}


def add_rows(path: str, text: str) -> Step:
    """Add whole rows to a JSONL file; `path` is relative to the state root."""
    return {"do": "rows", "path": path, "text": text}


def add_bytes(path: str, text: str) -> Step:
    """Add bytes to a file without looking at them, as a write that is cut off leaves them."""
    return {"do": "bytes", "path": path, "text": text}


def wait() -> Step:
    """Wait for the other side's word, `ChildProcess.go_on`."""
    return {"do": "wait"}


def write_until_killed(task: Mapping[str, Any]) -> None:
    """Carry out the steps of a task, then wait until the other side of standard input closes.

    Whoever gets so far, or fails on the way, leaves the marker; a process that is killed does not.

    Args:
        task: `root`, the state root; `marker`, a path; `steps`.

    """
    try:
        writer = _Writer(Path(task["root"]))
        for number, step in enumerate(task["steps"], start=1):
            writer.take(step)
            _say(b"%d\n" % number)
        _say(READY)
        sys.stdin.buffer.read()
    finally:
        Path(task["marker"]).write_bytes(b"reached\n")


def _say(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


class _Writer:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._headers = AgentRunStore(root)
        self._events = RuntimeEventStore(root)

    def take(self, step: Step) -> None:
        """Carry out one step."""
        if "event" in step:
            self._write_event(step)
        elif step["do"] == "create":
            self._headers.create(step["header"])
        elif step["do"] == "update":
            self._headers.update(step["sessionId"], step["runId"], step["changes"])
        elif step["do"] == "wait":
            if not sys.stdin.buffer.readline():
                raise SystemExit("nobody is there any more")
        else:
            self._write_text(step)

    def _write_event(self, step: Step) -> None:
        event = step["event"]
        session_id, run_id = event["sessionId"], event["runId"]
        if step["do"] == "finish":
            self._events.ensure_terminal_durable(session_id, run_id, event)
        else:
            self._events.append(session_id, run_id, event, allow_durable_tool_facts=step["toolFacts"])

    def _write_text(self, step: Step) -> None:
        path = self._root / step["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        if step["do"] == "rows":
            append_jsonl(path, step["text"])
            return
        with path.open("ab") as file:
            file.write(step["text"].encode())
