"""A report holds what a ticket needs, in words that cannot be misread, and nothing in the data can change its shape."""

from __future__ import annotations

import json
import re
import unicodedata
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from core import Report, Verdict, encode_document, open_workspace, report_document, report_on_run, report_on_workspace
from tests.support.runs import call, header, response, terminal, text
from tests.support.workspaces import make_run
from viewer.report_html import report_html
from viewer.report_markdown import report_markdown

NOW = 1_796_000_000_000.0
CALLED = NOW - 7_200_000
HOSTILE = (
    "```\n# not a heading\n</pre></code><script>alert(1)</script><img src=x onerror=y> [x](javascript:y) ![i](http://i)\n"
    "````\n~~~\n| a | b |\n\x1b]52;c;x\x07\u202e&lt;b&gt; ` `` <b> @all http://evil.example \x9b31m\r\n- item\n1. one\n"
)


def _run(root: Path, rows: list[dict[str, Any]], **head: Any) -> Report:
    """Report on a run whose files are as old as its last row."""
    make_run(root, rows, head=header(**head), written_ms=CALLED)
    with open_workspace(root) as workspace:
        return report_on_run(workspace, workspace.runs()[0], str(root), "maka-ledger 1.2.3", NOW)


def _hostile(root: Path) -> Report:
    rows = [
        text("e1\n# id", HOSTILE),
        call(f"e2{HOSTILE}", HOSTILE, {HOSTILE: HOSTILE, "line": f"`x` {HOSTILE[:30]}"}, ts=CALLED),
        text("e3", HOSTILE),
    ]
    rows[1]["content"]["name"] = f"Bash`{HOSTILE}"
    return _run(root, rows, cwd=HOSTILE)


def _story(root: Path) -> Report:
    rows = [text("e1"), call("e2"), response("e3"), call("e4", "u", {"command": "deploy"}, ts=CALLED), text("e5")]
    return _run(root, rows, cwd="/home/me")


def test_a_call_in_doubt_is_told_with_time_place_folder_and_arguments(tmp_path: Path) -> None:
    """When, where, with what; what the ledger proves and does not show; what to do; the rows around it."""
    (run,) = _story(tmp_path).runs
    (doubt,) = run.doubts
    row = (tmp_path / "sessions/sess-1/runs/run-1/runtime-events.jsonl").read_bytes().split(b"\n")[3]

    assert run.verdict.verdict is Verdict.MAY_HAVE_RUN
    assert (doubt.facts.number, doubt.row.line, doubt.row.length) == (4, 4, len(row))
    assert doubt.facts.ts == CALLED
    assert doubt.facts.arguments == (("command", "deploy"),)
    assert [row.number for row in doubt.timeline] == [1, 2, 3, 4, 5]
    assert [row.number for row in doubt.timeline if row.about] == [4]
    assert [found.code for found in doubt.diagnostics] == ["pending_tool_result"]
    assert (run.settled, run.more_doubts) == (1, 0)


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    """A report of very much has an end: doubts, diagnostics and remarks that it does not tell are numbers in it."""
    rows = [call(f"e{number}", f"t{number}") for number in range(70)]
    make_run(tmp_path, rows, tail=b"no row\n" * 65, written_ms=CALLED)
    with open_workspace(tmp_path) as workspace:
        report = report_on_run(workspace, workspace.runs()[0], str(tmp_path), "maka-ledger 1.2.3", NOW)
    (run,) = report.runs
    said = report_markdown(report)

    assert (len(run.doubts), run.more_doubts) == (50, 20)
    assert "20 more unresolved calls are not told here" in said
    assert f"{len(run.diagnostics) - 60:,} more diagnostics are not told here" in said
    assert f"{len(run.findings) - 60:,} more findings are not told here" in said


def test_markdown_says_the_binding_words(tmp_path: Path) -> None:
    """Verdict, doubt, what is not shown, what to do, the time of the call and how long ago it was, who made it."""
    said = report_markdown(_story(tmp_path))

    for words in (
        "# ✗ REPLAY BLOCKED: run `run-1`",
        "1 unresolved call may have run: `Bash  deploy`",
        "**Do not run it again until you have checked the target.**",
        "## 1. ? MAY HAVE RUN: `Bash` `u`",
        "2 h ago",
        "- in `/home/me`",
        "- `command`: `deploy`",
        "**The ledger does not show**",
        "same committed prefix as failpoints P1 P2 P3 P4",
        "by maka-ledger 1.2.3; read-only",
    ):
        assert words in said, words


def test_the_document_keeps_the_data_as_it_is(tmp_path: Path) -> None:
    """What is hostile to a terminal or a page is data in JSON: not a character is changed."""
    document = json.loads(encode_document(report_document(_hostile(tmp_path))))
    (doubt,) = document["runs"][0]["unsettledCalls"]

    assert doubt["args"][HOSTILE] == HOSTILE
    assert doubt["toolCallId"] == HOSTILE
    assert doubt["cwd"] == HOSTILE
    assert document["madeAt"] == NOW


