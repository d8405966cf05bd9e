"""Small runs in every state that a screen must be able to show, written as a crashed runtime would have left them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from core import Run, open_workspace
from tests.support.runs import SESSION, call, dispatch, event, header, response, terminal, text
from tests.support.workspaces import make_run

STARTED: Final = datetime(2026, 11, 29, 12, 0, tzinfo=UTC).timestamp() * 1000
"""Noon, in milliseconds since 1970: about when every sample begins."""

NOW: Final = STARTED + 2 * 3_600_000 + 60_000
"""The clock of the screens: two hours later."""

PLACE: Final = "default"
TITLE: Final = "Fix the port clash"

Rows = list[dict[str, Any]]


def at(seconds: float) -> float:
    """Return a time after the start."""
    return STARTED + seconds * 1000


def header_of(**changes: Any) -> dict[str, Any]:
    """Return the header of a sample."""
    return header(
        **{
            "cwd": "/home/dev/projects/harbor",
            "modelId": "model-x",
            "createdAt": STARTED,
            "updatedAt": STARTED,
            "invocationId": "inv-1",
            **changes,
        }
    )


def tool(event_id: str, seconds: float, call_id: str, name: str, args: Any, **keys: Any) -> dict[str, Any]:
    """Return a call of any tool."""
    content = {"kind": "function_call", "id": call_id, "name": name, "args": args}
    return call(event_id, call_id, ts=at(seconds), content=content, **keys)


def answer(event_id: str, seconds: float, call_id: str, name: str, result: Any, **keys: Any) -> dict[str, Any]:
    """Return the response to a call of any tool; `isError` makes it an error."""
    content = {"kind": "function_response", "id": call_id, "name": name, "result": result}
    if keys.pop("isError", False):
        content["isError"] = True
    return response(event_id, call_id, ts=at(seconds), content=content, **keys)


def said(event_id: str, seconds: float, words: str, **keys: Any) -> dict[str, Any]:
    """Return a text of the model."""
    return text(event_id, words, ts=at(seconds), **{"role": "model", "author": "agent", **keys})


def asked(event_id: str, seconds: float, call_id: str) -> dict[str, Any]:
    """Return a request for permission."""
    request = {
        "kind": "tool_permission", "requestId": "perm-1", "toolUseId": call_id, "toolName": "Bash",
        "category": "network_send", "reason": "network", "args": {}, "rememberForTurnAllowed": False,
    }  # fmt: skip
    return event(event_id, ts=at(seconds), role="system", author="system", actions={"permissionRequest": request})


def allowed(event_id: str, seconds: float) -> dict[str, Any]:
    """Return the answer to it."""
    decision = {"requestId": "perm-1", "decision": "allow", "reviewer": "user"}
    return event(event_id, ts=at(seconds), role="user", author="user", actions={"permissionDecision": decision})


def settled_rows() -> Rows:
    """Return ten events with three settled calls, one of which failed."""
    thought = {
        "kind": "thinking",
        "text": "The config says 3000 but the service wants 4000, so one of them must change",
    }
    return [
        text("e1", "Deploy the fix for the port clash", ts=at(1.0)),
        event("e2", ts=at(1.9), role="model", author="agent", content=thought),
        tool("e3", 3.0, "toolu_01A1", "Read", {"file_path": "config.json"}),
        answer("e4", 3.1, "toolu_01A1", "Read", "x" * 1200),
        tool("e5", 3.9, "toolu_01B2", "Edit", {"file_path": "config.json", "old": "3000", "new": "4000"}),
        answer("e6", 4.1, "toolu_01B2", "Edit", {"error": "no match for old"}, isError=True),
        said("e7", 5.5, "The file already has 4000. Checking that the tests agree."),
        tool("e8", 5.8, "toolu_01C4", "Bash", {"command": "npm test"}),
        answer("e9", 20.0, "toolu_01C4", "Bash", {"exitCode": 0, "output": "y" * 6400}),
        said("e10", 21.3, "Tests pass. Deploying now."),
    ]


def open_rows() -> Rows:
    """Return thirteen events, the last call of which was never answered."""
    return [
        *settled_rows(),
        tool("e11", 21.704, "toolu_01Q8", "Bash", {"command": "npm run deploy -- --prod"}),
        asked("e12", 21.8, "toolu_01Q8"),
        allowed("e13", 24.2),
    ]


def write_sample(
    root: Path,
    rows: Rows | None,
    *,
    tail: bytes = b"",
    head: dict[str, Any] | None = None,
    written: float | None = None,
) -> Path:
    """Write a sample, all files of it last written at `written` (milliseconds), and return its folder."""
    folder = make_run(root, rows, tail=tail, head=head or header_of())
    touch(root, at(27) if written is None else written)
    return folder


def touch(root: Path, written: float) -> None:
    """Set the time of everything below a folder."""
    for path in sorted(root.rglob("*"), reverse=True):
        os.utime(path, (written / 1000, written / 1000))


def may_have_run(root: Path) -> None:
    """Leave an unanswered call, a torn row that begins like its response, and a sign of life beside it."""
    torn = json.dumps(answer("e14", 27, "toolu_01Q8", "Bash", {"exitCode": 0}), separators=(",", ":")).encode()
    folder = write_sample(root, open_rows(), tail=torn[: torn.index(b'"exitCode"')])
    beat = event("hb", ts=at(26.9), partial=True, role="tool", author="tool", refs={"toolCallId": "toolu_01Q8"})
    partials = folder / "runtime-partials"
    partials.mkdir()
    first = json.dumps({"version": 1, "event": beat, "afterEventId": "e13"})
    (partials / "heartbeat.partial").write_text(first + "\n")
    touch(root, at(27))


def replayable(root: Path) -> None:
    """Answer every call, and end the run."""
    write_sample(root, [*settled_rows(), terminal("e11", ts=at(22))], head=header_of(status="completed"))


def failed_only(root: Path) -> None:
    """Let the one call fail: nothing is in doubt."""
    write_sample(root, settled_rows()[4:6])


def not_dispatched(root: Path) -> None:
    """Leave a call that by the run's protocol had not started."""
    marker = {"runtimeProtocol": {"toolBoundary": "t1_after_preflight_v1"}}
    first = text("e1", "Publish it", ts=at(1), actions=marker)
    write_sample(root, [first, tool("e2", 2, "toolu_01", "Bash", {"command": "npm publish"})])


