"""A workspace in which every string that may hold anything holds what could hurt a terminal or a screen."""

from __future__ import annotations

import json
from pathlib import Path

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
