"""A run in three short sentences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core import Finding, Verdict, inspect, open_workspace
from core.inspection.brief import Brief, brief
from core.inspection.triage import summarize_run, summary_of, triage
from tests.support.harbor import NOW_MS, harbor_workspace
from tests.support.runs import call, dispatch, response, text
from tests.support.workspaces import make_run

DO_NOT = "do not rerun it or resume this run."


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a workspace with every verdict."""
    return harbor_workspace(tmp_path_factory.mktemp("harbor") / "default", 2)


def brief_of(root: Path, run_id: str | None = None) -> Brief:
    """Say it of one run."""
    workspace = open_workspace(root)
    run = workspace.run(run_id) if run_id else workspace.runs()[0]
    return brief(inspect(run.ledger(), now_ms=NOW_MS))


@pytest.mark.parametrize(
    ("run_id", "stands", "seen", "act"),
    [
        (
            "run-7f3e",
            "Committed, no response: the ledger does not show whether it took effect.",
            ("allowed by user", "heartbeat", "torn row"),
            f"look at the target; {DO_NOT}",
        ),
        (
            "run-22c0",
            "Committed, no response: the ledger does not show whether it took effect.",
            ("permission never answered",),
            f"look at the target; {DO_NOT}",
        ),
        (
            "run-91aa",
            "What stands before the damage is shown; the ledger does not show what the damaged row said.",
            (),
            "keep a copy of the storage as it is; do not resume this run.",
        ),
        (
            "run-0b61",
            (
                "Rows about this call disagree: arguments do not match. "
                "The ledger does not show with which arguments it ran."
            ),
            (),
            f"read its rows in order, look at the target; {DO_NOT}",
        ),
        (
            "run-0b7d",
            (
                "Observed, not settled; a person decides. After the crash the target was found neither as before the "
                "call nor as expected after it."
            ),
            (),
            f"read what was observed, look at the target; {DO_NOT}",
        ),
        (
            "run-5e11",
            "By this run's protocol it had not started. Replay stays blocked.",
            (),
            "ask for it anew in a new run if it is still wanted; do not resume this one.",
        ),
        (
            "run-7f40",
            "A writer may be alive. If it died now: its history could not be replayed.",
            (),
            "do not start anything on this run until it has ended.",
        ),
        ("run-3a01", "Runs no tool, undoes nothing, checks no target. 4 tool calls, all settled.", (), ""),
        ("run-41e0", "Runs no tool, undoes nothing, checks no target. No tool call is recorded.", (), ""),
    ],
)
def test_every_verdict_has_its_words(harbor: Path, run_id: str, stands: str, seen: tuple[str, ...], act: str) -> None:
    """How it stands, what was also seen, what to do before anyone acts."""
    assert brief_of(harbor, run_id) == Brief(stands, seen, act)


def test_a_dispatched_call_is_known_to_have_been_handed_over(tmp_path: Path) -> None:
    """With a dispatch on record the sentence starts with it."""
    make_run(tmp_path, [text("e1"), call("e2"), dispatch("e3")])

    assert brief_of(tmp_path).stands.startswith("Dispatched, no response: the ledger does not show whether it finished")


@pytest.mark.parametrize(
    ("rows", "stands"),
    [
        (
            [text("e1"), text("e1")],
            (
                "Two events of this ledger carry the same id; the later is not used. "
                "The ledger does not show which of them is meant."
            ),
        ),
        (
            [text("e1"), response("e2")],
            "A response is recorded, and no call stands before it. The ledger does not show what was asked for.",
        ),
    ],
)
def test_contradictions_without_a_call_are_told(tmp_path: Path, rows: list[dict[str, Any]], stands: str) -> None:
    """Where rows disagree and no call is in doubt by itself, the sentence says how they disagree."""
    make_run(tmp_path, rows)

    assert brief_of(tmp_path) == Brief(stands, (), "read the rows that disagree; do not resume this run.")


def test_a_call_before_the_damage_is_not_forgotten(tmp_path: Path) -> None:
    """An unreadable run with an open call says both, and what to do about both."""
    make_run(tmp_path, [text("e1"), call("e2", args={"command": "ls"})], tail=b"garbage\n")

    said = brief_of(tmp_path)
    assert said.stands.startswith("Before the damage Bash  ls may have run. ")
    assert said.act == f"keep a copy of the storage as it is; look at the target; {DO_NOT}"


def test_a_bad_header_is_the_news(tmp_path: Path) -> None:
    """Without a header nobody knows whose rows these are."""
    folder = make_run(tmp_path, [text("e1")])
    (folder / "run.json").write_text("{", encoding="utf-8")

    assert brief_of(tmp_path).stands == (
        "The run's header cannot be trusted: the ledger does not show to which run these rows belong."
    )


def test_stale_files_say_where_to_look(harbor: Path, tmp_path: Path) -> None:
    """Of files beside a database the first news is that nobody reads them."""
    make_run(tmp_path, [text("e1"), call("e2")])
    (tmp_path / "runtime.sqlite").touch()
    run = open_workspace(tmp_path / "sessions" / "sess-1").runs()[0]

    said = brief(inspect(run.ledger()))
    assert said.stands.startswith("Stale: Maka reads only the database beside these files.")
    assert said.act == "open the state root: its runtime.sqlite is the ledger."
    summary = summarize_run(run)
    assert (summary.verdict, summary.note) == (Verdict.UNREADABLE, "stale JSONL")


@pytest.mark.parametrize(
    ("code", "verdict", "stands", "why"),
    [
        ("wal_truncated", Verdict.UNREADABLE, "The database has lost commits: this run may", "commits are lost"),
        ("main_truncated", Verdict.UNREADABLE, "The database has lost commits: this run may", "commits are lost"),
        ("wal_missing", Verdict.REPLAYABLE, "The database may have lost commits, and this", "commits may be lost"),
    ],
)
def test_a_loss_is_told_as_surely_as_it_is_known(
    tmp_path: Path, code: str, verdict: Verdict, stands: str, why: str
) -> None:
    """Lost commits come first, and a whole copy is asked for; a log that is missing may have been closed in order."""
    make_run(tmp_path, [text("e1")])
    run = open_workspace(tmp_path).runs()[0]
    inspection = inspect(replace(run.ledger(), findings=(Finding(code, "the log"),)))

    assert inspection.verdict is verdict
    assert brief(inspection).stands.startswith(stands)
    assert "whole copy" in brief(inspection).act
    assert why in str(summary_of(inspection, None, run).note)


def test_hostile_words_are_no_format(tmp_path: Path) -> None:
    """Braces, percent signs and markup in a workspace's words come through as they are."""
    args = {"command": "{0} {x!r} %s [/nope]"}
    make_run(tmp_path, [text("e1"), call("e2", "{says}", args=args)], tail=b"garbage\n")

    assert "{0} {x!r} %s [/nope]" in brief_of(tmp_path).stands


def test_the_list_says_the_same(harbor: Path) -> None:
    """The summary of a run carries the three sentences, and when the call was made."""
    with open_workspace(harbor) as workspace:
        summary = next(s for s in triage(workspace, NOW_MS) if s.run_id == "run-7f3e")
    document = summary.as_document()

    assert document["stands"] == summary.stands == brief_of(harbor, "run-7f3e").stands
    assert document["alsoSeen"] == ["allowed by user", "heartbeat", "torn row"]
    assert document["toDo"] == summary.act
    assert document["calledAt"] == summary.called_ms == 1795953621704.0
