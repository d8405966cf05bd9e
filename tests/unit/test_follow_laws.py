"""Following a run in files: after anything that can happen to them, it shows what a fresh reading finds."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.followed import as_line, assert_fresh, open_run
from tests.support.runs import LEDGER_PATH, call, header, response, text
from tests.support.workspaces import make_run

ROWS = st.sampled_from(["text", "call", "response", "bad", "blank", "foreign"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), ROWS),
        st.tuples(st.just("append without line feed"), ROWS),
        st.tuples(st.just("line feed"), st.none()),
        st.tuples(st.just("tear"), st.integers(1, 200)),
        st.tuples(st.just("garbage"), st.binary(min_size=1, max_size=6)),
        st.tuples(st.just("cut"), st.integers(0, 400)),
        st.tuples(st.just("cut to the last row"), st.none()),
        st.tuples(st.just("cut and append"), st.integers(0, 400)),
        st.tuples(st.just("flip"), st.integers(0, 3000)),
        st.tuples(st.just("replace"), st.none()),
        st.tuples(st.just("rewrite"), ROWS),
        st.tuples(st.just("remove"), st.none()),
        st.tuples(st.just("header"), st.sampled_from(["completed", "running", "gone", "foreign", "broken"])),
        st.tuples(st.just("look"), st.none()),
    ),
    max_size=25,
)


class _Writer:
    """Does to the files of one run what a list of steps says."""

    def __init__(self, root: Path) -> None:
        self.folder = make_run(root, [])
        self.ledger = root / LEDGER_PATH
        self.count = 0

    def row(self, kind: str) -> bytes:
        self.count += 1
        name = f"e{self.count}"
        rows = {
            "text": lambda: as_line(text(name, "naïve ☃")),
            "call": lambda: as_line(call(name, f"t{self.count}", {"command": "ls"})),
            "response": lambda: as_line(response(name, f"t{self.count - 1}")),
            "bad": lambda: b'{"id":"%d",\n' % self.count,
            "blank": lambda: b" \t\n",
            "foreign": lambda: as_line(text(name, runId="other")),
        }
        return rows[kind]()

    def do(self, step: str, what: Any) -> None:
        method = getattr(self, "_" + step.replace(" ", "_"))
        method(what)

    def _write(self, payload: bytes) -> None:
        with self.ledger.open("ab") as file:
            file.write(payload)

    def _append(self, kind: str) -> None:
        self._write(self.row(kind))

    def _append_without_line_feed(self, kind: str) -> None:
        self._write(self.row(kind)[:-1])

    def _line_feed(self, _: None) -> None:
        self._write(b"\n")

    def _tear(self, size: int) -> None:
        self._write(self.row("call")[:size])

    def _garbage(self, payload: bytes) -> None:
        self._write(payload)

    def _cut(self, size: int) -> None:
        if self.ledger.exists():
            os.truncate(self.ledger, max(0, self.ledger.stat().st_size - size))

    def _cut_to_the_last_row(self, _: None) -> None:
        if self.ledger.exists():
            os.truncate(self.ledger, self.ledger.read_bytes().rfind(b"\n") + 1)

    def _cut_and_append(self, size: int) -> None:
        self._cut(size)
        for _ in range(3):
            self._append("text")

    def _flip(self, place: int) -> None:
        if self.ledger.exists() and (payload := bytearray(self.ledger.read_bytes())):
            payload[place % len(payload)] ^= 1
            with self.ledger.open("r+b") as file:
                file.write(payload)

    def _replace(self, _: None) -> None:
        other = self.ledger.with_suffix(".new")
        other.write_bytes(self.row("text") + self.row("call"))
        other.replace(self.ledger)

    def _rewrite(self, kind: str) -> None:
        self.ledger.write_bytes(b"".join(self.row(kind) for _ in range(4)))

    def _remove(self, _: None) -> None:
        self.ledger.unlink(missing_ok=True)

    def _header(self, what: str) -> None:
        path = self.folder / "run.json"
        path.unlink(missing_ok=True)
        if what == "broken":
            path.write_text("{")
        elif what == "foreign":
            path.write_text(json.dumps(header(turnId="other")))
        elif what != "gone":
            path.write_text(json.dumps(header(status=what)))


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_what_is_followed_is_what_a_fresh_reading_finds(steps: list[tuple[str, Any]]) -> None:
    """After any sequence of appends, tears, cuts, rewritings, replacements and headers, seen in any portions."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        writer = _Writer(root)
        follower = open_run(root).follow()
        news = assert_fresh(follower, root, None)
        for step, what in steps:
            if step == "look":
                news = assert_fresh(follower, root, news)
            else:
                writer.do(step, what)
        assert_fresh(follower, root, news)
        follower.close()
