"""The report in plain lines: what it says, in which order, and what it leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from core import Checked, Inspection, Workspace, inspect, most_urgent_first, open_workspace, triage
from tests.support.harbor import NOW_MS, Book, harbor_workspace
from tests.support.runs import call, text
from tests.support.workspaces import make_run
from viewer.output import Line
from viewer.plan_report import plan_lines
from viewer.report import check_lines, failpoints_lines, runs_lines, workspace_lines
from viewer.tables import table_lines


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Open a workspace with every verdict."""
    return open_workspace(harbor_workspace(tmp_path_factory.mktemp("harbor"), 2))


def said(lines: Iterable[Line]) -> list[str]:
    """Give the texts of lines."""
    return [line.text for line in lines]


def inspection_of(workspace: Workspace, run_id: str, **options: Any) -> Inspection:
    """Inspect a run at the fixed time."""
    return inspect(workspace.run(run_id).ledger(), now_ms=NOW_MS, **options)


def test_a_doubtful_run(harbor: Workspace) -> None:
    """The fact stands first, then what to do, then the call with when, where and with what, then the codes."""
    inspection = inspection_of(harbor, "run-7f3e")

    assert said(plan_lines(inspection, "Fix the port clash", what_if=False, whole=inspection)) == [
        "Fix the port clash › run-7f3e  (sess-port)",
        "✗ REPLAY BLOCKED",
        "  1 unresolved call may have run:  Bash  npm run deploy -- --prod",
        "  Do not run it again until you have checked the target.",
        "",
        "? MAY HAVE RUN   Bash   event 11   toolu_01Q8",
        "  command  npm run deploy -- --prod",
        "  in       /home/dev/projects/harbor",
        "  called   2026-11-29 12:00:21.704 UTC, 2 h ago",
        "  The ledger proves: The model asked for this call; that was committed.",
        "  The ledger does not show whether it started, finished or took effect.",
        "  Also seen (decides nothing):",
        "    permission asked: network_send, event 12",
        "    permission allowed by user, event 13",
        "    a heartbeat suggests it had started",
        "    the torn row starts like its response",
        "  Before anyone acts:",
        "    1 Look at the target: did the effect land?",
        "    2 Until then do not rerun it or resume this run.",
        "",
        (
            "prefix 13 of 13: after_function_call, same committed prefix as failpoints P1 P2 P3 P4. "
            "header running, no terminal fact: unfinished."
        ),
        "reasons: dangling_tool_state",
        "diagnostic: pending_tool_result at event 11, Bash toolu_01Q8",
        "settled 3",
        "  ✓ succeeded  Read  config.json",
        "  × failed  Edit  config.json",
        "  ✓ succeeded  Bash  npm test",
        "! torn_tail  line 14, byte 12,410, length 198  the last row is incomplete: not an event, not counted",
    ]


def test_a_what_if_never_hides_the_verdict(harbor: Workspace) -> None:
    """The real verdict and what to do stand above the question, and nothing in its answer is green."""
    whole = inspection_of(harbor, "run-7f3e")
    lines = list(plan_lines(inspection_of(harbor, "run-7f3e", high_water=10), None, what_if=True, whole=whole))

    assert said(lines)[:5] == [
        "sess-port › run-7f3e",
        "✗ REPLAY BLOCKED",
        "  1 unresolved call may have run:  Bash  npm run deploy -- --prod",
        "  Do not run it again until you have checked the target.",
        "WHAT-IF after event 10 of 13: would be HISTORY MAY BE REPLAYED",
    ]
    assert not [line for line in lines if line.tone == "settled"]