def parked(root: Path) -> None:
    """Observe the target after the crash, and let nobody decide."""
    marker = {"runtimeProtocol": {"toolBoundary": "t1_after_preflight_v1"}}
    args = {"file_path": "schema.sql"}
    started = dispatch("e3", "toolu_01", args=args, ts=at(2.1))
    started["actions"]["toolDispatch"]["recoveryMode"] = "reconcile"
    rows = [
        text("e1", "Change the schema", ts=at(1), actions=marker),
        tool("e2", 2, "toolu_01", "Bash", args),
        started,
        recovery("e4", 400, "maka.tool.reconcile_result", protocol="tool_reconcile_v1", observation="diverged",
                 observationSchema="state_identity_v1", observationDigest=f"sha256:{'0' * 64}"),
        recovery("e5", 401, "maka.tool.recovery_decision", protocol="tool_recovery_v1", disposition="parked",
                 reasonCode="reconcile_diverged", evidenceEventIds=["e2", "e3", "e4"]),
    ]  # fmt: skip
    write_sample(root, rows)


def recovery(event_id: str, seconds: float, kind: str, **payload: Any) -> dict[str, Any]:
    """Return a fact that was written after a crash about the operation `op-1`."""
    fact = {"kind": kind, "version": 1, "payload": {"operationId": "op-1", **payload}}
    refs = {"operationId": "op-1", "toolCallId": "toolu_01"}
    return event(event_id, ts=at(seconds), role="system", author="system", actions={"toolRecovery": fact}, refs=refs)


def contradictory(root: Path) -> None:
    """Write a call twice, and a response of which no call is recorded."""
    rows = [
        *settled_rows()[:4],
        tool("e5", 5, "toolu_02", "Bash", {"command": "npm run migrate"}),
        tool("e6", 6, "toolu_02", "Bash", {"command": "npm run migrate"}),
        answer("e7", 9, "toolu_09", "Write", "ok"),
    ]
    write_sample(root, rows)


def torn(root: Path) -> None:
    """Settle everything, and never finish a last row."""
    tail = json.dumps(said("e11", 22, "All is well and"), separators=(",", ":")).encode()[:-30]
    write_sample(root, settled_rows(), tail=tail)


