"""Children that hang, die or are not killed make a failpoint fail; and whatever happens, nothing is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core import CrashReport, run_crash_harness, run_torn_harness
from core.crash.process import ChildFailed, ChildProcess, Task
from tests.support import children

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """Let temporary folders be made in a place of their own, which must be empty at the end."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield
    assert list(place.iterdir()) == []


def failed_checks(report: CrashReport) -> set[str]:
    """Return the codes of the checks that did not hold."""
    return {check.code for check in report.checks if not check.passed}


def test_child_that_is_not_killed_fails(tmp_path: Path) -> None:
    """A child that came to its `finally` makes the failpoint fail by its marker alone: all else is as it should be."""
    (report,) = run_crash_harness(["P3"], child=children.child_that_skips_its_kill(tmp_path))

    assert failed_checks(report) == {"no_marker"}


def test_child_that_ended_before_its_kill_fails(tmp_path: Path) -> None:
    """A child that says it is ready and ends was not killed by us, and what it did not write is missed."""
    (report,) = run_crash_harness(["P3"], child=children.child_that_ends_too_early(tmp_path))

    assert not report.passed
    assert {"control_left_its_marker", "reopened"} <= failed_checks(report)


def test_hanging_child_fails_with_its_complaint(tmp_path: Path) -> None:
    """A child that hangs is a failure that says so, with what the child wrote to standard error."""
    (report,) = run_crash_harness(["P0"], child=children.child_that_hangs(tmp_path), timeout_s=1.5)

    assert not report.passed
    assert "hung" in report.seen
    assert report.child_stderr == "I am stuck"


def test_dying_child_fails_with_its_complaint(tmp_path: Path) -> None:
    """A child that dies early is a failure with its exit code and its complaint, and without waiting for long."""
    (report,) = run_crash_harness(["P5"], child=children.child_that_dies(tmp_path))

    assert not report.passed
    assert "exit code 1" in report.seen
    assert report.child_stderr == "I give up"


def test_child_that_is_gone_hears_nothing(tmp_path: Path) -> None:
    """Telling a dead child to go on says how it ended and what it had complained of."""
    place = tmp_path / "child"
    place.mkdir()
    with ChildProcess(Task(tmp_path, ()), place, children.child_that_dies(tmp_path)) as child:
        deadline = time.monotonic() + 30
        while child.alive and time.monotonic() < deadline:
            time.sleep(0.01)
        with pytest.raises(ChildFailed, match="exit code 1 while it waited") as caught:
            child.go_on()
    assert caught.value.stderr == "I give up"


def test_child_that_cannot_be_started_fails(tmp_path: Path) -> None:
    """A program that is not there is a failure, not an exception."""
    (report,) = run_crash_harness(["P5"], child=[str(tmp_path / "nothing")])

    assert not report.passed
    assert "no child can be started" in report.seen


@pytest.mark.parametrize("make", [children.child_that_hangs, children.child_that_dies])
def test_torn_mode_fails_with_the_complaint(tmp_path: Path, make: Callable[[Path], tuple[str, ...]]) -> None:
    """Children that do not append make that kill fail as well."""
    (report,) = run_torn_harness([1], child=make(tmp_path), timeout_s=1.5)

    assert not report.passed
    assert report.child_stderr.startswith("I ")


@pytest.mark.parametrize("kind", [KeyboardInterrupt, ValueError])
def test_interruption_leaves_no_child(tmp_path: Path, kind: type[BaseException]) -> None:
    """Whatever interrupts the harness comes through, and every child that was started is gone."""

    def interrupt(report: CrashReport) -> None:
        raise kind

    with pytest.raises(kind):
        run_crash_harness(child=children.child_that_tells_its_id(tmp_path), on_report=interrupt)

    assert not any(map(children.is_there, children.told_ids(tmp_path)))


def test_all_children_are_waited_for(tmp_path: Path) -> None:
    """After a run that passes there is no child either, not even one that is dead and not waited for."""
    reports = run_crash_harness(["P0", "P5"], child=children.child_that_tells_its_id(tmp_path))

    assert all(report.passed for report in reports)
    assert len(children.told_ids(tmp_path)) == 3
    assert not any(map(children.is_there, children.told_ids(tmp_path)))


def test_foreign_core_does_not_get_in(tmp_path: Path) -> None:
    """Neither the current folder nor PYTHONPATH can put another `core` into the child."""
    foreign = tmp_path / "core"
    foreign.mkdir()
    (foreign / "__init__.py").write_text("open('imported', 'w').close()\nraise ImportError('a foreign core')\n")
    code = (
        f"import sys; sys.path.insert(0, {str(REPOSITORY)!r})\n"
        "from core import run_crash_harness\n"
        "(report,) = run_crash_harness(['P3'])\n"
        "print(report.passed, report.child_stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == ["True"]
    assert not (tmp_path / "imported").exists()
