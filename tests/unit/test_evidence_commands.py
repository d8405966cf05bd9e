"""The commands that take evidence away: what they write where, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core import inspect, open_workspace
from tests.support.runs import call, response, text
from tests.support.workspaces import fingerprint, make_run
from viewer.cli import main


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a workspace with one blocked run."""
    make_run(tmp_path / "root", [text("e1"), call("e2"), response("e3"), call("e4", "u", {"command": "s3cret"})])
    return tmp_path / "root"


def _said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(words)
    out, err = capsys.readouterr()
    return code, out, err


def test_a_report_goes_to_standard_output(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a file the report is the output, in the format asked for; the exit code is 0 whatever it says."""
    assert _said(capsys, "report", str(root))[1].startswith("# Runs of ")
    code, out, err = _said(capsys, "report", f"{root}#run-1")
    assert (code, out.splitlines()[0], err) == (0, "# ✗ REPLAY BLOCKED: run `run-1`", "")
    assert _said(capsys, "report", str(root), "--format", "html")[1].startswith("<!DOCTYPE html>")
    assert json.loads(_said(capsys, "report", str(root), "--json")[1])["schema"] == "maka-ledger/report@1"


@pytest.mark.parametrize(("name", "start"), [("r.md", "# "), ("r.HTML", "<!DOCTYPE"), ("r.json", "{"), ("r", "# ")])
def test_the_name_of_the_file_says_the_format(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, start: str
) -> None:
    """A suffix that is known decides, an option decides more, and anything else is Markdown."""
    assert _said(capsys, "report", str(root), "-o", str(tmp_path / name))[:2] == (0, "")
    assert (tmp_path / name).read_text("utf-8").startswith(start)
    assert _said(capsys, "report", str(root), "--format", "md", "-o", str(tmp_path / f"2{name}"))[0] == 0
    assert (tmp_path / f"2{name}").read_text("utf-8").startswith("# ")


def test_nothing_is_overwritten_and_nothing_goes_into_the_workspace(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both are usage errors that name the place; neither file nor workspace is touched."""
    taken = tmp_path / "taken.md"
    taken.write_text("before")
    before = fingerprint(root)

    for place, words in ((taken, "exists already"), (root / "sessions" / "r.md", "inside the workspace")):
        for command in (["report", str(root)], ["export", str(root), "--redact"]):
            code, out, err = _said(capsys, *command, "-o", str(place))
            assert (code, out) == (2, "")
            assert words in err
            assert place.name in err
    assert taken.read_text() == "before"
    assert fingerprint(root) == before


def test_an_export_is_opened_like_any_run(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The folder gets the decision of its source, and what was withheld is told."""
    code, out, err = _said(capsys, "export", str(root), "--redact", "-o", str(tmp_path / "repro"))

    assert (code, err) == (0, "")
    assert "1 of 4 events; none of them can be left out" in out
    assert "arguments 1" in out
    assert sorted(path.name for path in (tmp_path / "repro").iterdir()) == [
        "manifest.json",
        "run.json",
        "runtime-events.jsonl",
    ]
    assert "s3cret" not in "".join(path.read_text() for path in (tmp_path / "repro").iterdir())
    with open_workspace(tmp_path / "repro") as workspace:
        assert inspect(workspace.runs()[0].ledger()).plan.rejection_reasons == ("dangling_tool_state",)
    assert main(["check", str(tmp_path / "repro")]) == 1


def test_an_export_must_say_that_it_redacts(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is no export of contents, and nobody shall believe that there is."""
    code, _, err = _said(capsys, "export", str(root), "-o", str(tmp_path / "repro"))

    assert code == 2
    assert "--redact" in err
    assert not (tmp_path / "repro").exists()


def test_a_difference_in_words(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Decision before and after, events that were added, calls whose status changed, diagnostics."""
    code, out, err = _said(capsys, "diff", f"{root}#run-1#3", str(root))

    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "before  run-1  WHAT-IF after event 3 of 4: would be HISTORY MAY BE REPLAYED",
        "after   run-1  ✗ REPLAY BLOCKED  4 events  pending_tool_result (dangling_tool_state)",
        "  the first is a prefix of the second: 3 events in common",
        "+ event 4  call  Bash  s3cret",
        "  Bash  u:  not there → ? MAY HAVE RUN (legacy_dispatch_unknown)",
        "  1 call as before",
        "+ diagnostic pending_tool_result at event 4  Bash",
    ]


def test_a_difference_of_runs_that_part_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where they part comes first; more than anybody reads is counted, and where all of it is found is said."""
    for name, word in (("a", "one"), ("b", "other")):
        make_run(tmp_path / name, [text(f"e{number}", word) for number in range(200)])

    code, out, err = _said(capsys, "diff", str(tmp_path / "a"), str(tmp_path / "b"))

    assert (code, err) == (0, "")
    assert "  first difference: event 1 and event 1 differ in content" in out.splitlines()
    assert "* event 2 and event 2 differ in content" in out.splitlines()
    assert "more changed events; --json has all of them" in out


def test_a_number_alone_is_a_prefix_unless_a_run_is_called_so(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """PATH#2 are the first two events of the only run."""
    document = json.loads(_said(capsys, "diff", f"{root}#2", f"{root}#run-1#2", "--json")[1])

    assert (document["relation"], document["before"]["highWater"]) == ("same", 2)
    make_run(tmp_path / "odd", [text("e1", runId="2")], head={**_head(root), "runId": "2"})
    odd = json.loads(_said(capsys, "diff", f"{tmp_path / 'odd'}#2", f"{tmp_path / 'odd'}", "--json")[1])
    assert (odd["before"]["runId"], odd["before"]["highWater"]) == ("2", 1)


def _head(root: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((root / "sessions/sess-1/runs/run-1/run.json").read_text())
    return found


@pytest.mark.parametrize("side", ["#run-1#x", "#run-1#5", "#run-1#-1"])
def test_a_prefix_that_is_none_is_refused(root: Path, capsys: pytest.CaptureFixture[str], side: str) -> None:
    """A word, too many events or a negative number: a usage error."""
    code, out, err = _said(capsys, "diff", f"{root}{side}", str(root))

    assert (code, out) == (2, "")
    assert "events" in err


def test_an_unknown_schema_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    """The names that there are stand in the error."""
    code, _, err = _said(capsys, "schema", "plans")

    assert code == 2
    assert "'repro'" in err
