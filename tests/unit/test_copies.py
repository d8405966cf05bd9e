"""Copies are new, private files in a folder of the person's own."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from viewer.copies import Copy, copies_folder, text_copy, write_copy


def copy_of(text: str, stem: str = "why") -> Copy:
    """Make a copy."""
    return text_copy("Why", "the answer", text, stem, ".md")


def written(folder: Path, copy: Copy) -> Path:
    """Write a copy."""
    return write_copy(folder, copy, copy.read())


def test_each_copy_is_a_new_private_file(tmp_path: Path) -> None:
    """Nothing is overwritten, the text is there as it is, and nobody else may read it."""
    folder = tmp_path / "state" / "copies"

    paths = [written(folder, copy_of(text)) for text in ("one", "two \ud800", "three")]

    assert [path.name for path in paths] == ["why.md", "why-2.md", "why-3.md"]
    assert paths[1].read_bytes() == b"two \xed\xa0\x80"
    if os.name == "posix":
        assert stat.S_IMODE(paths[0].stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("stem", ["../../etc/passwd", "a/b\\c:d", "\x1b]0;x", "", "..."])
def test_a_name_from_a_workspace_stays_in_the_folder(tmp_path: Path, stem: str) -> None:
    """Run ids may be anything; the file lies in the folder all the same."""
    path = written(tmp_path, copy_of("x", stem))

    assert path.parent == tmp_path
    assert path.read_text() == "x"


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    """Where the state folder is refused a temporary one takes the copy."""
    blocked = tmp_path / "file"
    blocked.write_text("in the way")

    path = written(blocked / "copies", copy_of("x"))

    assert path.read_text() == "x"
    assert tmp_path not in path.parents
    path.unlink()
    path.parent.rmdir()


def test_a_folder_that_is_not_allowed(tmp_path: Path) -> None:
    """A folder inside of what is read is not written to; a temporary one takes the copy."""
    copy = copy_of("x")

    path = write_copy(tmp_path, copy, copy.read(), allowed=lambda folder: folder != tmp_path)

    assert tmp_path not in path.parents
    assert list(tmp_path.iterdir()) == []
    path.unlink()
    path.parent.rmdir()


def test_where_copies_go(tmp_path: Path) -> None:
    """They lie in a folder of their own below the viewer's."""
    assert copies_folder("linux", {"XDG_STATE_HOME": str(tmp_path)}, Path("h")) == tmp_path / "maka-ledger" / "copies"
