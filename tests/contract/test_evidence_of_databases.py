"""Reports and redacted repros of real crashed databases, taken without changing them."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from core import (
    Ledger,
    encode_document,
    inspect,
    make_repro,
    open_workspace,
    report_document,
    report_on_workspace,
    run_document,
)
from core.records.wire import header_document
from tests.support.schemas import complaints
from tests.support.words import format_words, leaks, strings
from tests.support.workspaces import fingerprint
from viewer.report_html import report_html
from viewer.report_markdown import report_markdown

PACKED = Path(__file__).parent.parent / "data" / "sqlite-workspaces.tar.xz"
NOW = 1_796_000_000_000.0
WORDS = format_words()


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Unpack every recorded database and give their state roots."""
    target = tmp_path_factory.mktemp("databases")
    with tarfile.open(PACKED) as packed:
        packed.extractall(target, filter="data")
    return sorted(path for path in target.iterdir() if path.is_dir())


def test_every_database_has_a_report(databases: list[Path]) -> None:
    """Whatever is damaged, the report is written in every format, as its schema says, and no file changes."""
    for root in databases:
        before = fingerprint(root)
        with open_workspace(root) as workspace:
            report = report_on_workspace(workspace, str(root), "maka-ledger", NOW)
        assert complaints(json.loads(encode_document(report_document(report)))) == [], root.name
        assert report_markdown(report).startswith("# Runs of ")
        assert report_html(report).endswith("</html>\n")
        assert fingerprint(root) == before


def test_every_blocked_run_of_a_database_can_be_taken_away(databases: list[Path], tmp_path: Path) -> None:
    """The folder of files gets the decision of the database's run, and says nothing of what its rows said."""
    seen = 0
    for root in databases:
        with open_workspace(root) as workspace:
            for run in workspace.runs():
                ledger = run.ledger()
                source = inspect(ledger)
                assert complaints(json.loads(encode_document(run_document(source, "x")))) == [], run.run_id
                if source.plan.blocked:
                    seen += 1
                    repro = make_repro(ledger, "maka-ledger", now_ms=NOW)
                    folder = tmp_path / str(seen)
                    repro.write(folder, workspace)
                    with open_workspace(folder) as copy:
                        plan = inspect(copy.runs()[0].ledger()).plan
                    assert plan.rejection_reasons == source.plan.rejection_reasons, run.run_id
                    assert [one.code for one in plan.diagnostics] == [one.code for one in source.plan.diagnostics]
                    names = {str(one.tool_name) for one in (*source.operations, *source.nested_operations)}
                    said = strings(_documents(folder), keys=False)
                    assert not leaks(_strings(ledger), WORDS | names, said), run.run_id
                ledger.close()
    assert seen > 40


def _strings(ledger: Ledger) -> set[str]:
    rows = [json.loads(ledger.raw(index)) for index in range(len(ledger))]
    return set(strings([*rows, header_document(ledger.header) if ledger.header else {}]))


def _documents(folder: Path) -> list[Any]:
    rows = (folder / "runtime-events.jsonl").read_text().split("\n")
    head = folder / "run.json"
    return [json.loads(text) for text in (*rows, head.read_text() if head.exists() else "") if text.startswith("{")]
