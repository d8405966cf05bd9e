"""Reading leaves even the time of last access as it is, where the system can leave it."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from core import open_workspace, report_on_run
from core.storage.files import listing, read_whole
from tests.support.harbor import harbor_workspace
from tests.support.live_database import LiveDatabase
from tests.support.runs import call, response
from viewer.cli import main

pytestmark = pytest.mark.skipif(not hasattr(os, "O_NOATIME"), reason="only Linux can leave it")

_LONG_AGO = 1_000_000_000
"""Seconds. A system that notes accesses seldom notes one that follows so old a one."""


@pytest.fixture(params=["files", "database"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> list[Path]:
    """Make a workspace of each kind, a database as a crash leaves it, and return the paths of it and all in it.

    All was last accessed long ago.
    """
    root = tmp_path / "root"
    if request.param == "files":
        harbor_workspace(root)
    else:
        live = LiveDatabase(tmp_path / "live")
        live.head()
        live.add(call("e1"), response("e2"), call("e3", "u"))
        shutil.copytree(tmp_path / "live", root)
        live.close()
    found = [root, *root.rglob("*")]
    for path in found:
        os.utime(path, (_LONG_AGO, path.stat().st_mtime))
    return found


def test_no_access_is_noted(places: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever is asked, every file and folder was last accessed when it was before."""
    root = places[0]
    for words in (["runs"], ["check", "--json"], ["report"]):
        main([words[0], str(root), *words[1:]])
    with open_workspace(root) as workspace:
        for run in workspace.runs():
            report_on_run(workspace, run, "p", "x", 0.0)
            with closing(run.follow()) as follower:
                follower.poll(0.0)
    assert capsys.readouterr().out

    assert [path for path in places if path.stat().st_atime != _LONG_AGO] == []


def test_folders_are_listed_without_a_trace(tmp_path: Path) -> None:
    """Neither the folder nor what is in it was accessed."""
    (tmp_path / "f").write_text("x")
    os.utime(tmp_path / "f", (_LONG_AGO, 0))
    os.utime(tmp_path, (_LONG_AGO, 0))

    with listing(tmp_path) as entries:
        assert [entry.name for entry in entries] == ["f"]
    assert read_whole(tmp_path / "f", 9) == b"x"
    assert (tmp_path.stat().st_atime, (tmp_path / "f").stat().st_atime) == (_LONG_AGO, _LONG_AGO)


def test_files_of_others_are_read_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system lets only the owner leave the time as it is; whoever is not the owner reads nevertheless."""
    (tmp_path / "f").write_text("x")
    real = os.open

    def refusing(path: str, flags: int, *more: int) -> int:
        if flags & os.O_NOATIME:
            raise PermissionError(1, "Operation not permitted", path)
        return real(path, flags, *more)

    monkeypatch.setattr(os, "open", refusing)

    assert read_whole(tmp_path / "f", 9) == b"x"
    with listing(tmp_path) as entries:
        assert [entry.name for entry in entries] == ["f"]
