"""The run that the harness crashes: what is committed at each failpoint, and what must be decided about it.

The expectations are written down here, not computed by what they are to test (contract: Required decisions).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from ..decision.failpoints import CommittedPrefix, Failpoint
from ..decision.resume import ResumePlan
from ..records.codec import decode_event, encode_event
from ..records.events import FunctionCall, FunctionResponse, RuntimeEvent
from .writer import Step, append, create, finish, update

Document = dict[str, Any]

_STARTED_MS: Final = 1_784_372_400_000
_COMMAND: Final = "grep -rl berth_max . | xargs sed -i s/berth_max/max_berths/g"
_LENGTHS: Final = {
    CommittedPrefix.BEFORE_FUNCTION_CALL: 3,
    CommittedPrefix.AFTER_FUNCTION_CALL: 4,
    CommittedPrefix.AFTER_FUNCTION_RESPONSE: 5,
    CommittedPrefix.AFTER_TERMINAL_EVENT: 6,
}
_TOOL_FAILED: Final = frozenset({"P6", "P8", "P10"})
"""Failpoints whose tool returned an error: the prefix is the same, the operation is `failed`."""

_HEADER_ENDED: Final = frozenset({"P10", "P11"})
"""Failpoints that come after the commit of the terminal header."""


class Decision(Struct, frozen=True):
    """The part of a plan that the contract's table speaks of."""

    disposition: str
    statuses: tuple[str, ...] = ()
    """Of the operations, in order."""
    reasons: tuple[str, ...] = ()
    replayed: tuple[str, ...] = ()
    """Ids of the events with a call or a response that the provider would be shown."""

    def __str__(self) -> str:
        """Say it in one line; `replays 2` counts calls and responses."""
        counts = [f"{self.statuses.count(status)} {status}" for status in dict.fromkeys(self.statuses)]
        shown = f"replays {len(self.replayed)}" if self.statuses else "no operation"
        return ", ".join((self.disposition, *counts, *self.reasons, shown))


class Prefix(Struct, frozen=True):
    """A run as it is committed when the crash comes."""

    session_id: str
    run_id: str
    steps: tuple[Step, ...]
    """What writes it."""
    events: tuple[Document, ...]
    expected: Decision

    @property
    def rows(self) -> bytes:
        """The bytes that its ledger must hold."""
        return b"".join(map(row_of, self.events))


def row_of(event: Document) -> bytes:
    """Return the row that the store writes for an event, its line feed included."""
    return encode_event(decode_event(event)) + b"\n"


def decision_of(plan: ResumePlan, events: Sequence[RuntimeEvent]) -> Decision:
    """Return what a plan says of these events, as far as the table goes."""
    tool_events = {event.id for event in events if isinstance(event.content, FunctionCall | FunctionResponse)}
    return Decision(
        disposition=str(plan.disposition),
        statuses=tuple(str(operation.status) for operation in plan.operations),
        reasons=tuple(plan.rejection_reasons),
        replayed=tuple(event_id for event_id in plan.replay.event_ids() if event_id in tool_events),
    )


def crash_prefix(failpoint: Failpoint, session_id: str) -> Prefix:
    """Return the run that is committed when a crash falls at a failpoint, in a session of that id."""
    run_id = f"run-{failpoint.id}"
    header = run_header(session_id, run_id, _STARTED_MS)
    failed = failpoint.id in _TOOL_FAILED
    events = _events(header, failed=failed)[: _LENGTHS[failpoint.committed_prefix]]
    steps = [create(header), *(finish(event) if "status" in event else append(event) for event in events)]
    if failpoint.id in _HEADER_ENDED:
        ended = _STARTED_MS + 4000
        changes = {"status": "failed", "updatedAt": ended, "completedAt": ended, "failureClass": "process_crash"}
        steps.append(update(session_id, run_id, changes))
    expected = _expected(failpoint.committed_prefix, failed, [event["id"] for event in events])
    return Prefix(session_id, run_id, tuple(steps), tuple(events), expected)


def run_header(session_id: str, run_id: str, started_ms: int) -> Document:
    """Return the header of a run that is under way."""
    return {
        "runId": run_id,
        "invocationId": f"inv-{run_id}",
        "sessionId": session_id,
        "turnId": f"turn-{run_id}",
        "status": "running",
        "backendKind": "fake",
        "llmConnectionSlug": "crash-test",
        "modelId": "crash-test",
        "cwd": "/home/dev/projects/harbor",
        "permissionMode": "ask",
        "createdAt": started_ms,
        "updatedAt": started_ms,
    }


def run_event(header: Document, number: int, **keys: Any) -> Document:
    """Return the event of that 1-based number in the run of a header."""
    return {
        "id": f"{header['runId']}-e{number:03d}",
        "invocationId": header["invocationId"],
        "runId": header["runId"],
        "sessionId": header["sessionId"],
        "turnId": header["turnId"],
        "ts": header["createdAt"] + 137 * number,
        "partial": False,
        **keys,
    }


def call_event(header: Document, number: int, call_id: str, name: str, args: Document) -> Document:
    """Return a tool call."""
    content = {"kind": "function_call", "id": call_id, "name": name, "args": args}
    return run_event(header, number, role="model", author="agent", content=content, refs={"toolCallId": call_id})


def response_event(
    header: Document, number: int, call_id: str, name: str, result: Any, *, failed: bool = False
) -> Document:
    """Return a tool's response."""
    content = {"kind": "function_response", "id": call_id, "name": name, "result": result}
    if failed:
        content["isError"] = True
    return run_event(header, number, role="tool", author="tool", content=content, refs={"toolCallId": call_id})


def _events(header: Document, *, failed: bool) -> list[Document]:
    said = {"kind": "text", "text": "Rename the config key berth_max to max_berths everywhere."}
    thought = {"kind": "thinking", "text": "One pass over the tree, then the tests."}
    step = {"providerEventId": "step-1"}
    result = {"exitCode": 1 if failed else 0, "stdout": "", "stderr": "sed: no such file" if failed else ""}
    return [
        run_event(header, 1, role="user", author="user", content=said),
        run_event(header, 2, role="model", author="agent", content=thought, refs=step),
        run_event(header, 3, role="model", author="agent", content={"kind": "text", "text": "Renaming."}, refs=step),
        call_event(header, 4, "toolu_1", "Bash", {"command": _COMMAND}),
        response_event(header, 5, "toolu_1", "Bash", result, failed=failed),
        run_event(
            header, 6, role="system", author="system", status="failed", actions={"endInvocation": True}
        ),
    ]  # fmt: skip


def _expected(prefix: CommittedPrefix, failed: bool, ids: Sequence[str]) -> Decision:
    if prefix is CommittedPrefix.BEFORE_FUNCTION_CALL:
        return Decision("safe_replay")
    if prefix is CommittedPrefix.AFTER_FUNCTION_CALL:
        return Decision("blocked", ("indeterminate",), ("dangling_tool_state",))
    return Decision("safe_replay", ("failed" if failed else "succeeded",), (), tuple(ids[3:5]))
