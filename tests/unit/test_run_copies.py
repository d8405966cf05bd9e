"""Links to a run or an event: they can be pasted behind the command, whatever the ids hold."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from core import open_workspace
from tests.support.databases import SCHEMA, add_header, plain, write_database
from viewer.run_copies import event_link, run_copies
from viewer.targets import Target, parse_target

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the words of a POSIX shell")


def test_a_plain_link_stands_as_it_is(tmp_path: Path) -> None:
    """Nearly every link needs no quotes."""
    with open_workspace(
        write_database(tmp_path / "w" / "runtime.sqlite", [*plain(*SCHEMA), add_header()])
    ) as workspace:
        (run,) = workspace.runs()
        assert event_link(workspace, run, "e-1") == f"{workspace.root}#run-1#e-1"
        assert event_link(workspace, run, "") == f"{workspace.root}#run-1"


@pytest.mark.parametrize("run_id", ["a b", "$(touch x)", "`id`", "a;b", "it's", "a\\b", 'a"b', "a*", "a&", "a|b"])
def test_a_shell_takes_a_link_as_one_word(tmp_path: Path, run_id: str) -> None:
    """An id is another's word: pasted behind the command it runs nothing, and leads to its run."""
    main = write_database(tmp_path / "a place" / "runtime.sqlite", [*plain(*SCHEMA), add_header(run_id)])
    with open_workspace(main) as workspace:
        (word,) = shlex.split(event_link(workspace, workspace.runs()[0], "7"))
        assert parse_target(word) == Target(str(main), run_id, "7")


def test_no_link_is_offered_that_a_terminal_would_obey(tmp_path: Path) -> None:
    """A control character in an id cannot be quoted: there is the id itself, and no link."""
    main = write_database(
        tmp_path / "runtime.sqlite", [*plain(*SCHEMA), add_header("a\x1b[201~\rid\r"), add_header("b")]
    )
    with open_workspace(main) as workspace:
        names = [[copy.name for copy in run_copies(workspace, run, 0.0)] for run in workspace.runs()]
    assert sorted("Link" in some for some in names) == [False, True]
