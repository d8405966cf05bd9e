"""Rows that are read and folded many at once get the verdict that the same rows get one by one, whatever they hold."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from core.decision.resume import plan_at
from core.decision.tool_ledger import ToolLedger
from core.records.codec import decode_event
from core.storage import row_reader
from core.storage.findings import Finding
from core.storage.ledger import RunIdentity
from core.storage.line_reader import LineReader
from core.storage.lines import Splitter
from core.storage.row_reader import RowReader, Together
from core.storage.rows import RowIndex
from tests.support.runs import call, dispatch, response, text
from tests.support.vector_files import read_vectors
from tests.torture.corpus import handed_runs
from tests.torture.readers import damaged_run

LONGEST = 1 << 16
"""Bytes of a ledger, or a case takes a second."""
ERROR = {"kind": "error", "message": "no"}
PARTS = ("content", "actions", "refs", "role", "author", "status", "branch", "origin", "modelVisibility", "id")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the ways that are for long ledgers be taken in short ones."""
    monkeypatch.setattr(row_reader, "_LONG", 2)


class OneByOne(RowReader):
    """A reader that never takes two rows together."""

    def decode_together(self, lines: bytes, lengths: object) -> Together | None:
        """Refuse."""
        return None

    def add(self, *row: Any) -> None:
        """Take a row, and let the fold have it before the next one comes."""
        super().add(*row)
        self.flush()


class Read:
    """What one way of reading made of a ledger."""

    def __init__(self, ledger: bytes, identity: RunIdentity, cuts: list[int] | None) -> None:
        """Read in pieces that end at `cuts`; where there are none, line by line and row by row."""
        self.rows = RowIndex()
        self.tools = ToolLedger(self._event_at)
        self._ledger = ledger
        reader = OneByOne if cuts is None else RowReader
        lines = LineReader(reader(identity, self.rows, self.tools))
        splitter = Splitter()
        if cuts is None:
            cuts = [place + 1 for place, byte in enumerate(ledger) if byte == 10]
        for start, end in zip((0, *cuts), (*cuts, len(ledger)), strict=True):
            for some in splitter.take(ledger[start:end]) if start < end else ():
                lines.take(some)
        if splitter.rest is not None:
            lines.take(splitter.rest)
        self.findings: list[Finding] = lines.finish(bool(ledger) and not ledger.endswith(b"\n"))

    def _event_at(self, index: int) -> Any:
        start = self.rows.offsets[index]
        return decode_event(self._ledger[start : start + self.rows.lengths[index]])


def assert_alike(ledger: bytes, identity: RunIdentity, rng: Random, name: str) -> None:
    """Read a ledger cut anywhere, and row by row; index, findings and the plans of prefixes must agree."""
    ends = [place + 1 for place, byte in enumerate(ledger) if byte == 10]
    anywhere = sorted(rng.sample(range(1, len(ledger)), min(rng.randrange(3), len(ledger) - 1))) if ledger else []
    apart = Read(ledger, identity, None)
    plans = {end: plan_at(apart.tools, end) for end in (apart.tools.length, apart.tools.length // 2)}
    for cuts in (ends[:1], anywhere, sorted(rng.sample(ends, min(3, len(ends))))):
        fast = Read(ledger, identity, cuts)

        assert fast.rows.kinds == apart.rows.kinds, name
        assert fast.rows.offsets == apart.rows.offsets, name
        assert fast.rows.lengths == apart.rows.lengths, name
        assert fast.rows.times.tobytes() == apart.rows.times.tobytes(), name
        assert fast.rows.committed == apart.rows.committed, name
        assert fast.findings == apart.findings, name
        assert fast.tools.blocked_after == apart.tools.blocked_after, name
        assert (fast.tools.counts, fast.tools.blocking) == (apart.tools.counts, apart.tools.blocking), name
        assert fast.tools.waiting.keys() == apart.tools.waiting.keys(), name
        for end, plan in plans.items():
            assert plan_at(fast.tools, end) == plan, (name, end)


def exchanged(rng: Random, documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Let some events have parts of others: facts that say two things, or stand in the wrong place."""
    changed = [dict(document) for document in documents]
    for _ in range(rng.randrange(1, 4)):
        to, part = rng.choice(changed), rng.choice(PARTS)
        donor = rng.choice(changed)
        if part in donor:
            to[part] = donor[part]
        elif part != "id" and rng.random() < 0.5:
            to.pop(part, None)
    return changed


@pytest.mark.parametrize("phase", sorted({vector["phase"] for vector in read_vectors("plan")}))
def test_every_recorded_ledger(phase: str) -> None:
    """Recorded ledgers, and the same with parts of events exchanged, are planned alike."""
    rng = Random(phase)
    nobody = RunIdentity(None, None)
    for vector in read_vectors("plan"):
        if vector["phase"] != phase:
            continue
        for documents in (vector["events"], exchanged(rng, vector["events"]) if vector["events"] else []):
            ledger = b"".join(json.dumps(document).encode() + b"\n" for document in documents)
            if len(ledger) <= LONGEST:
                assert_alike(ledger, nobody, rng, vector["name"])


def test_every_recorded_workspace() -> None:
    """Every handed ledger, the damaged ones among them, is read alike."""
    rng = Random(1)
    for run in handed_runs():
        if run.name.startswith(("plan ", "partial ")) or len(run.ledger or b"") > LONGEST:
            continue
        assert_alike(run.ledger or b"", RunIdentity(run.session_id, run.run_id), rng, run.name)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_ledgers(seed: int) -> None:
    """Ledgers with damaged bytes, rows and values are read alike, to the last finding."""
    rng = Random(seed)
    for _ in range(250):
        run = damaged_run(rng)
        if len(run.ledger or b"") <= LONGEST:
            assert_alike(run.ledger or b"", RunIdentity(run.session_id, run.run_id), rng, f"{seed} {run.name}")


@pytest.mark.parametrize("content", [{"kind": "text", "text": "go"}, {"kind": "thinking", "text": "hm"}, ERROR])
def test_a_dispatch_beside_other_content(content: dict[str, Any]) -> None:
    """An event that says two things is judged by the rules, in a batch as alone."""
    args = {"command": "make"}
    dispatched = dispatch("c", "t", "op-t", args) | {"content": content}
    answered = response("d", "t", "ok", refs={"toolCallId": "t", "operationId": "op-t"})
    documents = [text("a"), call("b", "t", args), dispatched, answered]
    ledger = b"".join(json.dumps(document).encode() + b"\n" for document in documents)

    assert_alike(ledger, RunIdentity(None, None), Random(0), str(content))
