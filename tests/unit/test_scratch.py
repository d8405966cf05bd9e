"""No temporary file is made in a workspace, not even one that is gone at once, whatever the environment says."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from core import temporary_folder_at
from tests.support.asking import Capture, answer
from tests.support.live_database import LiveDatabase
from tests.support.runs import call
from tests.support.workspaces import fingerprint, make_run
from viewer.copies import Copy, write_copy


@pytest.mark.parametrize("database", [True, False])
@pytest.mark.parametrize("place", ["", "sessions"])
def test_a_workspace_is_not_touched_by_the_way_to_a_temporary_folder(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: bool, place: str
) -> None:
    """Python looks for a folder by making a file in each: in a workspace that would change the time of its folder."""
    root = tmp_path / "root"
    make_run(root, [call("e1")])
    if database:
        live = LiveDatabase(root)
        live.head()
        live.add(call("e1"))
        live.close()
    before = fingerprint(root)
    for name in ("TMPDIR", "TEMP", "TMP", "HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(root / place))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.chdir(root)

    for words in (["runs", str(root)], ["report", str(root)], ["export", "--redact", str(root), "-o", "../out"]):
        assert answer(capsys, *words)[0] in (0, 3)
    copy = Copy("Row", "a row", lambda: b"x", "row", ".txt")
    written = write_copy(root / "copies", copy, b"x", allowed=lambda folder: not folder.is_relative_to(root))

    assert fingerprint(root) == before
    assert written.read_bytes() == b"x"
    shutil.rmtree(written.parent)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX rights")
def test_the_first_folder_that_will_do_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is missing, no folder, relative or not allowed is left out; where none will do, that is the answer."""
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "file").write_text("")
    (tmp_path / "here").mkdir()
    environ = {"TMPDIR": str(tmp_path / "missing"), "TEMP": str(tmp_path / "file"), "TMP": str(tmp_path / "here")}

    assert temporary_folder_at(lambda folder: True, environ) == tmp_path / "here"
    assert temporary_folder_at(lambda folder: folder != tmp_path / "here", environ) == Path("/tmp")
    assert temporary_folder_at(lambda folder: True, {"TMPDIR": "."}) == Path("/tmp")
    assert temporary_folder_at(lambda folder: False, environ) is None
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "here"))
    assert temporary_folder_at(lambda folder: True, {}) == tmp_path / "here"
