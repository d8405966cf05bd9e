"""What stands behind the committed prefix, in one line each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core import Ledger, duration_text, open_workspace, partial_lines, torn_line
from tests.support.runs import call, delta, event, text
from tests.support.workspaces import make_run


def ledger_of(root: Path, rows: list[dict[str, Any]], tail: bytes = b"", partials: tuple[bytes, ...] = ()) -> Ledger:
    """Write a run with unfinished streams and read it."""
    folder = make_run(root, rows, tail=tail) / "runtime-partials"
    folder.mkdir()
    for number, payload in enumerate(partials):
        (folder / f"{number}.partial").write_bytes(payload)
    return open_workspace(root).runs()[0].ledger()


def snapshot(partial: dict[str, Any], streamed: str = "") -> bytes:
    """Return the bytes of an unfinished stream."""
    return json.dumps({"version": 1, "event": partial}).encode() + b"\n" + streamed.encode()


@pytest.mark.parametrize(
    ("tail", "line"),
    [
        (b"", ""),
        (b'{"id":"e3","content":{"kind":"function_response","id":"t","na', "starts like a function_response to #2"),
        (b'{"id":"e3","content":{"kind":"function_response","id":"?","na', "starts like a function_response"),
        (b'{"id":"e3","conte', "too short to tell what it would be"),
    ],
)
def test_a_torn_row(tmp_path: Path, tail: bytes, line: str) -> None:
    """It says what the row starts like, and of which call, as far as the bytes go."""
    assert torn_line(ledger_of(tmp_path, [text("e1"), call("e2")], tail)) == line


def test_unfinished_streams(tmp_path: Path) -> None:
    """A sign of life names its call, a streamed text its size, and both say that they do not count."""
    beat = event("p1", ts=26_900, partial=True, role="tool", author="tool", refs={"toolCallId": "t"})
    lone = event("p2", ts=26_900, partial=True, role="tool", author="tool", refs={"toolCallId": "\x1bx"})
    streams = (snapshot(beat), snapshot(delta("p3", "", ts=1000), "four"), snapshot(lone))

    lines = [line for _, line in partial_lines(ledger_of(tmp_path, [call("e1")], partials=streams))]

    assert lines == [
        "heartbeat of #1, 00:00:26.9, not counted",
        "text, 4 B so far, 00:00:01.0, not counted",
        "heartbeat of \x1bx, 00:00:26.9, not counted",
    ]


@pytest.mark.parametrize(
    ("seconds", "text_"),
    [(0, "0.0s"), (0.14, "0.1s"), (99.9, "99.9s"), (99.96, "1m40"), (3725, "62m05"), (6000, "1h40"), (400_000, "4d")],
)
def test_durations_are_short(seconds: float, text_: str) -> None:
    """However long something took, it is written in six characters."""
    assert duration_text(seconds * 1000) == text_
    assert len(text_) <= 6
