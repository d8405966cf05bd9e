"""The merged display order of partial snapshots against answers recorded from the runtime."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from core.records.events import RuntimeEvent
from core.storage.partials import PartialSnapshot
from core.store.store import RuntimeEventStore
from tests.support.vector_files import read_vectors


def _shown(item: RuntimeEvent | PartialSnapshot) -> dict[str, Any]:
    if isinstance(item, PartialSnapshot):
        shown = {"id": item.id, "partial": item.document["partial"], "text": item.text}
    else:
        text = getattr(item.content, "text", None)
        shown = {"id": item.id, "partial": item.partial, "text": text}
    return {key: value for key, value in shown.items() if value is not None}


@pytest.mark.parametrize("vector", read_vectors("partial"), ids=lambda vector: vector["name"])
def test_snapshots_stand_where_the_runtime_shows_them(vector: dict[str, Any], tmp_path: Path) -> None:
    """Rows and snapshots come in the recorded order; finished streams and unreadable files are left out."""
    session_id, run_id = vector["path"]["sessionId"], vector["path"]["runId"]
    folder = tmp_path / "sessions" / session_id / "runs" / run_id
    (folder / "runtime-partials").mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(vector["run"]))
    (folder / "runtime-events.jsonl").write_bytes(base64.b64decode(vector["ledger"]))
    for name, payload in vector["partials"].items():
        (folder / "runtime-partials" / name).write_bytes(base64.b64decode(payload))

    assert [_shown(item) for item in RuntimeEventStore(tmp_path).read(session_id, run_id)] == vector["expect"]["events"]
