"""Links in a workspace are not followed, and it is said; what a person names is where it really lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core import CoreError, WorkspaceMissing, inspect, open_workspace
from core.storage.files import ReadFailed, read_first_line, read_whole
from tests.support.runs import RUN_PATH, SESSION, call, header, response, terminal, text
from tests.support.workspaces import make_run
from viewer.cli import main

ENDED = [text("e1"), call("e2"), response("e3"), terminal("e4")]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="making a link takes a privilege there")


def _moved(path: Path, outside: Path) -> None:
    """Take something out of the workspace and leave a link to it."""
    outside.mkdir(exist_ok=True)
    path.rename(outside / path.name)
    path.symlink_to(outside / path.name)


@pytest.mark.parametrize("name", ["runtime-events.jsonl", "run.json"])
def test_a_run_whose_ledger_or_header_is_a_link_blocks(name: str, tmp_path: Path) -> None:
    """Neither is read through a link, and the run says so."""
    folder = make_run(tmp_path / "w", ENDED, head=header(status="completed"))
    _moved(folder / name, tmp_path / "outside")

    ledger = open_workspace(tmp_path / "w").runs()[0].ledger()

    assert inspect(ledger).plan.blocked
    assert any("link is not followed" in finding.message for finding in ledger.findings)


@pytest.mark.parametrize("name", ["events.jsonl", "runtime-partials"])
def test_evidence_behind_a_link_is_left_alone(name: str, tmp_path: Path) -> None:
    """What the trace or the snapshots of another place say is not told of this run; a finding names the link."""
    folder = make_run(tmp_path / "w", [text("e1"), call("e2", "t")])
    (folder / "events.jsonl").write_text('{"type":"tool_started","ts":1,"data":{"toolCallId":"t"}}\n')
    (folder / "runtime-partials").mkdir()
    snapshot = '{"version":1,"event":{"partial":true,"refs":{"toolCallId":"t"}}}\n'
    (folder / "runtime-partials" / "a.partial").write_text(snapshot)
    assert len(inspect(open_workspace(tmp_path / "w").runs()[0].ledger()).witnesses) == 2
    _moved(folder / name, tmp_path / "outside")

    ledger = open_workspace(tmp_path / "w").runs()[0].ledger()

    assert len(inspect(ledger).witnesses) == 1
    assert [(f.code, f.path) for f in ledger.findings] == [("link_not_followed", str(folder / name))]


def test_a_snapshot_or_title_behind_a_link_is_not_read(tmp_path: Path) -> None:
    """A link in place of a file gives what no file would give."""
    folder = make_run(tmp_path / "w", [text("e1")])
    session = folder.parent.parent
    (session / "session.jsonl").write_text('{"name":"title"}\n')
    (folder / "runtime-partials").mkdir()
    (folder / "runtime-partials" / "a.partial").write_text('{"version":1,"event":{"partial":true}}\n')
    _moved(session / "session.jsonl", tmp_path / "outside")
    _moved(folder / "runtime-partials" / "a.partial", tmp_path / "outside")

    workspace = open_workspace(tmp_path / "w")

    assert workspace.sessions[0].title is None
    assert workspace.runs()[0].partials == ()


@pytest.mark.parametrize("place", ["sessions", f"sessions/{SESSION}", f"sessions/{SESSION}/runs", str(RUN_PATH)])
def test_runs_behind_a_link_are_not_called_nothing(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that is a link, dangling or not, is a finding, and `check` does not answer that all is well."""
    make_run(tmp_path / "w", ENDED, head=header(status="completed"))
    _moved(tmp_path / "w" / place, tmp_path / "outside")

    assert [finding.code for finding in open_workspace(tmp_path / "w").findings] == ["link_not_followed"]
    assert main(["check", str(tmp_path / "w")]) == 3
    assert "link_not_followed" in capsys.readouterr().out
    (tmp_path / "w" / place).unlink()
    (tmp_path / "w" / place).symlink_to(tmp_path / "nowhere")
    assert main(["check", str(tmp_path / "w")]) == 3


