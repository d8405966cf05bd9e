"""Evidence beside a ledger is bounded, its times are times, and documents are JSON whatever it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core import RawJson, encode_document, inspect, open_workspace, run_document, summarize_run
from core.storage.partials import PARTIALS_LIMIT
from core.storage.session import LONGEST_TITLE
from core.storage.trace import MOST_LINES, read_trace
from tests.support.databases import SCHEMA, add_header, add_session, plain, write_database
from tests.support.runs import call, text
from tests.support.workspaces import make_run


@pytest.mark.parametrize("more", [0, 1, 70_000])
@pytest.mark.parametrize("end", ["\n", ""])
def test_of_a_long_trace_the_end_is_read(more: int, end: str, tmp_path: Path) -> None:
    """Lines keep their numbers; what was left out is told by a first record."""
    path = tmp_path / "events.jsonl"
    count = MOST_LINES + more
    path.write_text("\n".join('{"type":"t"}' for _ in range(count)) + end)

    trace = read_trace(path)

    left = more + (end == "\n")
    assert [record.line for record in trace if record.type == "t"] == list(range(left + 1, count + 1))
    assert [record.message for record in trace if record.type != "t"] == (
        [f"{left:,} earlier lines are not read"] if left else []
    )


def test_snapshots_are_read_up_to_a_sum(tmp_path: Path) -> None:
    """A folder of huge snapshots cannot exhaust the memory; those that fit are there."""
    folder = make_run(tmp_path, [text("e1")])
    (folder / "runtime-partials").mkdir()
    for name in ("a", "b", "c"):
        with (folder / "runtime-partials" / f"{name}.partial").open("wb") as file:
            file.write(b'{"version":1,"event":{"partial":true,"content":{"kind":"text","text":""}}}\n')
            file.truncate(1000 if name != "c" else PARTIALS_LIMIT)

    assert [snapshot.name for snapshot in open_workspace(tmp_path).runs()[0].partials] == ["a.partial", "b.partial"]


@pytest.mark.parametrize("ts", ["1e400", "-1e400", "true", '"5"', "null"])
def test_what_is_no_time_is_no_time(ts: str, tmp_path: Path) -> None:
    """A time beyond all numbers, as a trace or a snapshot may have it, is left out; the document stays JSON."""
    folder = make_run(tmp_path, [text("e1"), call("e2", "t")])
    (folder / "events.jsonl").write_text(f'{{"type":"tool_started","ts":{ts},"data":{{"toolCallId":"t"}}}}\n')
    (folder / "runtime-partials").mkdir()
    snapshot = f'{{"version":1,"event":{{"partial":true,"ts":{ts},"refs":{{"toolCallId":"t"}}}}}}\n'
    (folder / "runtime-partials" / "a.partial").write_text(snapshot)

    document = json.loads(encode_document(run_document(inspect(open_workspace(tmp_path).runs()[0].ledger()), "p")))

    assert [sorted(witness) for witness in document["witnesses"]] == [["code", "says", "toolCallId"]] * 2


def test_a_document_that_orjson_refuses_says_the_same() -> None:
    """Half a character, or an integer of any length, changes how a document is written and nothing that it says."""
    for odd in ("\ud800", 1 << 70):
        document = {
            "odd": odd, "path": Path("a/b"), "raw": RawJson(b'{"n": 1e400, "d": ' + b"[" * 5000 + b"]" * 5000 + b"}"),
            "list": [1, (2.5, None), {"k": True}], "int": (1 << 62) + 1, "tiny": 5e-324, "zero": -0.0,
        }  # fmt: skip
        read = json.loads(encode_document(document).replace(b"[" * 5000 + b"]" * 5000, b"0"))
        same = {"path": str(Path("a/b")), "raw": {"n": float("inf"), "d": 0}, "list": [1, [2.5, None], {"k": True}]}
        assert read == document | same


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_no_document_holds_what_json_cannot(number: float) -> None:
    """Such a number is refused where it is seen, not written as a word that no parser reads."""
    with pytest.raises(ValueError, match="finite"):
        encode_document({"odd": "\ud800", "number": number})


def test_of_a_very_long_name_the_beginning_is_kept(tmp_path: Path) -> None:
    """Every run of every session is listed with its session's name: megabytes of it cannot exhaust the memory."""
    folder = make_run(tmp_path / "files", [text("e1")])
    name = "name " * 100_000
    (folder.parent.parent / "session.jsonl").write_text(json.dumps({"name": name}) + "\n")
    named = add_session(name=name, payload=json.dumps({"id": "sess-1", "name": name}))
    statements = [*plain(*SCHEMA), add_header(), named]
    write_database(tmp_path / "database" / "runtime.sqlite", statements)
    for root in (tmp_path / "files", tmp_path / "database"):
        with open_workspace(root) as workspace:
            (session,) = workspace.sessions
            assert session.title == name[: LONGEST_TITLE - 1] + "…"
            assert summarize_run(session.runs[0], session.title).title == session.title
