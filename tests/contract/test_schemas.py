"""Every document of every command is as its committed JSON Schema says, over all recorded workspaces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from core import SCHEMAS, open_workspace, schema_text
from tests.support.runs import call, response, text
from tests.support.schemas import complaints
from tests.support.workspaces import make_run
from viewer.cli import main


def _said(capfdbinary: pytest.CaptureFixture[bytes], *words: str) -> Any:
    main(words)
    return json.loads(capfdbinary.readouterr().out)


def _roots(workspaces: Path) -> list[Path]:
    return sorted(path for path in workspaces.iterdir() if path.is_dir())


def test_the_schemas_are_schemas_and_say_the_same_of_the_same() -> None:
    """Each is valid, is about the document of its name, and shares its parts word for word with the others."""
    parts: dict[str, Any] = {}
    for name in SCHEMAS:
        schema = json.loads(schema_text(name))
        Draft202012Validator.check_schema(schema)
        assert schema["title"] == f"maka-ledger/{name}@1"
        assert schema["properties"]["schema"] == {"const": f"maka-ledger/{name}@1"}
        for part, said in schema.get("$defs", {}).items():
            assert parts.setdefault(part, said) == said, (name, part)


def test_every_schema_is_printed(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """`schema NAME` gives the file."""
    for name in SCHEMAS:
        assert main(["schema", name]) == 0
        assert capfdbinary.readouterr().out.decode() == schema_text(name)


def test_documents_about_workspaces(workspaces: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """`runs`, `check` and `report` of every recorded workspace."""
    for root in _roots(workspaces):
        for command in ("runs", "check", "report"):
            document = _said(capfdbinary, command, str(root), "--json")
            assert document["schema"] == f"maka-ledger/{command}@1"
            assert complaints(document) == [], (root.name, command)
    both = _said(capfdbinary, "check", str(workspaces / "no-such-place"), *map(str, _roots(workspaces)), "--json")
    assert complaints(both) == []


def test_documents_about_runs(workspaces: Path, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    """`plan`, `report`, `diff` and `export` of every recorded run."""
    seen = 0
    for root in _roots(workspaces):
        with open_workspace(root) as workspace:
            runs = [(run.session_id, run.run_id) for run in workspace.runs()]
        for session, run in runs:
            seen += 1
            place = str(root / "sessions" / session / "runs" / run)
            documents = [
                _said(capfdbinary, "plan", place, "--json"),
                _said(capfdbinary, "plan", place, "--expect-high-water", "1", "--json"),
                _said(capfdbinary, "report", place, "--run", run, "--json"),
                _said(capfdbinary, "diff", f"{place}#{run}#0", place, "--json"),
                _said(capfdbinary, "export", place, "--redact", "--whole", "-o", str(tmp_path / str(seen)), "--json"),
            ]
            assert [complaints(document) for document in documents] == [[]] * 5, run
    assert seen >= 103


def test_documents_about_two_runs(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """A comparison of ledgers that part from each other, and one that makes a call removed and another added."""
    make_run(tmp_path / "a", [text("e1"), call("e2"), response("e3")])
    make_run(tmp_path / "b", [text("e1"), text("x"), call("e2", "u")])

    document = _said(capfdbinary, "diff", str(tmp_path / "a"), str(tmp_path / "b"), "--json")

    assert document["relation"] == "diverged"
    assert complaints(document) == []


def test_the_other_documents(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The catalog, an error, and what a prefix would be."""
    make_run(tmp_path, [text("e1"), call("e2")])

    assert complaints(_said(capfdbinary, "failpoints", "--json")) == []
    error = _said(capfdbinary, "plan", str(tmp_path / "no-such-place"), "--json")
    assert (error["schema"], complaints(error)) == ("maka-ledger/error@1", [])
    what_if = _said(capfdbinary, "plan", f"{tmp_path}#run-1#e2", "--prefix", "1", "--json")
    assert (what_if["whatIf"], complaints(what_if)) == (True, [])


def test_a_document_about_crashes(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """What `crash-test` says of real kills, at a failpoint and in the middle of an append."""
    document = _said(capfdbinary, "crash-test", "--failpoint", "P1", "--torn", "1", "--json")

    assert document["schema"] == "maka-ledger/crash-test@1"
    assert complaints(document) == []