def _assert_harmless(said: str) -> None:
    """No character that a terminal obeys, that reorders a line, or that hides."""
    odd = {char for char in said if unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs") and char != "\n"}
    assert odd == set()


def test_no_data_can_break_out_of_markdown(tmp_path: Path) -> None:
    """Parsed by a Markdown reader the report has our headings and no link, image, table or tag of anybody else."""
    hostile = report_markdown(_hostile(tmp_path / "hostile"))
    plain = report_markdown(_story(tmp_path / "plain"))
    tokens = MarkdownIt("gfm-like").parse(hostile)
    inside = [child for token in tokens for child in token.children or ()]

    _assert_harmless(hostile)
    kinds = {token.type for token in (*tokens, *inside)}
    assert not {kind for kind in kinds if kind.startswith(("html", "link", "image", "table", "hr", "blockquote"))}
    headings = [token for token in tokens if token.type == "heading_open"]
    assert [token.tag for token in headings] == ["h1", "h2"]
    assert re.findall("^#+", plain, re.MULTILINE) == ["#", "##"]
    said = "".join(child.content for child in inside if child.type == "text")
    assert "evil" not in said
    assert "@all" not in said


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[tuple[str, str]] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember the tag with each of its attributes."""
        self.seen.update((tag, name) for name, _ in attrs)
        self.seen.add((tag, ""))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Hold the document to closing what it opened, in order."""
        assert self.open.pop() == tag


def test_no_data_can_break_out_of_html(tmp_path: Path) -> None:
    """The page has our tags and attributes alone, well nested, whatever the data says; nothing hidden stands in it."""
    said = report_html(_hostile(tmp_path))
    tags = _Tags()
    tags.feed(said)

    _assert_harmless(said)
    assert tags.open == []
    ours = {"html", "head", "meta", "title", "style", "body", "footer", "h1", "h2", "h3", "p", "strong", "code", "b"}
    assert {tag for tag, _ in tags.seen} <= ours | {"pre", "ul", "ol", "li"}
    assert {name for _, name in tags.seen} <= {"", "lang", "charset", "content", "name", "http-equiv", "class"}
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in said


def test_the_page_needs_nothing_from_anywhere(tmp_path: Path) -> None:
    """No script, no address, no import; both colour schemes; and the browser is told to load nothing."""
    said = report_html(_story(tmp_path))

    assert not re.search(r"<script|https?:|src=|href=|url\(|@import", said)
    assert "prefers-color-scheme: dark" in said
    assert "default-src 'none'" in said


def test_a_long_argument_is_cut_and_its_length_is_told(tmp_path: Path) -> None:
    """Megabytes of arguments do not make a ticket of megabytes; the document has them all."""
    report = _run(tmp_path, [call("e1", "t", {"content": "x\n" * 100_000, "wide": "y" * 100_000}, ts=CALLED)])

    assert len(report_markdown(report)) < 20_000
    assert "This is the beginning of 200,000 characters." in report_markdown(report)
    assert len(encode_document(report_document(report))) > 300_000


def test_a_run_that_may_be_running_is_not_called_crashed(tmp_path: Path) -> None:
    """Recent writes come first, and the decision is worded as what would be."""
    make_run(tmp_path, [call("e1", ts=NOW - 5_000)], written_ms=NOW - 4_000)
    with open_workspace(tmp_path) as workspace:
        report = report_on_run(workspace, workspace.runs()[0], "x", "maka-ledger", NOW)

    said = report_markdown(report)

    assert said.startswith("# ~ MAY BE RUNNING: run `run-1`")
    assert "Last write 4 s ago; if it died now: REPLAY BLOCKED." in said


def test_a_replayable_run_is_told_so_without_being_called_safe(tmp_path: Path) -> None:
    """The words are the contract's; the last rows are shown."""
    said = report_markdown(_run(tmp_path, [text("e1"), terminal("e2")], status="completed"))

    assert said.startswith("# ✓ HISTORY MAY BE REPLAYED: run `run-1`")
    assert "Runs no tool, undoes nothing, checks no target." in said
    assert not re.search(r"\bsafe\b|\bOK\b", said)


def test_a_workspace_is_counted_and_every_blocked_run_is_told(tmp_path: Path) -> None:
    """Counts of all runs; sections for the blocked ones, most urgent first; none for the others."""
    for number, rows in enumerate(([call("e1", ts=CALLED)], [text("e1")], [text("e1"), {"id": "odd"}])):
        name = f"run-{number}"
        rows = [{**row, "runId": name} if "runId" in row else row for row in rows]
        make_run(tmp_path, rows, head=header(runId=name), written_ms=CALLED)
    with open_workspace(tmp_path) as workspace:
        report = report_on_workspace(workspace, str(tmp_path), "maka-ledger", NOW)

    assert report.counts is not None
    assert {verdict: count for verdict, count in report.counts if count} == {
        Verdict.MAY_HAVE_RUN: 1,
        Verdict.UNREADABLE: 1,
        Verdict.REPLAYABLE: 1,
    }
    assert [run.run_id for run in report.runs] == ["run-0", "run-2"]
    said = report_markdown(report)
    assert "- ? MAY HAVE RUN: 1\n- ! UNREADABLE: 1\n- ✓ replayable: 1" in said
    assert "! UNREADABLE `row_invalid_event` line 2" in said


def test_an_empty_workspace_has_nothing_to_resume(tmp_path: Path) -> None:
    """No runs is information."""
    (tmp_path / "sessions").mkdir()
    with open_workspace(tmp_path) as workspace:
        report = report_on_workspace(workspace, str(tmp_path), "maka-ledger", NOW)

    assert "No runs: nothing to resume." in report_markdown(report)
    assert report.runs == ()


def test_stale_files_are_called_stale_before_anything_else(tmp_path: Path) -> None:
    """Beside a database nobody shall take them for what Maka reads."""
    make_run(tmp_path, [call("e1", ts=CALLED)], written_ms=CALLED)
    (tmp_path / "runtime.sqlite").write_bytes(b"")
    with open_workspace(tmp_path / "sessions" / "sess-1") as workspace:
        report = report_on_workspace(workspace, "x", "maka-ledger", NOW)

    said = report_markdown(report)

    assert said.split("\n")[2].startswith("**Stale: Maka reads only the database")
    assert "`stale_jsonl`" in said
    assert "stale JSONL: a runtime.sqlite stands beside it" in said
