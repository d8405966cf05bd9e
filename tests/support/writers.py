"""Processes that write a run into a database as Maka does: a call and its response in one transaction each time.

Every state that a reader may see has whole pairs, so half a pair, or a row in the wrong place, gives a reader away.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import core
from core import inspect, open_workspace
from tests.support.databases import SCHEMA
from tests.support.runs import INVOCATION, RUN, SESSION, TURN, call, header, response

HERE = Path(__file__).resolve().parents[2]

CRASHED, CLOSED, IDLE, IN_TRANSACTION, BUSY = "crashed", "closed", "idle", "in_transaction", "busy"
STATES = (CRASHED, CLOSED, IDLE, IN_TRANSACTION, BUSY)

_CHILD = """
import json, sqlite3, sys
state, path, mode, schema, head, call, response, ids = json.loads(sys.stdin.readline())
connection = sqlite3.connect(path, isolation_level=None)
connection.execute(f"PRAGMA journal_mode={mode}")
connection.execute("PRAGMA synchronous=OFF")
for statement in schema:
    connection.execute(statement)
session, invocation, run, turn = ids
connection.execute("INSERT INTO core_agent_runs VALUES (?,?,?,?)", (session, run, 1, json.dumps(head)))
count = 0

def add(document, prefix):
    global count
    count += 1
    pair = (count + 1) // 2
    text = json.dumps(document).replace("CALL", f"call-{pair}").replace("EVENT", f"{prefix}-{pair}")
    row = (f"{prefix}-{pair}", session, invocation, run, turn, count, "function", text, count)
    connection.execute("INSERT INTO runtime_events VALUES (?,?,?,?,?,?,?,?,?)", row)

def pair():
    connection.execute("BEGIN IMMEDIATE")
    add(call, "ask")
    add(response, "answer")
    connection.execute("COMMIT")

for _ in range(20):
    pair()
if state == "in_transaction":
    connection.execute("BEGIN IMMEDIATE")
    add(call, "ask")
if state == "closed":
    connection.close()
print("ready", flush=True)
if state == "busy":
    connection.execute("PRAGMA wal_autocheckpoint=20")
    while True:
        pair()
        if count > 4000:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM runtime_events WHERE event_seq > 40")
            count = 40
            connection.execute("COMMIT")
        if count % 60 == 0:
            connection.execute("PRAGMA wal_checkpoint(RESTART)")
        elif count % 98 == 0:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

sys.stdin.readline()
"""


class Writer:
    """A writer in one of `STATES`; leaving the context kills it."""

    def __init__(self, state: str, main: Path, journal_mode: str = "wal") -> None:
        main.parent.mkdir(parents=True, exist_ok=True)
        self.state = state
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        filler = {"text": "x" * 300}
        task = [
            *(state, str(main), journal_mode, SCHEMA, header()),
            *(call("EVENT", "CALL", filler), response("EVENT", "CALL", "ok"), (SESSION, INVOCATION, RUN, TURN)),
        ]
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "ready\n"
        if state == CRASHED:
            self.end()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: Any) -> None:
        self.end()

    def end(self) -> None:
        """Kill the process, wherever it is."""
        self.process.kill()
        self.process.communicate()


def look(root: Path, copy_limit: int) -> dict[str, Any]:
    """Open a workspace with such a run and say what it shows, and what of it cannot be."""
    with open_workspace(root, copy_limit=copy_limit) as workspace:
        said = {finding.code for finding in workspace.findings}
        if not workspace.runs() and said == {"still_changing"}:
            return {"events": 0, "codes": ["still_changing"], "wrong": [], "alive": None, "verdict": None}
        (run,) = workspace.runs()
        ledger = run.ledger()
        inspection = inspect(ledger)
        codes = sorted({finding.code for finding in ledger.findings})
        wrong = []
        if inspection.plan.blocked != ("still_changing" in codes):
            wrong.append("blocked" if inspection.plan.blocked else "replayable though it keeps changing")
        if not inspection.plan.blocked:
            names = [f"{kind}-{pair}" for pair in range(1, len(ledger) // 2 + 1) for kind in ("ask", "answer")]
            if [event.id for event in ledger] != names or len(ledger) < 40:
                wrong.append(f"{len(ledger)} events, not the pairs that were committed")
        owner = run.owner
        return {
            "events": len(ledger),
            "codes": codes,
            "wrong": wrong,
            "alive": owner.alive,
            "verdict": inspection.verdict,
        }


def load_all() -> None:
    """Load every module of `core` now: a user who owns nothing may not be let into the folder where they lie."""
    for module in pkgutil.walk_packages(core.__path__, "core."):
        if not module.name.rpartition(".")[2].startswith("_"):
            importlib.import_module(module.name)


def look_as_another_user(root: Path, scratch: Path, copy_limits: Sequence[int]) -> list[dict[str, Any]]:
    """Do the same, once for each limit, in a process of a user who owns nothing.

    `scratch` may hold its private copies.
    """
    code = (
        f"import sys; sys.path.insert(0, {str(HERE)!r})\n"
        "import json, os, tempfile\n"
        "from pathlib import Path\n"
        "from tests.support.writers import load_all, look\n"
        "load_all()\n"
        f"tempfile.tempdir = {str(scratch)!r}\n"
        "os.setgid(65534); os.setuid(65534)\n"
        f"print(json.dumps([look(Path({str(root)!r}), limit) for limit in {list(copy_limits)}]))\n"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    found: list[dict[str, Any]] = json.loads(answer.stdout)
    return found
