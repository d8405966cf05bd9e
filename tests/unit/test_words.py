"""Facts about a run in few words."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import Finding, RunSummary, Verdict, open_workspace
from tests.support.harbor import NOW_MS, at, deploy_run
from viewer.state_folder import tilde
from viewer.words import day_and_time, events_text, in_doubt, no_runs, place_of


def summary(**keys: object) -> RunSummary:
    """Make a summary."""
    base = {"session_id": "s", "run_id": "r", "title": None, "verdict": Verdict.MAY_HAVE_RUN, "disposition": "blocked"}
    return RunSummary(**{**base, **keys})  # type: ignore[arg-type]  # the keys of each test are right by reading


@pytest.mark.parametrize(
    ("events", "rows", "findings", "said"),
    [
        (13, 13, (), "13"),
        (1031, 1031, (), "1,031"),
        (6, 9, ("row_invalid_event",), "6 of 9"),
        (13, 14, ("torn_tail",), "13"),
        (12, 14, ("torn_tail", "row_invalid_json"), "12 of 14"),
    ],
)
def test_a_torn_row_is_no_event(events: int, rows: int, findings: tuple[str, ...], said: str) -> None:
    """Only rows that are lost make it "of"; a torn last row was never one."""
    assert events_text(summary(events=events, rows=rows, findings=findings)) == said


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ("2026-11-29 12:00:21", "29 Nov 12:00"),
        ("2026-02-04 00:00:00", "4 Feb 00:00"),
        ("2024-11-29 12:00:21", "29 Nov 2024"),
        ("2031-01-01 00:00:00", "1 Jan 2031"),
    ],
)
def test_long_past_days_have_a_year(when: str, said: str) -> None:
    """A day without a year is one of the last months."""
    assert day_and_time(at(when), NOW_MS) == said


def test_times_that_no_calendar_has() -> None:
    """Numbers beyond every calendar are written as numbers, and no time is nothing."""
    assert day_and_time(1e300, NOW_MS) == "1e+300 ms"
    assert day_and_time(None, NOW_MS) == ""


def test_what_is_in_doubt_comes_first() -> None:
    """The call stands first; where the ledger cannot be read, the damage does, and the call is not lost."""
    call = {"tool_name": "Bash", "call_summary": "ls"}

    assert in_doubt(summary(**call, note="never answered")) == ("Bash  ls", "never answered")
    assert in_doubt(summary(note="an event id stands twice")) == ("an event id stands twice", "")
    broken = {"verdict": Verdict.UNREADABLE, "note": "row 3"}
    assert in_doubt(summary(**call, **broken)) == ("row 3", "before it: Bash  ls")
    assert in_doubt(summary(**call, **broken, findings=("stale_jsonl",))) == ("row 3", "in it: Bash  ls")
    assert in_doubt(summary(**broken)) == ("row 3", "")


@pytest.mark.parametrize(
    ("codes", "said"),
    [
        ((), "No runs: nothing to resume."),
        (("foreign_entry", "link_not_followed", "shm_missing"), "No runs: nothing to resume."),
        (("foreign_entry", "folder_unreadable"), "No run could be read. That does not mean that there is none."),
        (("not_a_database",), "No run could be read. That does not mean that there is none."),
        (("a_code_of_tomorrow",), "No run could be read. That does not mean that there is none."),
    ],
)
def test_nothing_read_is_not_nothing_there(codes: tuple[str, ...], said: str) -> None:
    """Nobody is told that there is nothing to resume where the storage could not be read."""
    assert no_runs([Finding(code, "") for code in codes]) == said


@pytest.mark.parametrize(
    ("path", "home", "said"),
    [
        ("/home/dev", "/home/dev", "~"),
        ("/home/dev/x", "/home/dev/", "~/x"),
        ("/home/developer", "/home/dev", "/home/developer"),
        ("/x", "", "/x"),
        ("relative", "/home/dev", "relative"),
        ("/x", "/", "/x"),
    ],
)
def test_home_is_a_tilde(path: str, home: str, said: str) -> None:
    """Only what lies in the home folder is written short."""
    assert tilde(path, home) == said


@pytest.mark.parametrize(
    "opened",
    [
        ".",
        "sessions/sess-port",
        "sessions/sess-port/runs/run-7f3e",
        "sessions/sess-port/runs/run-7f3e/runtime-events.jsonl",
    ],
)
def test_the_place_is_the_state_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: str) -> None:
    """Whatever of it was opened, and from wherever, a workspace is called by its state root."""
    root = tmp_path / "default"
    deploy_run(root)
    monkeypatch.chdir(root)

    assert place_of(open_workspace(opened)) == "default"
    assert place_of(open_workspace(root / opened)) == "default"
