"""The reader against recorded ledgers: every torn tail, damaged row, damaged header and odd encoding."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path
from typing import Any

import pytest

from core import inspect, open_workspace
from tests.support.vector_files import read_vectors
from tests.support.workspaces import fingerprint

CODES = {
    "row-json": "row_invalid_json",
    "row-schema": "row_invalid_event",
    "row-identity": "row_foreign_identity",
    "header-json": "header_unreadable",
    "header-schema-or-identity": "header_unreadable",
    "io": "header_missing",
}
VECTORS = [vector for vector in read_vectors("store") if vector["expect"].get("unreadable") != "path-id"]


def _write(root: Path, vector: dict[str, Any]) -> None:
    folder = root / "sessions" / vector["path"]["sessionId"] / "runs" / vector["path"]["runId"]
    folder.mkdir(parents=True)
    if "runJson" in vector:
        (folder / "run.json").write_bytes(base64.b64decode(vector["runJson"]))
    if "ledger" in vector:
        raw = base64.b64decode(vector["ledger"])
        (folder / "runtime-events.jsonl").write_bytes(zlib.decompress(raw) if vector.get("deflate") else raw)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_a_ledger_is_read_as_recorded(vector: dict[str, Any], tmp_path: Path) -> None:
    """Events, torn tail or the located finding are the recorded ones, and reading changes nothing."""
    _write(tmp_path, vector)
    before = fingerprint(tmp_path)
    expect = vector["expect"]

    ledger = open_workspace(tmp_path).runs()[0].ledger()

    if "eventIds" in expect:
        assert [event.id for event in ledger] == expect["eventIds"]
        assert ledger.readable
        assert (ledger.torn_tail is not None) == expect["tornTail"]
    else:
        code = CODES[expect["unreadable"]]
        hits = [finding for finding in ledger.findings if finding.code == code]
        assert hits
        assert inspect(ledger).plan.blocked
        if code.startswith("row_"):
            assert expect["line"] in [finding.line for finding in hits]
            assert not ledger.readable
    assert fingerprint(tmp_path) == before