def test_a_link_to_a_neighbour_hides_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A session that has a second name is read once, and nothing is missing."""
    make_run(tmp_path / "w", ENDED, head=header(status="completed"))
    (tmp_path / "w" / "sessions" / "latest").symlink_to(SESSION)

    assert main(["check", str(tmp_path / "w")]) == 0
    assert "1 run: 1 replayable" in capsys.readouterr().out


def test_a_folder_that_no_id_names_is_unread_only_if_it_holds_something(tmp_path: Path) -> None:
    """An empty one hides nothing; of one with something in it, it is said that nobody read it."""
    runs = make_run(tmp_path / "w", ENDED).parent
    (runs / "no id").mkdir()
    (runs / "no run").mkdir()
    (runs / "no run" / "runtime-events.jsonl").touch()

    with open_workspace(tmp_path / "w") as workspace:
        found = {Path(str(finding.path)).name: finding.code for finding in workspace.findings}

    assert found == {"no id": "foreign_entry", "no run": "folder_not_read"}


@pytest.mark.parametrize("name", ["link", "ledger.jsonl", "../run-1", ".", "../../runs/run-1/runtime-events.jsonl"])
@pytest.mark.parametrize("database", ["runtime.sqlite", "runtime.sqlite-wal"])
def test_stale_files_are_stale_whichever_way_they_are_named(
    name: str, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link, or dots in the path, must not hide the database that Maka reads instead, nor the run's ids."""
    folder = make_run(tmp_path / "w", ENDED, head=header(status="completed"))
    (tmp_path / "w" / database).write_bytes(b"")
    (folder / "link").symlink_to(folder)
    (folder / "ledger.jsonl").symlink_to("runtime-events.jsonl")
    monkeypatch.chdir(folder)

    workspace = open_workspace(name)

    assert workspace.stale
    (run,) = workspace.runs()
    assert (run.session_id, run.run_id) == (SESSION, "run-1")
    assert inspect(run.ledger()).plan.blocked


def test_a_workspace_that_only_its_name_shows(tmp_path: Path) -> None:
    """Where the folder of sessions lies elsewhere, the path that was given still tells what the files belong to."""
    folder = make_run(tmp_path / "w", ENDED, head=header(status="completed"))
    (tmp_path / "w" / "runtime.sqlite").write_bytes(b"")
    (tmp_path / "w" / "sessions").rename(tmp_path / "moved")
    (tmp_path / "w" / "sessions").symlink_to(tmp_path / "moved")

    assert open_workspace(folder).stale
    assert open_workspace(folder.parent.parent).stale


def test_what_a_person_names_is_followed(tmp_path: Path) -> None:
    """A link to a state root or to a ledger opens what it leads to, header and all."""
    folder = make_run(tmp_path / "w", ENDED, head=header(status="completed"))
    (tmp_path / "root").symlink_to(tmp_path / "w")
    (tmp_path / "one.jsonl").symlink_to(folder / "runtime-events.jsonl")

    for name in ("root", "one.jsonl"):
        (run,) = open_workspace(tmp_path / name).runs()
        assert not inspect(run.ledger()).plan.blocked


def test_an_empty_path_is_nowhere() -> None:
    """A variable that was never set must not make a check of whatever folder one stands in."""
    with pytest.raises(WorkspaceMissing):
        open_workspace("")


def test_small_files_are_read_in_pieces(tmp_path: Path) -> None:
    """A file and its first line come whole or not at all; the limit itself, however high, takes no memory."""
    path = tmp_path / "f"
    path.write_bytes(b"one\n" + b"x" * 3_000_000)

    assert read_whole(path, 1 << 40) == path.read_bytes()
    assert read_first_line(path, 1 << 40) == b"one"
    for read, limit in ((read_whole, 3_000_003), (read_first_line, 2)):
        with pytest.raises(ReadFailed) as caught:
            read(path, limit)
        assert caught.value.code == "file_too_large"
    assert read_first_line(path, 3) == b"one"


def test_no_link_is_opened_by_itself(tmp_path: Path) -> None:
    """A file that may be a link to anywhere is opened only where a person named it."""
    (tmp_path / "f").write_bytes(b"x")
    (tmp_path / "l").symlink_to("f")

    assert read_whole(tmp_path / "l", 10) == b"x"
    with pytest.raises(CoreError) as caught:
        read_whole(tmp_path / "l", 10, follow=False)
    assert caught.value.code == "link_not_followed"