def unreadable(root: Path) -> None:
    """Write a row of a kind that nobody knows, after an open call, and good rows behind it."""
    bad = said("e7", 6, "x")
    bad["content"]["kind"] = "hologram"
    rows = [*settled_rows()[:5], bad, said("e8", 7, "Still here"), answer("e9", 9, "toolu_01B2", "Edit", "ok")]
    write_sample(root, rows)


def header_missing(root: Path) -> None:
    """Write good rows, of which nobody knows whose they are."""
    folder = write_sample(root, settled_rows())
    (folder / "run.json").unlink()


def stale(root: Path) -> None:
    """Put a database beside the files: Maka no longer reads them."""
    write_sample(root, open_rows())
    (root / "runtime.sqlite").write_bytes(b"")


def live(root: Path) -> None:
    """Let the last write be fourteen seconds old, by the clock of the screens."""
    write_sample(root, open_rows(), written=NOW - 14_000)


def disagreeing(root: Path) -> None:
    """Let the header say that the run ended, and the ledger not."""
    write_sample(root, open_rows(), head=header_of(status="completed"))


def nested(root: Path) -> None:
    """Let a tool call tools: one of these calls was never answered."""
    hidden = {"modelVisibility": "hidden", "origin": "code_mode"}
    refs = {"refs": {"toolCallId": "in-1", "parentToolCallId": "toolu_01"}}
    more = {"refs": {"toolCallId": "in-2", "parentToolCallId": "toolu_01"}}
    rows = [
        text("e1", "Run the plan", ts=at(1)),
        tool("e2", 2, "toolu_01", "CodeMode", {"code": "read(); push();"}),
        tool("e3", 3, "in-1", "Read", {"file_path": "plan.md"}, **hidden, **refs),
        answer("e4", 4, "in-1", "Read", "ok", **hidden, **refs),
        tool("e5", 5, "in-2", "Bash", {"command": "git push --force"}, **hidden, **more),
    ]
    write_sample(root, rows)


HOSTILE: Final = "\x1b]0;PWNED\x07[bold]x[/bold] [@click=app.quit]q[/] \u202etxt.exe\u200b $doubt {0}"


def hostile(root: Path) -> None:
    """Let every word attack the terminal or the toolkit."""
    head = header_of(cwd=f"/tmp/{HOSTILE}", modelId=HOSTILE)
    rows = [
        text("e1", HOSTILE, ts=at(1)),
        tool(
            "e2",
            2,
            f"id{HOSTILE}",
            f"Bash{HOSTILE}",
            {"command": f"rm {HOSTILE}\nsecond \x9b2J line", HOSTILE: [HOSTILE]},
        ),
        event("e3", ts=at(3), role="model", author="agent", content={"kind": "error", "message": HOSTILE}),
        text("e4", "表示テスト 👩‍👩‍👧 e\u0301\u0301\u0301\u0301\u0301", ts=at(4)),
    ]
    write_sample(root, rows, tail=f'{{"id":"{HOSTILE}'.encode("utf-8", "surrogatepass"), head=head)


def long(root: Path) -> None:
    """Write five thousand events; two calls are open, one of them far from the end."""
    rows = [text("e0", "Walk through all of it", ts=at(0))]
    for number in range(1, 2500):
        rows.append(tool(f"c{number}", number, f"t{number}", "Read", {"file_path": f"src/part-{number}.py"}))
        if number not in (1200, 2499):
            rows.append(answer(f"r{number}", number + 0.5, f"t{number}", "Read", "x" * (number % 50)))
    rows += [said(f"s{number}", 2600 + number, f"Thinking about part {number}.") for number in range(3)]
    write_sample(root, rows)


def empty(root: Path) -> None:
    """Create a run that wrote nothing."""
    write_sample(root, [], head=header_of(status="created"))


def open_sample(root: Path) -> Run:
    """Open the one run that was written, by its session: the root itself may hold a database."""
    return open_workspace(root / "sessions" / SESSION).runs()[0]


SAMPLES: Final[dict[str, Callable[[Path], None]]] = {
    sample.__name__: sample
    for sample in (
        may_have_run, replayable, failed_only, not_dispatched, parked, contradictory, torn, unreadable, header_missing,
        stale, live, disagreeing, nested, empty, hostile, long,
    )
}  # fmt: skip
"""Every sample by its name."""
