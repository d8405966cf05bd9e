"""A disk that takes no more: what was asked for is refused in one line, and no half of it stays."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core import OutputRefused, open_workspace, write_new_file
from core.errors import RequestError, StoreError
from core.store.store import RuntimeEventStore
from tests.support.runs import RUN, RUN_PATH, SESSION, call, delta, new_run, text
from tests.support.workspaces import make_run
from viewer.cli import main
from viewer.copies import text_copy, write_copy
from viewer.memory import Memory, RunPlace
from viewer.new_folder import new_folder

resource = pytest.importorskip("resource", reason="Windows has no such bound")


@contextmanager
def _no_file_longer_than(size: int) -> Iterator[None]:
    """Let the system refuse to write a file any longer, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _files(root: Path) -> list[str]:
    return sorted(path.name for path in root.rglob("*"))


def test_no_half_of_a_file_stays(tmp_path: Path) -> None:
    """Neither of a report nor of a copy; what stood there before is untouched."""
    make_run(tmp_path / "w", [text("e1")])
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "note.txt").write_text("kept")
    payload = b"x" * 100_000

    with open_workspace(tmp_path / "w") as workspace, _no_file_longer_than(5_000):
        with pytest.raises(OutputRefused):
            write_new_file(tmp_path / "out" / "report.md", payload, workspace)
        copy = text_copy("a note", "", "", "note")
        with pytest.raises(OSError, match=r".+"):
            write_copy(tmp_path / "out", copy, payload)

    assert _files(tmp_path / "out") == ["note.txt"]
    assert (tmp_path / "out" / "note.txt").read_text() == "kept"


def test_a_stream_that_finds_no_room_is_told(tmp_path: Path) -> None:
    """A snapshot that cannot be begun leaves no file, one that cannot be added to keeps what it had."""
    new_run(tmp_path)
    store = RuntimeEventStore(tmp_path)
    snapshots = tmp_path / RUN_PATH / "runtime-partials"
    with _no_file_longer_than(10), pytest.raises(StoreError):
        store.append(SESSION, RUN, delta("d1", "begun"))
    assert _files(snapshots) == []

    store.append(SESSION, RUN, delta("d1", "begun"))
    (file,) = snapshots.iterdir()
    before = file.read_bytes()
    with _no_file_longer_than(len(before)), pytest.raises(StoreError):
        store.append(SESSION, RUN, delta("d2", " and gone on"))
    assert file.read_bytes() == before


def test_no_half_of_an_export_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that cannot be filled is taken away again, and one line says why."""
    make_run(tmp_path / "w", [text(f"e{n}") for n in range(200)] + [call("e")])

    with _no_file_longer_than(300):
        code = main(["export", "--redact", "--whole", str(tmp_path / "w"), "-o", str(tmp_path / "out")])

    assert code != 0
    assert not (tmp_path / "out").exists()
    assert capsys.readouterr().err.count("\n") == 1


def test_a_place_that_cannot_be_remembered_leaves_nothing(tmp_path: Path) -> None:
    """Where somebody was is not worth an error, and no half of a file stays beside the last one that was whole."""
    file = tmp_path / "state" / "places.json"
    Memory(file).keep(run=RunPlace("s", "r", "e7", 7, 13, "Event"))
    before = file.read_bytes()

    with _no_file_longer_than(20):
        Memory(file).keep(run=RunPlace("s", "r", "e9", 9, 13, "Event"))

    assert _files(file.parent) == ["places.json"]
    assert file.read_bytes() == before


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    """A file that stands in its place, or in its way, is named with what the system said."""
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "file" / "new"):
        with pytest.raises(RequestError, match="the folder to keep cannot be made: "):
            new_folder(str(place))


def test_a_folder_that_is_kept_is_its_owners(tmp_path: Path) -> None:
    """A new folder is private whatever the mask of the process; an empty one that was there keeps its mode."""
    there = tmp_path / "there"
    there.mkdir(mode=0o755)

    assert stat.S_IMODE(new_folder(str(tmp_path / "new")).stat().st_mode) & 0o077 == 0
    assert stat.S_IMODE(new_folder(str(there)).stat().st_mode) == stat.S_IMODE(there.stat().st_mode)
