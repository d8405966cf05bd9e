"""Paths and links."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import (
    CoreError,
    NotAWorkspace,
    RequestError,
    RunNotFound,
    WorkspaceForbidden,
    WorkspaceMissing,
    open_workspace,
)
from tests.support.databases import SCHEMA, add_header, plain, write_database
from tests.support.harbor import calm_run
from tests.support.runs import header
from tests.support.workspaces import make_run
from viewer.targets import Target, exit_code_of, only_run, parse_target


def test_a_path_is_a_path(tmp_path: Path) -> None:
    """Without a mark there is no link, whether the path exists or not."""
    assert parse_target(str(tmp_path)) == Target(str(tmp_path))
    assert parse_target("nowhere") == Target("nowhere")


def test_links_name_a_run_and_an_event(tmp_path: Path) -> None:
    """What follows the path is the run, then the event, which may hold marks of its own."""
    assert parse_target(f"{tmp_path}#run") == Target(str(tmp_path), "run")
    assert parse_target(f"{tmp_path}#run#event") == Target(str(tmp_path), "run", "event")
    assert parse_target(f"{tmp_path}#run#a#b") == Target(str(tmp_path), "run", "a#b")
    assert parse_target(f"{tmp_path}#") == Target(str(tmp_path))
    assert parse_target(f"{tmp_path}##event") == Target(str(tmp_path), None, "event")


def test_a_real_name_with_a_mark_wins(tmp_path: Path) -> None:
    """The longest part that exists is the path."""
    odd = tmp_path / "issue#12"
    odd.mkdir()
    (tmp_path / "issue").mkdir()

    assert parse_target(str(odd)) == Target(str(odd))
    assert parse_target(f"{odd}#run") == Target(str(odd), "run")
    assert parse_target(f"{tmp_path / 'issue'}#13") == Target(str(tmp_path / "issue"), "13")


def test_a_link_to_nowhere_keeps_its_path(tmp_path: Path) -> None:
    """Where nothing exists the path before the first mark is the one to complain about."""
    assert parse_target(f"{tmp_path}/no#run#event") == Target(f"{tmp_path}/no", "run", "event")
    assert parse_target("#run") == Target("#run")


def test_the_only_run_needs_no_name(tmp_path: Path) -> None:
    """One run is taken without being named; of several one must be, of none nothing can be."""
    (tmp_path / "sessions").mkdir()
    with open_workspace(tmp_path) as workspace, pytest.raises(RunNotFound, match="no run here"):
        only_run(workspace)

    calm_run(tmp_path, "s1", "a", "2026-11-29 12:00:00", 4)
    with open_workspace(tmp_path) as workspace:
        assert only_run(workspace).run_id == "a"

    calm_run(tmp_path, "s2", "a", "2026-11-29 12:00:00", 4)
    with open_workspace(tmp_path) as workspace:
        with pytest.raises(RequestError, match="2 runs"):
            only_run(workspace)
        with pytest.raises(RunNotFound, match="s1, s2"):
            only_run(workspace, "a")
        assert only_run(workspace, "a", "s2").session_id == "s2"
        assert only_run(workspace, session_id="s2").session_id == "s2"


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (WorkspaceMissing, 2),
        (NotAWorkspace, 2),
        (RunNotFound, 2),
        (RequestError, 2),
        (WorkspaceForbidden, 3),
        (CoreError, 3),
    ],
)
def test_exit_codes_of_errors(kind: type[CoreError], code: int) -> None:
    """A wrong question is 2, what could not be read is 3."""
    assert exit_code_of(kind("x")) == code


def test_a_link_may_name_the_session_too(tmp_path: Path) -> None:
    """Where two sessions have a run of one id, `SESSION/RUN` tells them apart."""
    for session in ("s-1", "s-2"):
        make_run(tmp_path, [], head=header(sessionId=session, runId="run-1"))
    workspace = open_workspace(tmp_path)

    assert only_run(workspace, "s-2/run-1").session_id == "s-2"
    with pytest.raises(RunNotFound):
        only_run(workspace, "run-1")


def test_a_run_of_a_database_is_found_whatever_its_id_holds(tmp_path: Path) -> None:
    """A slash in an id divides nothing where there is a run of just that id."""
    statements = [*plain(*SCHEMA), add_header("a/b"), add_header("b", session="a")]
    with open_workspace(write_database(tmp_path / "runtime.sqlite", statements)) as workspace:
        assert only_run(workspace, "sess-1/a/b").run_id == "a/b"
        with pytest.raises(RunNotFound):
            only_run(workspace, "c/b")
        assert only_run(workspace, "a/b").run_id == "b"
