"""What the top of a screen says, and where the doubts of a ledger are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core import (
    Disposition,
    Doubts,
    Inspection,
    OperationIndex,
    Verdict,
    doubts_of,
    flip_after,
    flip_before,
    inspect,
    open_workspace,
    verdict_facts,
    what_if_disposition,
)
from tests.support.runs import call, response, text
from tests.support.workspaces import make_run

OPEN_CALL = [text("e1"), call("e2", "a"), response("e3", "a"), text("e4"), call("e5", "b", {"command": "rm x"})]
BAD_ROW = b'{"id": oops}\n'


def inspected(root: Path, rows: list[dict[str, Any]], tail: bytes = b"", **asked: Any) -> Inspection:
    """Write a run, read it and inspect it."""
    make_run(root, rows, tail=tail)
    return inspect(open_workspace(root).runs()[0].ledger(), **asked)


def doubts(inspection: Inspection) -> Doubts:
    """Find the doubts of an inspected prefix."""
    return doubts_of(inspection, OperationIndex(inspection.ledger.tool_ledger, inspection.high_water))


def test_an_open_call(tmp_path: Path) -> None:
    """The sentence, the call that belongs behind it, and each code with what it rolls up to."""
    facts = verdict_facts(inspected(tmp_path, OPEN_CALL))

    assert facts.blocked
    assert facts.headline == facts.unresolved == "1 unresolved call may have run:"
    assert facts.call is not None
    assert (facts.call.tool_name, facts.call.summary, facts.call.number) == ("Bash", "rm x", 5)
    assert facts.codes == "pending_tool_result (dangling_tool_state)"
    assert facts.prefix_short == (
        "prefix 5 of 5: after_function_call, same as failpoints P1 P2 P3 P4",
        "prefix 5 of 5: after_function_call, same as P1 P2 P3 P4",
    )
    assert facts.prefix_brief == "prefix 5/5, same as P1 P2 P3 P4"
    assert "same committed prefix as failpoints" in facts.prefix
    assert (facts.stale, facts.empty, facts.disagrees, facts.mismatch) == (False, False, False, "")


def test_damage_hides_no_open_call(tmp_path: Path) -> None:
    """Where a row is unreadable and a call is open, both are said, and both codes."""
    facts = verdict_facts(inspected(tmp_path, OPEN_CALL, BAD_ROW))

    assert facts.headline.startswith("row 6, byte ")
    assert facts.unresolved == "1 unresolved call may have run:"
    assert facts.codes == "runtime_ledger_unreadable; pending_tool_result (dangling_tool_state)"
    assert facts.codes_short == "runtime_ledger_unreadable +1"


def test_an_unexpected_length(tmp_path: Path) -> None:
    """The two numbers are said for themselves, whatever else is wrong."""
    facts = verdict_facts(inspected(tmp_path, OPEN_CALL, expected_high_water=9))

    assert facts.mismatch == "expected 9 events, found 5"
    assert facts.codes == "runtime_offset_mismatch; pending_tool_result (dangling_tool_state)"
    assert facts.verdict is Verdict.MAY_HAVE_RUN


def test_only_an_unexpected_length(tmp_path: Path) -> None:
    """Where nothing else is wrong the rows contradict nothing: the verdict says that the length is another one."""
    facts = verdict_facts(inspected(tmp_path, [text("e1")], expected_high_water=9))

    assert facts.verdict is Verdict.OTHER_LENGTH
    assert facts.headline == "expected 9 events, found 1"


def test_nothing_recorded(tmp_path: Path) -> None:
    """A ledger without a row is no accident: there is nothing to resume."""
    facts = verdict_facts(inspected(tmp_path, []))

    assert facts.empty
    assert not facts.blocked
    assert (facts.headline, facts.codes) == ("", "")


def test_doubtful_rows(tmp_path: Path) -> None:
    """Open calls and unreadable rows carry marks; doubt begins where it stays to the end, not at settled windows."""
    found = doubts(inspected(tmp_path, OPEN_CALL, BAD_ROW))

    assert dict(found.marks) == {4: "indeterminate", 5: "unreadable"}
    assert found.start == 4
    assert [found.after(row) for row in (-1, 4, 5)] == [4, 5, 4]
    assert [found.before(row) for row in (9, 5, 4)] == [5, 4, 5]


def test_contradicting_rows_are_doubtful(tmp_path: Path) -> None:
    """Every event that a diagnostic names carries a mark."""
    found = doubts(inspected(tmp_path, [text("e1"), response("e2", "a"), text("e1")]))

    assert dict(found.marks) == {1: "corruption", 2: "corruption"}
    assert found.start == 1


def test_no_doubt(tmp_path: Path) -> None:
    """In a settled ledger there is nowhere to go."""
    found = doubts(inspected(tmp_path, OPEN_CALL[:4]))

    assert (found.rows, found.start, found.after(0), found.before(0)) == ((), None, None, None)


def test_flips() -> None:
    """Each step goes to the nearest prefix that is decided otherwise, and there is none beyond the last."""
    blocked = bytes([0, 1, 0, 0, 1, 1])

    assert [flip_after(blocked, end) for end in range(7)] == [2, 2, 3, 5, 5, None, None]
    assert [flip_before(blocked, end) for end in range(7)] == [None, None, 1, 2, 2, 4, 4]
    assert flip_before(bytes([1, 1]), 2) == 0
    assert (flip_after(b"", 0), flip_before(b"", 0)) == (None, None)


@pytest.mark.parametrize(("tail", "blocked"), [(b"", [False, False, True, False]), (BAD_ROW, [True] * 4)])
def test_what_would_be(tmp_path: Path, tail: bytes, blocked: list[bool]) -> None:
    """A shorter prefix is decided like that prefix alone; damaged storage forbids them all."""
    inspection = inspected(tmp_path, OPEN_CALL, tail)

    found = [what_if_disposition(inspection, end) is Disposition.BLOCKED for end in range(4)]
    assert found == blocked
    assert found == [inspect(inspection.ledger, high_water=end).plan.blocked for end in range(4)]
