"""What changed between two prefixes of one ledger, and between two ledgers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core import Inspection, Run, inspect, open_workspace
from core.evidence.diff import Difference, Relation, compare
from core.evidence.diff_json import diff_document
from tests.support.runs import call, event, response, terminal, text
from tests.support.workspaces import make_run

STORY = [text("e1"), call("e2"), response("e3"), call("e4", "u"), response("e5", "u"), terminal("e6")]


def _inspect(root: Path, rows: list[dict[str, Any]], high_water: int | None = None) -> Inspection:
    make_run(root, rows)
    with open_workspace(root) as workspace:
        return inspect(workspace.runs()[0].ledger(), high_water=high_water)


def _changes(difference: Difference) -> list[tuple[str, str]]:
    return [(one.known.tool_call_id, one.change) for one in difference.operations]


def test_two_prefixes_of_one_ledger(tmp_path: Path) -> None:
    """Two more events settle a call and make another: the shorter is a prefix, and only these two calls change."""
    after = _inspect(tmp_path, STORY, 4)
    before = inspect(after.ledger, high_water=2)

    difference = compare(before, after)

    assert difference.relation is Relation.EXTENDED
    assert difference.first_difference is None
    assert list(difference.added) == [2, 3]
    assert not difference.removed
    assert not difference.changed
    assert _changes(difference) == [("t", "status"), ("u", "added")]
    assert [found.tool_call_id for found in difference.diagnostics[0]] == ["u"]
    assert [found.tool_call_id for found in difference.diagnostics[1]] == ["t"]
    assert compare(after, before).relation is Relation.SHORTENED
    assert _changes(compare(after, before)) == [("t", "status"), ("u", "removed")]
    assert compare(after, after).relation is Relation.SAME


def test_two_copies_of_one_run_are_the_same_however_they_are_spelt(tmp_path: Path) -> None:
    """Another order of keys in a row is no difference; one more event is."""
    spelt = [dict(reversed(list(row.items()))) for row in STORY]

    same = compare(_inspect(tmp_path / "a", STORY), _inspect(tmp_path / "b", spelt))
    more = compare(_inspect(tmp_path / "c", STORY[:5]), _inspect(tmp_path / "d", spelt))

    assert same.relation is Relation.SAME
    assert more.relation is Relation.EXTENDED
    assert more.common == 5
    assert list(more.added) == [5]


def test_ledgers_that_part_name_their_first_difference(tmp_path: Path) -> None:
    """The same id with other content is a change, an event in between an addition, a missing one a removal."""
    other = [STORY[0], call("e2", args={"command": "else"}), text("new"), *STORY[2:5]]
    difference = compare(_inspect(tmp_path / "a", STORY), _inspect(tmp_path / "b", other))
    first = difference.first_difference

    assert difference.relation is Relation.DIVERGED
    assert difference.common == 1
    assert first is not None
    assert (first.before, first.after, first.differs) == (1, 1, ("content",))
    assert [(pair.before, pair.after) for pair in difference.changed] == [(1, 1)]
    assert list(difference.added) == [2]
    assert list(difference.removed) == [5]


def test_runs_with_other_ids_are_aligned_by_position(tmp_path: Path) -> None:
    """The same story told twice differs in ids alone: nothing is added, calls keep their counterparts."""
    again = [text("x1"), call("x2", "other"), response("x3", "other")]
    difference = compare(_inspect(tmp_path / "a", STORY[:2]), _inspect(tmp_path / "b", again))

    assert [pair.differs for pair in difference.changed] == [("id",), ("id", "content", "refs")]
    assert list(difference.added) == [2]
    assert not difference.removed
    assert [one.change for one in difference.operations] == ["status"]


def test_a_status_that_stays_for_another_reason_is_told(tmp_path: Path) -> None:
    """Two contradictions in turn leave the call contradictory: the reason is what changed."""
    rows = [call("e1"), call("e2"), event("e3", role="tool", author="tool", refs={"toolCallId": "t"})]
    rows[2]["content"] = {"kind": "function_response", "id": "t", "name": "Read", "result": 1}
    after = _inspect(tmp_path, rows)
    before = inspect(after.ledger, high_water=1)
    middle = inspect(after.ledger, high_water=2)

    assert _changes(compare(before, middle)) == [("t", "status")]
    assert _changes(compare(middle, after)) == []
    assert compare(middle, after).unchanged == 1


def test_the_document_numbers_events_from_one(tmp_path: Path) -> None:
    """Numbers, ids, kinds and one line of what was added; the decision of both sides."""
    after = _inspect(tmp_path, STORY, 2)
    document = diff_document(compare(inspect(after.ledger, high_water=1), after), "a#1", "a#2")

    assert document["schema"] == "maka-ledger/diff@1"
    assert document["addedEvents"] == [{"event": 2, "id": "e2", "kind": "call", "ts": 5.0, "summary": "Bash"}]
    assert document["before"] | {"path": ""} == {  # type: ignore[operator]  # a document of plain JSON types
        "path": "",
        "sessionId": "sess-1",
        "runId": "run-1",
        "highWater": 1,
        "committedEvents": 6,
        "whatIf": True,
        "verdict": "replayable",
        "disposition": "safe_replay",
        "rejectionReasons": [],
        "replayedEvents": 1,
    }
    assert document["operations"] == [
        {
            "toolCallId": "t",
            "toolName": "Bash",
            "change": "added",
            "after": {"status": "indeterminate", "reason": "legacy_dispatch_unknown", "callEvent": 2, "events": [2]},
        }
    ]


def _operations(inspection: Inspection) -> int:
    return len(inspection.operations) + len(inspection.nested_operations)


def _as_if_apart(run: Run, start: int, end: int) -> list[tuple[str, str]]:
    """Compare the same prefixes of two readings of the run, which are looked at in full."""
    one, other = run.ledger(), run.ledger()
    found = _changes(compare(inspect(one, high_water=start), inspect(other, high_water=end)))
    one.close()
    other.close()
    return found


def test_a_difference_accounts_for_every_event_and_every_call(workspaces: Path) -> None:
    """Of prefixes of every recorded run: events and operations add up, whether it is read once or twice."""
    for root in sorted(path for path in workspaces.iterdir() if path.is_dir()):
        with open_workspace(root) as workspace:
            for run in workspace.runs():
                ledger = run.ledger()
                length = len(ledger)
                for start, end in ((0, length), (length // 2, length), (length, length // 3)):
                    before, after = inspect(ledger, high_water=start), inspect(ledger, high_water=end)
                    difference = compare(before, after)

                    assert difference.common == min(start, end)
                    assert len(difference.added) == max(0, end - start)
                    assert len(difference.removed) == max(0, start - end)
                    added = sum(one.before is None for one in difference.operations)
                    removed = sum(one.after is None for one in difference.operations)
                    kept = len(difference.operations) - added - removed + difference.unchanged
                    assert (kept + removed, kept + added) == (_operations(before), _operations(after))
                    assert _as_if_apart(run, start, end) == _changes(difference)
                ledger.close()
