"""The answer to "why", as a value and as Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core import (
    Inspection,
    Why,
    WhySection,
    inspect,
    open_workspace,
    verdict_facts,
    why_markdown,
    why_operation,
    why_run,
)
from tests.support.runs import call, dispatch, response, terminal, text
from tests.support.workspaces import make_run

NOW = 7_200_005.0


def inspected(root: Path, rows: list[dict[str, Any]], tail: bytes = b"", **asked: Any) -> Inspection:
    """Write a run, read it and inspect it two hours after its events."""
    make_run(root, rows, tail=tail)
    return inspect(open_workspace(root).runs()[0].ledger(), now_ms=NOW, **asked)


def texts(why: Why, section: WhySection) -> list[str]:
    """Return the statements of a section."""
    return [f"{line.name}={line.text}" if line.name else line.text for line in why.lines(section)]


def test_markdown_of_a_what_if_says_that_it_is_one(tmp_path: Path) -> None:
    """What is copied while a shorter prefix is looked at can never be taken for the run's verdict."""
    inspection = inspected(tmp_path, [text("e1"), call("e2")], high_water=1)

    said = why_markdown(inspection, verdict_facts(inspection), why_run(inspection))

    assert "\nWHAT-IF after event 1 of 2: not the run's verdict.\n" in said


def test_an_open_call(tmp_path: Path) -> None:
    """When, where and with what it was called, what is proved, what is not, what to do; each with its row."""
    torn = b'{"id":"e9","content":{"kind":"function_response","id":"t","name":"Bash","res'
    inspection = inspected(tmp_path, [text("e1"), call("e2", args={"command": "rm x", "n": 1})], torn)

    why = why_operation(inspection, inspection.doubts[0])

    assert why.codes == ("indeterminate", "pending_tool_result")
    assert (why.tool_name, why.tool_call_id, why.row) == ("Bash", "t", 1)
    assert texts(why, WhySection.FACTS) == [
        "command=rm x",
        "n=1",
        "in=/w",
        "called=1970-01-01 00:00:00.005 UTC, 2 h ago",
    ]
    assert texts(why, WhySection.REASON) == ["legacy_dispatch_unknown=no response, and this run records no dispatch"]
    assert texts(why, WhySection.PROVES) == ["The model asked for this call; that was committed."]
    assert texts(why, WhySection.NOT_SHOWN) == ["Whether it started, finished or took effect."]
    assert texts(why, WhySection.ALSO_SEEN) == ["the torn row starts like its response"]
    assert len(texts(why, WhySection.TO_DO)) == 2
    assert texts(why, WhySection.DIAGNOSTICS) == []
    assert [line.row for line in why.lines(WhySection.FACTS) if line.name == "called"] == [1]


def test_other_diagnostics_stand_below_a_call(tmp_path: Path) -> None:
    """What else blocks the run is named beside the call that was asked for, with the row to go to."""
    inspection = inspected(tmp_path, [call("e1", "a"), call("e2", "b"), response("e3", "x")])

    why = why_operation(inspection, inspection.doubts[0])

    assert [(line.name, line.row) for line in why.lines(WhySection.DIAGNOSTICS)] == [
        ("pending_tool_result", 1),
        ("tool_ledger_corruption", 2),
        ("unmatched_tool_result", 2),
    ]


def test_a_settled_call(tmp_path: Path) -> None:
    """A recorded response is a recorded response, not a checked effect."""
    inspection = inspected(
        tmp_path, [call("e1"), dispatch("e2"), response("e3", refs={"toolCallId": "t", "operationId": "op-1"})]
    )

    why = why_operation(inspection, inspection.operations[0])

    assert why.codes == ("succeeded",)
    assert "dispatched=event 2, recovery mode never_auto_retry" in texts(why, WhySection.FACTS)
    assert "response=event 3, no error" in texts(why, WhySection.FACTS)
    assert not why.lines(WhySection.TO_DO)


def test_a_run_says_of_a_dispatched_call_what_the_call_says(tmp_path: Path) -> None:
    """That a call was handed to its tool is known of the run as a whole too: that it started is in no doubt there."""
    inspection = inspected(tmp_path, [call("e1"), dispatch("e2")])

    assert texts(why_run(inspection), WhySection.NOT_SHOWN) == ["Whether it finished or took effect."]
    assert texts(why_operation(inspection, inspection.doubts[0]), WhySection.NOT_SHOWN) == texts(
        why_run(inspection), WhySection.NOT_SHOWN
    )
    assert texts(why_run(inspected(tmp_path / "b", [call("e1")])), WhySection.NOT_SHOWN) == [
        "Whether it started, finished or took effect."
    ]


def test_a_replayable_run(tmp_path: Path) -> None:
    """Why it may be replayed, and what that does not mean."""
    inspection = inspected(tmp_path, [call("e1"), response("e2"), terminal("e3")])

    why = why_run(inspection)

    assert texts(why, WhySection.PROVES) == [
        "The one tool call of this prefix has a recorded outcome.",
        "The run ended: completed.",
    ]
    assert "a replay runs no tool" in texts(why, WhySection.NOT_SHOWN)[0]
    assert why.codes == ()


def test_an_empty_run(tmp_path: Path) -> None:
    """Nothing to resume is information, not a fault."""
    assert texts(why_run(inspected(tmp_path, [])), WhySection.PROVES) == [
        "Nothing to resume: the prefix holds no event."
    ]


def test_an_unreadable_run(tmp_path: Path) -> None:
    """The damaged row is named with its place and the complaint, and leads to the row."""
    why = why_run(inspected(tmp_path, [text("e1")], b'{"id": oops}\n{"also":1}\n', expected_high_water=3))

    found = why.lines(WhySection.DIAGNOSTICS)
    assert [(line.name, line.row) for line in found] == [
        ("runtime_ledger_unreadable", 1),
        ("runtime_ledger_unreadable", 2),
        ("runtime_offset_mismatch", None),
    ]
    assert found[2].text == "expected 3 events, found 1"
    assert [(line.name, line.row) for line in why.lines(WhySection.STORAGE)] == [
        ("row_invalid_json", 1),
        ("row_invalid_event", 2),
    ]


def test_a_blocked_run_never_looks_replayable(tmp_path: Path) -> None:
    """Whatever blocks, no sentence says that every call has an outcome."""
    for number, rows in enumerate(([text("e1"), text("e1")], [response("e1")], [call("e1")])):
        why = why_run(inspected(tmp_path / str(number), rows))

        assert not any("recorded outcome" in said for said in texts(why, WhySection.PROVES))
        assert why.lines(WhySection.DIAGNOSTICS)
        assert why.lines(WhySection.TO_DO)


def test_markdown_holds_hostile_text_and_keeps_its_form(tmp_path: Path) -> None:
    """The ledger's words stand in code as they are; no word of theirs can become a heading, a link or a fence."""
    nasty = "```\n# SAFE TO RUN\n[click](http://x) `` <b>"
    inspection = inspected(tmp_path, [call("e1", "`id`", args={"command": nasty, "# key": "*x*"})])

    text_ = why_markdown(inspection, verdict_facts(inspection), why_operation(inspection, inspection.doubts[0]))

    assert text_.startswith("# REPLAY BLOCKED: run `run-1`\n")
    assert "\n# SAFE" not in text_
    assert "````" in text_
    assert "`` `id` ``" in text_
    assert "- `# key`: `*x*`" in text_
    assert "1. Look at the target" in text_