@pytest.mark.parametrize(
    ("run_id", "expected"),
    [
        (
            "run-91aa",
            [
                "✗ REPLAY BLOCKED",
                "  row 7, byte 1,443: $.content.kind 'hologram' is not one of the words allowed here",
                "  Keep a copy of the storage as it is. Do not resume this run.",
            ],
        ),
        (
            "run-0b61",
            [
                "✗ REPLAY BLOCKED",
                "  1 unresolved call with contradictory rows:  Bash  pg_dump harbor",
                "  Do not run it again until you have checked the target.",
            ],
        ),
        (
            "run-0b7d",
            [
                "✗ REPLAY BLOCKED",
                "  1 unresolved call parked:  Write  schema.sql",
                "  Observed, not settled; a person decides.",
            ],
        ),
        (
            "run-5e11",
            [
                "✗ REPLAY BLOCKED",
                "  1 unresolved call never dispatched:  Bash  npm publish",
                "  By this run's protocol it had not started. Replay stays blocked.",
            ],
        ),
        (
            "run-7f40",
            [
                "~ MAY BE RUNNING  last write 14 s ago; if it died now: REPLAY BLOCKED",
                "  1 unresolved call may have run:  Bash  npm test",
                "  A writer may be alive. Do not start anything on this run until it has ended.",
            ],
        ),
        ("run-41e0", ["✓ HISTORY MAY BE REPLAYED", "  Runs no tool, undoes nothing, checks no target."]),
    ],
)
def test_the_first_lines_of_every_verdict(harbor: Workspace, run_id: str, expected: list[str]) -> None:
    """Verdict, what is in doubt, what to do: in these words and this order."""
    inspection = inspection_of(harbor, run_id)
    lines = said(plan_lines(inspection, None, what_if=False, whole=inspection))

    assert lines[1 : 1 + len(expected)] == expected


def test_the_list_of_runs(harbor: Workspace) -> None:
    """One line a run: verdict, place, what is in doubt, how many calls, header, events, last time with its zone."""
    summaries = most_urgent_first(triage(harbor, NOW_MS))
    lines = said(runs_lines(harbor, summaries))

    assert lines[0] == f"{harbor.root}  read-only  11 runs"
    assert lines[1:] == [
        (
            "? MAY HAVE RUN    sess-port/run-7f3e  1 unresolved: Bash  npm run deploy -- --prod  header running  13 "
            "events  last event 2026-11-29 12:00:24.204 UTC"
        ),
        (
            "? MAY HAVE RUN    sess-clean/run-22c0  1 unresolved: Bash  git push --force  (never answered)  "
            "header waiting_for_user  3 events  last event 2026-11-28 17:41:01.200 UTC"
        ),
        (
            "? MAY HAVE RUN    sess-config/run-41d9  1 unresolved: Edit  config.json  continued by run-41e0  "
            "header running  2 events  last event 2026-11-26 11:30:02.000 UTC"
        ),
        (
            "! UNREADABLE      sess-berth/run-91aa  row 7, byte 1,443: $.content.kind 'hologram' is not one of the "
            "words allowed here  header completed  6 of 9 events  last event 2026-11-28 16:01:51.000 UTC"
        ),
        (
            "≠ CONTRADICTORY   sess-schema/run-0b61  1 unresolved: Bash  pg_dump harbor  header running  3 events  "
            "last event 2026-11-27 08:02:01.100 UTC"
        ),
        (
            "‖ PARKED          sess-schema/run-0b7d  1 unresolved: Write  schema.sql  target has diverged  header "
            "running  5 events  last event 2026-11-27 10:15:02.100 UTC"
        ),
        (
            "○ NOT DISPATCHED  sess-release/run-5e11  1 unresolved: Bash  npm publish  header running  2 events  "
            "last event 2026-11-27 08:50:01.000 UTC"
        ),
        (
            "~ MAY BE RUNNING  sess-port/run-7f40  1 unresolved: Bash  npm test  last write 14 s ago  header running  "
            "2 events  last event 2026-11-29 14:12:22.000 UTC"
        ),
        (
            "✓ replayable      sess-flaky/run-0002  torn row of 45 bytes, not counted  header running  30 events  "
            "last event 2026-11-26 18:02:02.900 UTC"
        ),
        "✓ replayable      sess-clean/run-3a01  header completed  11 events  last event 2026-11-26 17:54:01.000 UTC",
        "✓ replayable      sess-config/run-41e0  header completed  3 events  last event 2026-11-26 11:52:01.200 UTC",
    ]


