"""Limits: what is far larger, deeper or more than anything real, in bounded memory and without a hang."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tests.support.runs import call, dispatch, event, header, response, text
from tests.support.workspaces import make_run
from tests.torture.commands import REPO, Answer
from tests.torture.outcome import Outcome

Builder = Callable[[Path, int], None]
MEMORY: Final = 3 << 30
"""Bytes of address space that a command may take."""
_SECONDS: Final = 600.0


def run(cases: int, seed: int, progress: Callable[[int], None] = lambda done: None) -> Outcome:
    """Ask about each monster; `cases` is how large they are, in per mille of full size."""
    outcome = Outcome("limits")
    for number, (name, (build, codes)) in enumerate(MONSTERS.items()):
        work = Path(tempfile.mkdtemp(prefix="torture-limits-"))
        try:
            build(work / "w", max(1, cases))
            for words in (["check", str(work / "w")], ["plan", str(work / "w"), "--json"]):
                answer, took = ask_bounded(work, words)
                outcome.cases += 1
                # A workspace of many runs has no single plan: that is a usage error, and an answer.
                expected = codes if words[0] == "check" else (*codes, 2)
                for law in answer.broken_laws(expected):
                    outcome.fail(f"limits {name} {words[0]}", law)
                if took:
                    figures = f"{took['seconds']:.1f} s, {took['megabytes']:,} MB, {len(answer.out) >> 10:,} KB said"
                    outcome.notes.append(f"{name}, {words[0]}: {figures}")
        finally:
            shutil.rmtree(work, ignore_errors=True)
        progress(number + 1)
    return outcome


def ask_bounded(work: Path, words: list[str], memory: int = MEMORY) -> tuple[Answer, dict[str, float]]:
    """Ask with bounded memory; return the answer and what it took."""
    report = work / "took.json"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-P", "-m", "tests.torture.limited", str(report), str(memory), *words]
    known = {**os.environ, "PYTHONPATH": str(REPO)}
    try:
        done = subprocess.run(command, env=known, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return Answer(-1, b"", f"no answer within {_SECONDS:g} s"), {}
    took = json.loads(report.read_text()) if report.exists() else {}
    return Answer(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")), took


def _ledger(root: Path, *rows: dict[str, Any], tail: bytes = b"") -> Path:
    return make_run(root, list(rows), tail=tail, written_ms=1e12) / "runtime-events.jsonl"


def _with(document: dict[str, Any], value: bytes) -> bytes:
    return json.dumps(document).encode().replace(b'"@"', value)


def sparse_row(root: Path, size: int) -> None:
    """One row of a gigabyte of zeros, of which the disk holds nothing."""
    path = _ledger(root, text("e1"))
    os.truncate(path, 1 << 30)


def blank_lines(root: Path, size: int) -> None:
    """Make a million empty lines."""
    _ledger(root, tail=b"\n" * (1000 * size))


def bad_rows(root: Path, size: int) -> None:
    """Make a million rows of garbage, and a hundred thousand objects that are no events."""
    _ledger(root, tail=b"x\n" * (1000 * size) + b"{}\n" * (100 * size))


def deep_arguments(root: Path, size: int) -> None:
    """Arguments, a header and a state of a hundred thousand levels each."""
    depth = 100 * size
    nest = b"[" * depth + b"]" * depth
    rows = [_with(call("e1", "t", args="@"), nest), _with(event("e2", actions={"stateDelta": {"a": "@"}}), nest)]
    _ledger(root, tail=b"\n".join([*rows, json.dumps(dispatch("e3", "t")).encode(), b""]))


def deep_header(root: Path, size: int) -> None:
    """Make a header of nothing but brackets."""
    path = _ledger(root, text("e1"))
    path.with_name("run.json").write_bytes(b"[" * 100 * size + b"]" * 100 * size)


def many_values(root: Path, size: int) -> None:
    """One result of forty million lists."""
    path = _ledger(root, call("e1"))
    with path.open("ab") as file:
        file.write(_with(response("e2", result="@"), b"[" + b"[]," * (40_000 * size) + b"0]") + b"\n")


def torn_values(root: Path, size: int) -> None:
    """Make a torn result of twenty million lists, with a byte that is no UTF-8."""
    path = _ledger(root, call("e1"))
    with path.open("ab") as file:
        file.write(_with(response("e2", result="@"), b'["\xff",' + b"[]," * (20_000 * size))[:-40])


def long_string(root: Path, size: int) -> None:
    """Make a result of a hundred megabytes in one string, with damaged bytes."""
    path = _ledger(root, call("e1"))
    with path.open("ab") as file:
        file.write(_with(response("e2", result="@"), b'"\xff' + b"a,[\\n" * (20_000 * size) + b'"') + b"\n")


def long_evidence(root: Path, size: int) -> None:
    """Make a trace, a snapshot and a title as large as are read, of the smallest records."""
    path = _ledger(root, call("e1"))
    path.with_name("events.jsonl").write_bytes(b"0\n" * (30_000 * size))
    path.with_name("runtime-partials").mkdir()
    head = b'{"version":1,"event":{"partial":true,"refs":{"toolCallId":"t"},"x":['
    (path.with_name("runtime-partials") / "a.partial").write_bytes(head + b"[]," * (20_000 * size) + b"0]}}\n")
    (path.parent.parent.parent / "session.jsonl").write_bytes(b'{"name":"' + b"n" * (100_000 * size))


def many_doubts(root: Path, size: int) -> None:
    """Ten thousand open calls under one id and ten thousand questions to the user, each about all of them."""
    count = 10 * size
    calls = [call(f"c{n}", f"t{n % 7}", invocationId=f"i{n}") for n in range(count)]
    request = {
        "kind": "tool_permission", "toolName": "Bash", "category": "shell_unsafe", "reason": "custom", "args": {},
        "rememberForTurnAllowed": True,
    }  # fmt: skip
    asked = [
        event(f"p{n}", actions={"permissionRequest": {**request, "requestId": f"r{n % 3}", "toolUseId": f"t{n % 7}"}})
        for n in range(count)
    ]
    head = header(invocationId=None)
    make_run(root, [*calls, *asked], head=head, written_ms=1e12)


def contradictions(root: Path, size: int) -> None:
    """Repeat a call, its dispatch and its response again and again, and one id for many events."""
    count = 5 * size
    rows = [call("c", "t"), *(row for n in range(count) for row in (
        call(f"c{n}", "t"), dispatch(f"d{n}", "t", f"o{n % 5}"), response(f"r{n}", "t"), text("same"),
    ))]  # fmt: skip
    make_run(root, rows, written_ms=1e12)


def many_sessions(root: Path, size: int) -> None:
    """Ten thousand sessions of one run each."""
    source = make_run(root, [text("e1"), call("e2")], written_ms=1e12)
    rows, head = (source / "runtime-events.jsonl").read_bytes(), header()
    for number in range(10 * size):
        name = f"s{number}"
        folder = root / "sessions" / name / "runs" / "run-1"
        folder.mkdir(parents=True)
        (folder / "run.json").write_text(json.dumps({**head, "sessionId": name}))
        (folder / "runtime-events.jsonl").write_bytes(rows.replace(b'"sess-1"', f'"{name}"'.encode()))
        for path in folder.iterdir():
            os.utime(path, (1e9, 1e9))


def many_runs(root: Path, size: int) -> None:
    """Ten thousand runs of one session, each continuing another."""
    source = make_run(root, [text("e1"), call("e2")], written_ms=1e12)
    rows = (source / "runtime-events.jsonl").read_bytes()
    for number in range(10 * size):
        name = f"r{number}"
        origin = {
            "sourceInvocationId": "inv-1", "sourceRunId": f"r{number // 2}", "sourceTurnId": "turn-1",
            "sourceRuntimeEventHighWater": 1,
        }  # fmt: skip
        folder = source.parent / name
        folder.mkdir()
        (folder / "run.json").write_text(json.dumps({**header(continuationSource=origin), "runId": name}))
        (folder / "runtime-events.jsonl").write_bytes(rows.replace(b'"run-1"', f'"{name}"'.encode()))
        for path in folder.iterdir():
            os.utime(path, (1e9, 1e9))


def many_strangers(root: Path, size: int) -> None:
    """Ten thousand entries that are neither sessions nor runs, beside one that is."""
    source = make_run(root, [text("e1"), call("e2")], written_ms=1e12)
    for number in range(5 * size):
        (root / "sessions" / f"not a session {number}").touch()
        (source.parent / f"not.a.run.{number}").mkdir()


MONSTERS: Final[dict[str, tuple[Builder, tuple[int, ...]]]] = {
    builder.__name__: (builder, codes)
    for builder, codes in (
        (sparse_row, (3,)), (blank_lines, (0,)), (bad_rows, (3,)), (deep_arguments, (1,)), (deep_header, (3,)),
        (many_values, (0, 3)), (torn_values, (1, 3)), (long_string, (0,)), (long_evidence, (1,)), (many_doubts, (1,)),
        (contradictions, (1,)), (many_sessions, (1,)), (many_runs, (1,)), (many_strangers, (1,)),
    )
}  # fmt: skip
