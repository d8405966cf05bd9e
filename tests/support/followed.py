"""A run in files that is followed: written to, looked at, and compared with a fresh reading."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from core import Ledger, Run, RunFollower, RunNews, inspect, open_workspace
from tests.support.runs import LEDGER_PATH

NOW = 2e12


def as_line(row: dict[str, Any]) -> bytes:
    """Return a row as it stands in a file."""
    return json.dumps(row, separators=(",", ":")).encode() + b"\n"


def open_run(root: Path) -> Run:
    """Open the only run of a state root."""
    return open_workspace(root).runs()[0]


def picture(ledger: Ledger) -> dict[str, Any]:
    """Everything that a reader can see of a ledger."""
    return {
        "rows": list(ledger.rows),
        "findings": list(ledger.findings),
        "header": ledger.header,
        "size": ledger.size,
        "events": [event.id for event in ledger],
        "plan": inspect(ledger, now_ms=NOW).plan.as_document(),
        "verdict": inspect(ledger, now_ms=NOW).verdict,
        "shape": inspect(ledger).committed_prefix,
    }


def assert_fresh(follower: RunFollower, root: Path, last: RunNews | None) -> RunNews:
    """Look once more, and compare what is known then with a fresh reading; return the news, or the last ones."""
    news = follower.poll(time.time() * 1000) or last
    assert news is not None
    fresh = open_run(root).ledger()
    assert picture(news.ledger) == picture(fresh)
    fresh.close()
    return news


def append_rows(root: Path, *rows: dict[str, Any], tail: bytes = b"") -> Path:
    """Append rows, and perhaps some bytes, to the ledger; return its path."""
    with (root / LEDGER_PATH).open("ab") as file:
        file.write(b"".join(map(as_line, rows)) + tail)
    return root / LEDGER_PATH


def poll_now(follower: RunFollower) -> RunNews | None:
    """Look once more."""
    return follower.poll(time.time() * 1000)