def test_the_whole_report_ends_with_every_blocked_run(harbor: Workspace) -> None:
    """Without a screen the list comes first, then each run in doubt whole, the most urgent first."""
    lines = said(workspace_lines(harbor, NOW_MS))
    heads = [line for line in lines if " › run-" in line]

    assert lines[0].endswith("11 runs")
    assert heads == [
        "Fix the port clash › run-7f3e  (sess-port)",
        "Clean the history › run-22c0  (sess-clean)",
        "Port config › run-41d9  (sess-config)",
        "Berth scheduler › run-91aa  (sess-berth)",
        "Schema move › run-0b61  (sess-schema)",
        "Schema move › run-0b7d  (sess-schema)",
        "Release 0.4 › run-5e11  (sess-release)",
        "Fix the port clash › run-7f40  (sess-port)",
    ]
    assert "Also seen (decides nothing): run-41e0 says that it continues this run" in lines


def test_the_answer_of_check(harbor: Workspace) -> None:
    """Only runs that are not replayable have a line; the sum and the exit code stand last."""
    summaries = tuple(triage(harbor, NOW_MS))
    lines = said(check_lines([Checked("/w", summaries, ())], 3))
    assert len(lines) == 9
    assert lines[-1] == "11 runs: 3 replayable, 8 blocked, 1 of these unreadable; exit code 3"
    assert lines[0].startswith("? MAY HAVE RUN    sess-port/run-7f3e  1 unresolved: ")

    several = said(check_lines([Checked("/w", summaries, ()), Checked("/v")], 3))
    assert several[0].startswith("? MAY HAVE RUN    /w  sess-port/run-7f3e  ")
    assert said(check_lines([Checked("/v")], 0)) == [
        "0 runs: 0 replayable, 0 blocked; exit code 0",
        "No runs: nothing to resume.",
    ]


def test_the_catalog_has_a_line_a_failpoint() -> None:
    """Twelve lines in order."""
    lines = said(failpoints_lines())

    assert [line.split()[0] for line in lines] == [f"P{number}" for number in range(12)]
    assert lines[3] == "P3   after_function_call      " + lines[3].split("  ")[-1].strip()


@pytest.mark.parametrize("width", [40, 60, 80, 100, 116, 120, 200])
def test_the_table_fits_the_terminal(harbor: Workspace, width: int) -> None:
    """No line is too wide; the verdict is whole at any width, the header has a column where there is room."""
    summaries = most_urgent_first(triage(harbor, NOW_MS))
    lines = said(table_lines(harbor, summaries, width, NOW_MS))[1:]

    assert all(len(line) < width for line in lines)
    for word in ("MAY HAVE RUN", "NOT DISPATCHED", "MAY BE RUNNING"):
        assert any(word in line for line in lines)
    assert any("waiting_for_user" in line for line in lines) == (width >= 116)
    assert any("↷" in line for line in lines)


def test_long_arguments_are_cut_and_counted(tmp_path: Path) -> None:
    """A long value is shown in part, line by line, and how long it is; nothing is cut in silence."""
    script = "\n".join(f"echo {number}" for number in range(40))
    make_run(tmp_path, [text("e1"), call("e2", args={"command": script, "note": "x" * 5000, "short": "a\nb"})])
    inspection = inspect(open_workspace(tmp_path).runs()[0].ledger(), now_ms=NOW_MS)
    lines = said(plan_lines(inspection, None, what_if=False, whole=inspection))

    assert "  command  echo 0" in lines
    assert "           echo 11" in lines
    assert "           echo 12" not in lines
    assert f"           … cut here: {len(script)} characters in all, --json has them" in lines
    assert "           … cut here: 5,000 characters in all, --json has them" in lines
    assert lines[lines.index("  short    a") + 1] == "           b"


def test_many_settled_calls_are_counted(tmp_path: Path) -> None:
    """Of many settled calls the first are named and the others counted."""
    book = Book(tmp_path, "s", "r", "2026-11-29 12:00:00")
    book.user("go")
    for number in range(30):
        book.call(f"t{number}", "Read", file_path=f"{number}.ts")
        book.response(f"t{number}", "Read", "ok")
    book.save()
    inspection = inspect(open_workspace(tmp_path).runs()[0].ledger())
    lines = said(plan_lines(inspection, None, what_if=False, whole=inspection))

    assert "settled 30" in lines
    assert "  and 10 more, --json has them" in lines
