"""The documents of the command line, and that it only reads and sends no text of a workspace as it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core import open_workspace
from tests.support.asking import Capture, answer, document
from tests.support.hostile import HIDDEN, RAW, hostile_database, hostile_workspace
from tests.support.runs import call, response, text
from tests.support.workspaces import fingerprint, make_run

# Documents


@pytest.mark.parametrize("command", ["runs", "plan", "check", "failpoints"])
def test_the_schema_stands_first(capsys: Capture, doubtful: Path, command: str) -> None:
    """Every document names its schema before anything else, and ends with a line feed."""
    words = [command] if command == "failpoints" else [command, str(doubtful)]
    _, out, err = answer(capsys, *words, "--json")

    assert out.startswith(f'{{\n  "schema": "maka-ledger/{command}@1"')
    assert out.endswith("}\n")
    assert err == ""


VALUES = [
    r'{"a": "\ud800", "b": "😀"}',
    r'{"n": 123456789012345678901234567890}',
    r'{"n": 1e400, "m": -0.0, "o": 1.10}',
    r'{"a": 1, "a": 2}',
    r'{"__proto__": {"x": 1}, "": null}',
    r'{"s": "\u001b[2J\u0000"}',
    r"[[[[1]]]]",
    r'"just text"',
    "null",
]


@pytest.mark.parametrize("value", VALUES)
def test_arguments_are_the_ledgers_own(capsys: Capture, tmp_path: Path, value: str) -> None:
    """Arguments come out as they stand in the row: no number is rounded, no key dropped, nothing escaped away."""
    folder = make_run(tmp_path, [text("e1")])
    row = json.dumps(call("e2", args="HERE"), separators=(",", ":")).replace('"HERE"', value)
    with (folder / "runtime-events.jsonl").open("ab") as ledger:
        ledger.write(row.encode() + b"\n")

    code, out, _ = answer(capsys, "plan", str(tmp_path), "--json")
    assert code == 1
    assert f'"args": {value}' in out
    json.loads(out)


def test_damaged_bytes_become_readable_documents(capsys: Capture, tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are what a reader of the ledger sees: the replacement character, in a valid document."""
    folder = make_run(tmp_path, [text("e1")])
    row = (
        json.dumps(call("e2", args={"command": "HERE"}), separators=(",", ":")).encode().replace(b"HERE", b"a\xff\xc3b")
    )
    (folder / "runtime-events.jsonl").write_bytes((folder / "runtime-events.jsonl").read_bytes() + row + b"\n")

    _, found = document(capsys, "plan", str(tmp_path))
    assert found["plan"]["operations"][0]["args"] == {"command": "a\ufffd\ufffdb"}


def test_names_with_lone_surrogates_survive(capsys: Capture, tmp_path: Path) -> None:
    """A name that no encoding can hold is escaped in the document and means the same."""
    make_run(tmp_path, [text("e1"), call("e2", "call \ud800", args={})])

    _, found = document(capsys, "plan", str(tmp_path))
    assert found["plan"]["operations"][0]["toolCallId"] == "call \ud800"
    assert document(capsys, "runs", str(tmp_path))[0] == 0


# Reading only, and hostile text


def test_no_command_changes_a_file(capsys: Capture, harbor: Path) -> None:
    """Every file has the same bytes, time and mode afterwards, and no file is new."""
    before = fingerprint(harbor)
    for words in (
        ["runs", str(harbor)],
        ["plan", f"{harbor}#run-7f3e"],
        ["plan", f"{harbor}#run-91aa", "--json"],
        ["check", str(harbor), "--json"],
        [str(harbor)],
    ):
        answer(capsys, *words)

    assert fingerprint(harbor) == before


@pytest.mark.parametrize("make", [hostile_workspace, hostile_database])
def test_hostile_text_cannot_reach_the_terminal(capsys: Capture, tmp_path: Path, make: Callable[[Path], Path]) -> None:
    """Whatever a workspace or its path holds, no output has a control, bidi or invisible character but line feeds.

    Documents neither: people look at them in terminals, too.
    """
    place = tmp_path / "\x9b31m\u202e\x7f"
    with open_workspace(make(place)) as workspace:
        runs = [run.run_id for run in workspace.runs()]
    assert len(runs) == 3
    for words in (
        *([*words, *form] for words in (["runs", str(place)], ["check", str(place)]) for form in ([], ["--json"])),
        *(["plan", str(place), "--run", run, *form] for run in runs for form in ([], ["--json"])),
        ["report", str(place), "--format", "json"],
        ["diff", f"{place}#{runs[2]}#2", f"{place}#{runs[2]}", "--json"],
        [str(place)],
        ["plan", f"{place}#{runs[2]}#2"],
        ["plan", f"{place}#\x1b[2J"],
    ):
        _, out, err = answer(capsys, *words)
        said = (out + err).encode("utf-8", "surrogatepass")
        assert not [raw for raw in (*RAW, b"\x1b", b"\r", b"\t") if raw in said]
        assert not set(HIDDEN) & set(out + err)
        assert "PWNED" in out or "[2J" in err


def test_a_settled_call_may_be_replayed(capsys: Capture, tmp_path: Path) -> None:
    """A call with its response is replayable, and the report says what that does not mean."""
    make_run(tmp_path, [text("e1"), call("e2", args={"command": "ls"}), response("e3")])

    code, out, _ = answer(capsys, "plan", str(tmp_path))
    assert code == 0
    assert "✓ HISTORY MAY BE REPLAYED\n  Runs no tool, undoes nothing, checks no target.\n" in out
    assert "✓ succeeded  Bash  ls" in out
