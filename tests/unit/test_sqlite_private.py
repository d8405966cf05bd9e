"""The folders that hold private copies: closed to others, and gone when we are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.sqlite.copy import NoRoom, check_room
from core.sqlite.opening import open_database
from core.sqlite.private import remove_left_overs, scratch_parents
from tests.support.databases import SCHEMA, crash_database, plain, run_of

ROWS = [*plain(*SCHEMA), *run_of(30)]
HERE = str(Path(__file__).resolve().parents[2])


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Leave a database whose writer was killed."""
    return crash_database(tmp_path_factory.mktemp("crashed") / "root" / "runtime.sqlite", ROWS)


def test_room_is_asked_for_before_copying(scratch: Path) -> None:
    """The error says how much is needed, how much is there, and what to do."""
    with pytest.raises(NoRoom) as caught:
        check_room(1 << 62, scratch)
    assert caught.value.code == "no_room"
    assert caught.value.path == str(scratch)


_VIEWER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from core.sqlite.opening import open_database
database = open_database(Path(sys.argv[1]), parents=[Path(sys.argv[2])])
print("open", flush=True)
sys.stdin.readline()
"""


def test_the_folder_of_a_killed_viewer_is_removed_by_the_next(crashed: Path, scratch: Path) -> None:
    """One that is in use is left alone, and so is anything else."""
    (scratch / "maka-ledger-copy").mkdir()
    viewer = subprocess.Popen(
        [sys.executable, "-c", _VIEWER, str(crashed), str(scratch), HERE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert viewer.stdout is not None
    assert viewer.stdout.readline().strip() == b"open"
    assert remove_left_overs(scratch) == 0
    assert len(list(scratch.iterdir())) == 2
    viewer.kill()
    viewer.communicate()
    assert len(list(scratch.iterdir())) == 2
    with open_database(crashed, parents=[scratch]):
        assert len(list(scratch.iterdir())) == 2
    assert [folder.name for folder in scratch.iterdir()] == ["maka-ledger-copy"]


_FORKING = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from core.sqlite.private import PrivateFolder
with PrivateFolder(Path(sys.argv[1])) as folder:
    child = os.fork()
    if child == 0:
        folder.close()
        os._exit(0)
    os.waitpid(child, 0)
    print(folder.path.is_dir())
print(folder.path.exists())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_does_not_remove_its_parent_s_copy(scratch: Path) -> None:
    """It inherits the finalizer, not the folder."""
    arguments = [sys.executable, "-c", _FORKING, str(scratch), HERE]
    answer = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["True", "False"]


def test_where_nothing_can_be_listed_nothing_is_left_over(tmp_path: Path) -> None:
    """A folder that is not there holds no copies, and looking for some does not fail."""
    assert remove_left_overs(tmp_path / "nowhere") == 0


@pytest.mark.parametrize(("platform", "cache"), [("darwin", "Library/Caches"), ("linux", ".cache")])
def test_the_cache_of_the_system_may_hold_copies(tmp_path: Path, platform: str, cache: str) -> None:
    """Each system has a folder of its own for what may be made again."""
    (tmp_path / cache).mkdir(parents=True)
    assert tmp_path / cache in scratch_parents({tmp_path / "root"}, {}, tmp_path, platform)


def test_a_cache_that_cannot_be_reached_holds_no_copies(tmp_path: Path) -> None:
    """A name longer than any file system takes is passed over."""
    endless = f"/{'x' * 5000}"
    parents = scratch_parents({tmp_path}, {"XDG_CACHE_HOME": endless}, tmp_path, "linux")
    assert [str(parent) for parent in parents if str(parent) == endless] == []


def test_copies_never_go_into_what_is_inspected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where the user's temporary folder lies inside of it."""
    inside = tmp_path / "root" / "tmp"
    cache = tmp_path / "cache"
    inside.mkdir(parents=True)
    cache.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(inside))
    environ = {"XDG_CACHE_HOME": str(cache), "LOCALAPPDATA": str(cache)}
    assert scratch_parents({tmp_path / "root"}, environ, tmp_path, "linux") == [cache]
    assert scratch_parents({tmp_path / "other", tmp_path}, environ, tmp_path, "win32") == []
    assert scratch_parents({tmp_path / "other"}, {}, tmp_path, "linux") == [inside]
