"""What a path with a database opens as, and what of older versions lies in files beside it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from core import NotAWorkspace, WorkspaceMissing, inspect, open_workspace
from core.evidence.documents import run_document
from tests.support.databases import SCHEMA, Statement, add_session, crash_database, log_of, plain, write_database
from tests.support.live_database import LiveDatabase
from tests.support.runs import INVOCATION, RUN, SESSION, TURN, call, header, response, text
from tests.support.workspaces import fingerprint, make_run
from tests.support.writers import IDLE, Writer

MAIN = "runtime.sqlite"
OLDEST = [SCHEMA[0], SCHEMA[1], "PRAGMA user_version = 4"]
"""Of the versions that kept headers, names and most ledgers in files."""


def add(document: dict[str, Any], number: int) -> Statement:
    """Return the statement that adds an event to the one run."""
    values = (document["id"], SESSION, INVOCATION, RUN, TURN, number, "k", json.dumps(document), number)
    return "INSERT INTO runtime_events VALUES (?,?,?,?,?,?,?,?,?)", values


def add_header() -> Statement:
    """Return the statement that adds its header."""
    return "INSERT INTO core_agent_runs VALUES (?,?,?,?)", (SESSION, RUN, 1, json.dumps(header()))


def database(root: Path, *statements: Statement) -> Path:
    """Write the database of a state root with the run and one event of its own."""
    made = [*plain(*SCHEMA), add_session(SESSION, name="From the database"), add_header(), add(text("d1"), 1)]
    return write_database(root / MAIN, [*made, *statements])


def test_a_root_with_a_database_is_the_database(tmp_path: Path) -> None:
    """Ledgers in files beside it are stale: not shown, and said to be there."""
    make_run(tmp_path, [text("f1"), call("f2")])
    database(tmp_path)
    before = fingerprint(tmp_path)
    with open_workspace(tmp_path) as workspace:
        assert (workspace.storage, workspace.stale) == ("sqlite", False)
        assert [finding.code for finding in workspace.findings] == ["jsonl_beside"]
        (run,) = workspace.runs()
        assert ([event.id for event in run.ledger()], run.ledger().stale) == (["d1"], False)
        assert [session.title for session in workspace.sessions] == ["From the database"]
    assert fingerprint(tmp_path) == before


@pytest.mark.parametrize("place", [f"sessions/{SESSION}", f"sessions/{SESSION}/runs/{RUN}"])
def test_files_beside_a_database_can_be_opened_by_their_own_path(tmp_path: Path, place: str) -> None:
    """Readable, and stale."""
    make_run(tmp_path, [text("f1"), call("f2")])
    database(tmp_path)
    with open_workspace(tmp_path / place) as workspace:
        (run,) = workspace.runs()
        assert (workspace.storage, workspace.stale) == ("jsonl", True)
        assert [event.id for event in run.ledger()] == ["f1", "f2"]
        assert inspect(run.ledger()).plan.blocked


def test_an_empty_database_hides_files_and_says_so(tmp_path: Path) -> None:
    """That nothing is in it does not make the files beside it current."""
    make_run(tmp_path, [text("f1")])
    (tmp_path / MAIN).touch()
    with open_workspace(tmp_path) as workspace:
        assert workspace.runs() == ()
        assert [finding.code for finding in workspace.findings] == ["main_zero_length", "jsonl_beside"]


def test_a_log_alone_is_a_database(tmp_path: Path) -> None:
    """Where the main file is gone, all that was not moved into it is in the log."""
    statements = [*plain(*SCHEMA), add_header(), add(text("d1"), 1)]
    main = crash_database(tmp_path / "root" / MAIN, [("PRAGMA wal_autocheckpoint=0", ()), *statements])
    main.unlink()
    with open_workspace(main.parent) as workspace:
        assert [event.id for run in workspace.runs() for event in run.ledger()] == ["d1"]
        assert "main_zero_length" in [finding.code for finding in workspace.findings]
    assert not main.exists()
    assert log_of(main).exists()


def test_any_name_will_do_for_a_database(tmp_path: Path) -> None:
    """A captured file is known by its ending or by its first bytes; other files are none."""
    database(tmp_path / "root").rename(tmp_path / "captured.db")
    with open_workspace(tmp_path / "captured.db") as workspace:
        assert [run.run_id for run in workspace.runs()] == [RUN]
    (tmp_path / "notes.txt").write_text("no database")
    with pytest.raises(NotAWorkspace):
        open_workspace(tmp_path / "notes.txt")
    with pytest.raises(WorkspaceMissing):
        open_workspace(tmp_path / "root" / MAIN)


def test_the_oldest_roots_have_their_ledgers_in_files(tmp_path: Path) -> None:
    """Their version says so: such files are current, with names from a database of their own."""
    make_run(tmp_path, [text("f1"), call("f2")])
    write_database(tmp_path / MAIN, plain(*OLDEST))
    write_database(tmp_path / "sessions.sqlite", [*plain(SCHEMA[4]), add_session(SESSION, name="An old name")])
    with open_workspace(tmp_path) as workspace:
        (run,) = workspace.runs()
        ledger = run.ledger()
        assert ([event.id for event in ledger], ledger.stale, ledger.keyed) == (["f1", "f2"], False, False)
        assert [session.title for session in workspace.sessions] == ["An old name"]
        assert [finding.code for finding in workspace.findings] == ["schema_older"]


def test_the_oldest_versions_could_be_told_to_write_to_the_database(tmp_path: Path) -> None:
    """Then its events count, and the header still lies in its file; a damaged database of names is no obstacle."""
    make_run(tmp_path, [text("f1"), call("f2")])
    write_database(tmp_path / MAIN, [*plain(*OLDEST), add(text("d1"), 1)])
    (tmp_path / "sessions.sqlite").write_bytes(b"no database" * 100)
    (tmp_path / "sessions" / SESSION / "session.jsonl").write_text('{"name":"From its file"}\n')
    with open_workspace(tmp_path) as workspace:
        (run,) = workspace.runs()
        assert ([event.id for event in run.ledger()], run.ledger().keyed) == (["d1"], True)
        assert run.header is not None
        assert [session.title for session in workspace.sessions] == ["From its file"]
        assert "not_a_database" in [finding.code for finding in workspace.findings]


def test_links_and_odd_ids_lead_nowhere(tmp_path: Path) -> None:
    """Headers in files are read below the root alone, whatever ids a database has."""
    outside = make_run(tmp_path / "outside", [text("f1")])
    root = tmp_path / "root"
    (root / "sessions" / SESSION / "runs").mkdir(parents=True)
    (root / "sessions" / SESSION / "runs" / RUN).symlink_to(outside, target_is_directory=True)
    odd = {**text("d2"), "runId": "../../../outside"}
    row = (odd["id"], SESSION, "inv-2", odd["runId"], TURN, 1, "k", json.dumps(odd), 1)
    insert: Statement = ("INSERT INTO runtime_events VALUES (?,?,?,?,?,?,?,?,?)", row)
    write_database(root / MAIN, [*plain(*OLDEST), add(text("d1"), 1), insert])
    with open_workspace(root) as workspace:
        assert {run.run_id: run.header for run in workspace.runs()} == {RUN: None, "../../../outside": None}


def test_a_database_that_is_a_link_is_followed_and_that_is_said(tmp_path: Path) -> None:
    """Its log lies beside the file that it leads to; a link to nowhere is no workspace."""
    main = database(tmp_path / "elsewhere")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / MAIN).symlink_to(main)
    with open_workspace(tmp_path / "root") as workspace:
        (finding,) = workspace.findings
        assert (finding.code, finding.detail) == ("link_followed", str(main))
        assert len(workspace.runs()) == 1
    main.unlink()
    with pytest.raises(WorkspaceMissing):
        open_workspace(tmp_path / "root")


@pytest.mark.skipif(sys.platform == "win32", reason="making a link takes a privilege there")
@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_a_log_that_is_a_link_is_followed_and_that_is_said(tmp_path: Path, suffix: str) -> None:
    """What it holds lies elsewhere, and decides all the same; where a link leads to nothing, nothing is known."""
    live = LiveDatabase(tmp_path / "live")
    live.head()
    live.add(text("d1"))
    shutil.copytree(tmp_path / "live", tmp_path / "root")
    live.close()
    link = tmp_path / "root" / f"{MAIN}{suffix}"
    link.rename(tmp_path / "elsewhere")
    link.symlink_to(tmp_path / "elsewhere")
    with open_workspace(tmp_path / "root") as workspace:
        assert [event.id for event in workspace.run(RUN).ledger()] == ["d1"]
        (finding,) = workspace.findings
        assert (finding.code, finding.path, finding.detail) == (
            "link_followed",
            str(link),
            str(tmp_path / "elsewhere"),
        )
    (tmp_path / "elsewhere").unlink()
    with pytest.raises(NotAWorkspace, match="leads to nothing"):
        open_workspace(tmp_path / "root")


@pytest.mark.skipif(sys.platform == "win32", reason="there the way in place is not known to leave no trace")
def test_a_database_in_place_that_changes_is_opened_again(tmp_path: Path) -> None:
    """What was read is of one state: the new one."""
    main = database(tmp_path)
    with open_workspace(tmp_path, copy_limit=-1) as workspace:
        (run,) = workspace.runs()
        assert [event.id for event in run.ledger()] == ["d1"]
        write_database(main, [add(call("d2"), 2)])
        assert [event.id for event in run.ledger()] == ["d1", "d2"]
        write_database(main, [add(response("d3"), 3)])
        ledger = run.ledger()
        assert ([event.id for event in ledger], ledger.findings) == (["d1", "d2", "d3"], ())
        main.unlink()
        assert "still_changing" in [finding.code for finding in run.ledger().findings]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says who holds a lock")
def test_a_live_owner_is_told(tmp_path: Path) -> None:
    """A run that has not ended may be running; the document names the process."""
    with Writer(IDLE, tmp_path / MAIN) as writer:
        with open_workspace(tmp_path) as workspace:
            inspection = inspect(workspace.runs()[0].ledger())
            document = run_document(inspection, "")
        pid = writer.process.pid
    assert (document["verdict"], document["ownerPid"]) == ("may_be_running", pid)
    assert [w.says for w in inspection.witnesses if w.code == "owner"] == [f"process {pid} has the database open"]
