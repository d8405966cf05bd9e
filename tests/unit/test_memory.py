"""Remembering where somebody was: by ids, privately, and never at the cost of anything else."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from core import RunOrder, TimeMode
from viewer.memory import ListPlace, Memory, RunPlace

PLACE = RunPlace("s", "r", "e7", 7, 13, "Event")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Give a file that is not there yet, in a folder that is not there yet."""
    return tmp_path / "state" / "places.json"


def test_places_come_back(file: Path) -> None:
    """Another program finds the place in a run, the place in the list, and how times were written."""
    Memory(file).keep(times=TimeMode.LOCAL, run=PLACE, runs=ListPlace("s", "r", RunOrder.SESSIONS))

    again = Memory(file)

    assert again.run("s", "r") == PLACE
    assert again.run("s", "other") is None
    assert again.list_among({("s", "r")}) == ListPlace("s", "r", RunOrder.SESSIONS)
    assert again.list_among({("t", "r")}) is None
    assert again.times is TimeMode.LOCAL


def test_the_file_is_private(file: Path) -> None:
    """Nobody else may read it, and nothing else is left in its folder."""
    Memory(file).keep(run=PLACE)

    assert [path.name for path in file.parent.iterdir()] == ["places.json"]
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_only_ids_are_written(file: Path) -> None:
    """No path, no text and no title is in the file."""
    Memory(file).keep(run=PLACE, runs=ListPlace("s", "r"))

    assert json.loads(file.read_text()) == {
        "schema": "maka-ledger/places@1",
        "times": "utc",
        "runs": [{"session": "s", "run": "r", "event": "e7", "number": 7, "events": 13, "page": "Event"}],
        "lists": [{"session": "s", "run": "r", "order": "urgent"}],
    }


def test_the_newest_place_wins(file: Path) -> None:
    """A place is remembered once, and the oldest are forgotten."""
    memory = Memory(file)
    for number in range(600):
        memory.keep(run=RunPlace("s", f"r{number}", "e", 1, 1))
    memory.keep(run=RunPlace("s", "r550", "later", 2, 2))

    again = Memory(file)
    found = again.run("s", "r550")
    assert found is not None
    assert found.event == "later"
    assert again.run("s", "r50") is None
    assert len(json.loads(file.read_text())["runs"]) == 500


def test_two_viewers_keep_each_other(file: Path) -> None:
    """What another viewer wrote in the meantime stays."""
    one, other = Memory(file), Memory(file)
    one.keep(run=PLACE)
    other.keep(run=RunPlace("t", "q", "e", 1, 1))

    assert Memory(file).run("s", "r") == PLACE


@pytest.mark.parametrize(
    "payload",
    [b"", b"{", b"\xff\xfe", b"[]", b'{"schema": "maka-ledger/places@1", "runs": 3}', b'"' + b"x" * (2 << 20) + b'"'],
)
def test_a_damaged_file_counts_as_none(file: Path, payload: bytes) -> None:
    """What cannot be read is ignored, and replaced when there is something to remember."""
    file.parent.mkdir()
    file.write_bytes(payload)
    memory = Memory(file)

    assert memory.run("s", "r") is None
    memory.keep(run=PLACE)
    assert Memory(file).run("s", "r") == PLACE


def test_a_foreign_file_is_left_alone(file: Path) -> None:
    """What another version wrote is neither read nor replaced; places hold until the program ends."""
    file.parent.mkdir()
    foreign = b'{"schema": "maka-ledger/places@2", "runs": {}}'
    file.write_bytes(foreign)
    memory = Memory(file)
    memory.keep(run=PLACE)

    assert memory.run("s", "r") == PLACE
    assert file.read_bytes() == foreign


def test_nothing_is_written_where_it_may_not_be(file: Path) -> None:
    """A place inside of what is read gets no file."""
    memory = Memory(file, allowed=lambda: False)
    memory.keep(run=PLACE)

    assert memory.run("s", "r") == PLACE
    assert not file.parent.exists()


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path: Path) -> None:
    """Memory is a comfort: without it everything else works."""
    (tmp_path / "state").write_text("in the way")
    memory = Memory(tmp_path / "state" / "places.json")
    memory.keep(run=PLACE)

    assert memory.run("s", "r") == PLACE


def test_without_a_file_it_holds_until_the_end() -> None:
    """A program without a state folder remembers by itself."""
    memory = Memory()
    memory.keep(run=PLACE)

    assert memory.run("s", "r") == PLACE
