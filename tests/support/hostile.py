"""A workspace in which every string that may hold anything holds what could hurt a terminal or a screen."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

from tests.support.databases import SCHEMA, Statement, add_session, plain, write_database
from tests.support.harbor import NOW_MS, Book, name_session

MARKUP = "[/nope] [@click=app.quit]x[/] [bold] $accent"
EVIL = (
    "\x1b]0;PWNED\x1b\\ \x1b]52;c;UFdORUQ=\x07 \x1b[?1049l\x1b[2J \x9b31m\x90 \x07\x08\x0e\x7f \r\n\t "
    f"\u202edesrever\u2066 \u200b\ufeff \ud800 {MARKUP} {{brace}} %s 👩‍👩‍👧"
)
RAW = (b"\x1b]0;PWNED", b"\x1b]52", b"\x1b[2J", b"\x07", b"\x08", b"\x0e", b"\x7f")
"""Bytes that must not reach a terminal from it."""
HIDDEN = "\x9b\x90\u202e\u2066\u200b\ufeff"
"""Characters that must not either."""


def hostile_workspace(root: Path) -> Path:
    """Write it: a doubtful run, one with a damaged row, a torn one, a continued one, and foreign entries."""
    name_session(root, "sess-evil", f"title {EVIL}")
    book = _book(root, "run-doubt")
    book.user(f"user {EVIL}")
    book.text(f"text {EVIL}")
    book.text(f"thinking {EVIL}", kind="thinking")
    args = {"command": f"command {EVIL}", f"key {EVIL}": {f"inner {EVIL}": [EVIL]}, "": EVIL}
    call_id = f"call {EVIL}"
    book.call("read", f"Read {EVIL}", **args)
    book.response("read", f"Read {EVIL}", {"error": f"failed {EVIL}"}, is_error=True)
    book.event(content={"kind": "error", "message": f"error {EVIL}", "code": EVIL, "reason": EVIL})
    book.call(call_id, f"Bash {EVIL}", **args)
    book.ask(call_id, f"Bash {EVIL}", "network_send", args)
    book.allow(call_id)
    book.heartbeat(call_id, book.now + 1000)
    torn = (
        json.dumps({"id": f"torn {EVIL}"})[:-1] + ',"content":{"kind":"function_response","id":' + json.dumps(call_id)
    )
    book.save(torn.encode("utf-8", "surrogatepass") + b',"x":"\xff\xc3', written_ms=NOW_MS - 5_000_000)

    book = _book(root, "run-damaged")
    book.user(f"user {EVIL}")
    book.event(content={"kind": f"kind {EVIL}", "text": "?"})
    book.event(**{f"field {EVIL}": EVIL})
    book.save(b"\x1b]0;PWNED\x07 no JSON\n", written_ms=NOW_MS - 6_000_000)

    book = _book(root, "run-clash")
    for _ in range(2):
        book.call(call_id, f"Bash {EVIL}", **args)
    book.response("nobody", f"Read {EVIL}", EVIL)
    book.save(written_ms=NOW_MS - 7_000_000)

    (root / "sessions" / "sess-evil" / "runs" / "foreign \x1b]0;PWNED\x07").mkdir()
    (root / "sessions" / "\x1b[2J [nope]").touch()
    return root


def hostile_database(root: Path) -> Path:
    """Write the same runs into a database, with ids of runs and sessions, versions and kinds that do the same."""
    session = f"sess {_stored(EVIL)}"
    statements = [*plain(*SCHEMA), add_session(session, name=_stored(EVIL), payload=json.dumps({"name": EVIL}))]
    statements.append(("INSERT INTO operational_schema_migrations VALUES (?, 99)", (_stored(EVIL),)))
    files = hostile_workspace(root / "files")
    for ledger in sorted(files.rglob("runtime-events.jsonl")):
        run = f"{ledger.parent.name} {_stored(EVIL)}"
        own = {"sessionId": session, "runId": run, "turnId": _stored(EVIL), "invocationId": f"of {run}"}
        head = json.dumps({**json.loads(ledger.with_name("run.json").read_bytes()), **own})
        statements.append(("INSERT INTO core_agent_runs VALUES (?,?,?,?)", (session, run, 1, head)))
        rows = ledger.read_bytes().split(b"\n")[:-1]
        statements += (_statement(row, own, number) for number, row in enumerate(rows, 1))
    shutil.rmtree(files)
    write_database(root / "runtime.sqlite", statements)
    return root


def _statement(row: bytes, own: dict[str, str], number: int) -> Statement:
    try:
        document: dict[str, Any] = {**json.loads(row), **own}
        payload = json.dumps(document)
    except ValueError:
        document, payload = {}, row.decode("latin-1")
    event = document.get("id", f"{number} of {own['runId']}")
    ids = (event, own["sessionId"], own["invocationId"], own["runId"], own["turnId"])
    values = (*ids, number, EVIL[:5], payload, number)
    return "INSERT INTO runtime_events VALUES (?,?,?,?,?,?,?,?,?)", values


def _stored(text: str) -> str:
    """Return a text as a database holds it: a sign in the place of halves of a character."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def _book(root: Path, run: str) -> Book:
    """Start a run whose header and ids hold the strings too."""
    head = {
        "modelId": f"model {EVIL}",
        "cwd": f"/cwd {EVIL}",
        "llmConnectionSlug": EVIL,
        "turnId": f"turn {EVIL}",
        "invocationId": f"invocation {EVIL}",
    }
    book = Book(root, "sess-evil", run, "2026-11-29 12:00:00", **head)
    book.ids |= {"turnId": head["turnId"], "invocationId": head["invocationId"]}
    return book
