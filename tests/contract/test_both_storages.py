"""One run written to files and to a database gives one inspection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core import Inspection, Run, inspect, open_workspace
from core.evidence.documents import run_document
from core.storage.jsonl_workspace import is_safe_id
from tests.support.runs import header
from tests.support.twins import as_database
from tests.support.vector_files import read_vectors
from tests.support.workspaces import make_run

_OF_STORAGE = ("path", "storage", "title", "lastWriteMs", "rows", "lineage")
_PLACES = ("line", "offset", "length", "path", "detail")
_TORN = ("torn_tail", "torn_row")


def said(run: Run) -> dict[str, Any]:
    """Return all that is said of a run, but where it lies, and but a torn row, which no database can hold."""
    inspection = inspect(run.ledger())
    document: dict[str, Any] = run_document(inspection, "")
    for key in ("findings", "witnesses"):
        document[key] = [one for one in document[key] if one["code"] not in _TORN]
    for record in (*document["plan"]["diagnostics"], *document["findings"]):
        for key in _PLACES:
            record.pop(key, None)
    if document["findings"]:
        del document["headline"]  # it names the place of the damage
    plain = {key: value for key, value in document.items() if key not in _OF_STORAGE}
    return {**plain, "events": list(inspection.ledger), "kinds": kinds(inspection)}


def kinds(inspection: Inspection) -> list[tuple[int, float]]:
    """Return kind and time of every row, the torn one left out."""
    rows = inspection.ledger.rows
    return [(row.kind, row.ts or 0) for row in rows if row.finding is None or row.finding.code not in _TORN]


def compare(root: Path, target: Path) -> int:
    """Hold every run of a state root against its twin; a database knows none without header and rows."""
    twins = {(run.session_id, run.run_id): run for run in open_workspace(as_database(root, target)).runs()}
    compared = 0
    for run in open_workspace(root).runs():
        twin = twins.get((run.session_id, run.run_id))
        if twin is not None:
            compared += 1
            assert said(twin) == said(run), run.run_id
    return compared


def test_recorded_runs_say_the_same_from_a_database(workspaces: Path, tmp_path: Path) -> None:
    """All of the 103 but two that left neither a header nor a row behind; damaged ones included."""
    roots = sorted(path for path in workspaces.iterdir() if path.is_dir())
    assert sum(compare(root, tmp_path / root.name / "runtime.sqlite") for root in roots) == 101


def test_every_kind_of_tool_fact_says_the_same_from_a_database(tmp_path: Path) -> None:
    """Dispatches, recovery and hidden calls, sound and contradictory: a part of the recorded plans."""
    vectors = [vector for vector in read_vectors("plan") if vector["phase"] != "phase0" and _of_one_run(vector)]
    chosen = vectors[::12]
    for number, vector in enumerate(chosen):
        events = [{**event, "sessionId": f"sess-{number}"} for event in vector["events"]]
        head = header(
            sessionId=f"sess-{number}", runId=events[0]["runId"], turnId=events[0]["turnId"], invocationId=None
        )
        make_run(tmp_path / "files", events, head=head)
    assert compare(tmp_path / "files", tmp_path / "database" / "runtime.sqlite") == len(chosen) > 50


def _of_one_run(vector: dict[str, Any]) -> bool:
    owners = {(event["sessionId"], event["runId"], event["turnId"]) for event in vector["events"]}
    return len(owners) == 1 and all(is_safe_id(name) for name in next(iter(owners)))
