"""What we make is new, and never inside the workspace that is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core import open_workspace
from core.evidence.new_files import OutputRefused, write_new_file, write_new_folder
from tests.support.runs import text
from tests.support.workspaces import fingerprint, make_run


def _root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    make_run(root, [text("e1")])
    return root


def test_a_new_file_is_written_whole_and_is_private(tmp_path: Path) -> None:
    """The bytes are there, and on systems with modes nobody else may read them."""
    out = tmp_path / "report.md"
    with open_workspace(_root(tmp_path)) as workspace:
        write_new_file(out, b"said", workspace)

    assert out.read_bytes() == b"said"
    if os.name == "posix":
        assert out.stat().st_mode & 0o077 == 0


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A file, a folder and a link to nowhere are left as they are, and the error names them."""
    file, folder, link = tmp_path / "file", tmp_path / "folder", tmp_path / "link"
    file.write_bytes(b"before")
    folder.mkdir()
    places = [file, folder]
    if os.name == "posix":
        link.symlink_to(tmp_path / "nowhere")
        places.append(link)
    with open_workspace(_root(tmp_path)) as workspace:
        for place in places:
            for write in (lambda place: write_new_file(place, b"x", workspace),
                          lambda place: write_new_folder(place, {"a": b"x"}, workspace)):  # fmt: skip
                with pytest.raises(OutputRefused, match="exists already") as caught:
                    write(place)
                assert caught.value.path == str(place)

    assert file.read_bytes() == b"before"
    assert list(folder.iterdir()) == []
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_that_is_missing_is_an_error_with_its_name(tmp_path: Path) -> None:
    """No folder is made on the way to the file."""
    with open_workspace(_root(tmp_path)) as workspace, pytest.raises(OutputRefused, match="cannot be written"):
        write_new_file(tmp_path / "no" / "report.md", b"", workspace)


@pytest.mark.parametrize("opened", ["", "sessions/sess-1", "sessions/sess-1/runs/run-1",
                                    "sessions/sess-1/runs/run-1/runtime-events.jsonl"])  # fmt: skip
@pytest.mark.parametrize("inside", ["report.md", "sessions/report.md", "sessions/sess-1/runs/run-1/report.md"])
def test_nothing_is_written_into_the_workspace_that_is_read(tmp_path: Path, opened: str, inside: str) -> None:
    """Whatever of a state root was opened, no place below the root is written to."""
    root = _root(tmp_path)
    before = fingerprint(root)
    with open_workspace(root / opened) as workspace:
        with pytest.raises(OutputRefused, match="inside the workspace"):
            write_new_file(root / inside, b"x", workspace)
        with pytest.raises(OutputRefused, match="inside the workspace"):
            write_new_folder(root / inside, {"a": b"x"}, workspace)

    assert fingerprint(root) == before


def test_the_root_itself_is_no_place_for_a_folder(tmp_path: Path) -> None:
    """The path of the workspace is refused as inside of it."""
    root = _root(tmp_path)
    with open_workspace(root) as workspace, pytest.raises(OutputRefused, match="inside the workspace"):
        write_new_folder(root, {"a": b"x"}, workspace)


@pytest.mark.skipif(os.name != "posix", reason="making links needs a privilege elsewhere")
def test_links_lead_nowhere_else(tmp_path: Path) -> None:
    """A way into the workspace by links is the same as the way without; so is a workspace opened by a link."""
    root = _root(tmp_path)
    door = tmp_path / "door"
    door.symlink_to(root / "sessions")
    other = tmp_path / "other"
    other.symlink_to(root)
    before = fingerprint(root)
    for opened, out in ((root, door / "report.md"), (other, root / "report.md"), (other, door / ".." / "report.md")):
        with open_workspace(opened) as workspace, pytest.raises(OutputRefused, match="inside the workspace"):
            write_new_file(out, b"x", workspace)

    assert fingerprint(root) == before


def test_a_folder_that_cannot_be_filled_is_taken_away(tmp_path: Path) -> None:
    """A half is worse than nothing: after a failure the place is free again."""
    out = tmp_path / "repro"
    with open_workspace(_root(tmp_path)) as workspace, pytest.raises(OutputRefused):
        write_new_folder(out, {"a": b"x", "no/such": b"y"}, workspace)

    assert not out.exists()
