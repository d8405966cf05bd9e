"""Children that are killed while they append: no acknowledged row may be lost, and no torn row may count.

What is appended, and the moment of the kill, follow from a seed; where in a row the kill falls is up to the system.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..decision.resume import build_resume_plan
from ..storage.files import file_state
from ..storage.layout import LEDGER, run_folder
from ..store.store import AppendOutcome, RuntimeEventStore
from ..workspace import open_workspace
from .checks import Project, Reopened, check, check_decision, check_kill, check_same
from .prefixes import Decision, Document, call_event, response_event, row_of, run_event, run_header
from .process import ChildFailed, ChildProcess, Task
from .reports import Check, TornReport
from .starter import TIMEOUT_S, ChildStarter, started, started_ahead
from .writer import Step, append, create, wait

_RUN: Final = "run-torn"
_STARTED_MS: Final = 1_784_372_400_000
_CALLS: Final = 6
"""Tool calls of a run; before the first of them comes the user's text."""

_LONG: Final = 1 << 20
"""Bytes of the row in which the kill falls: the system writes them piece by piece, so it can fall between two."""


_LOOK_S: Final = 0.0001
"""Seconds between two looks at the growing ledger; the child needs the processor meanwhile."""


class _Run(Struct, frozen=True):
    """What one seed chose."""

    seed: int
    session_id: str
    header: Document
    events: tuple[Document, ...]
    """One more than the child is given: that is appended where the kill came too late for any other."""
    rows: tuple[bytes, ...]
    target: int
    """0-based number of the row in which the child is to be killed."""
    kill_at: int
    """Bytes of that row that are to be written by then, at least."""

    @property
    def ends(self) -> tuple[int, ...]:
        """Where rows end: [n] is the length in bytes of the ledger with n rows."""
        return tuple(accumulate(map(len, self.rows), initial=0))

    def rows_of_steps(self, steps: int) -> int:
        """Return how many rows so many steps have added: the first creates the run, one before the target waits."""
        return max(0, steps - 1 - (steps > 1 + self.target))

    def decision(self, count: int) -> Decision:
        """Return what must be decided about `count` events: calls and responses alternate behind a first text."""
        settled, open_calls = divmod(max(0, count - 1), 2)
        statuses = ("succeeded",) * settled + ("indeterminate",) * open_calls
        replayed = tuple(event["id"] for event in self.events[1 : 1 + 2 * settled])
        if open_calls:
            return Decision("blocked", statuses, ("dangling_tool_state",), replayed)
        return Decision("safe_replay", statuses, (), replayed)


class _Case(Struct, frozen=True):
    run: _Run
    child: ChildProcess | ChildFailed
    started: float


def run_torn_harness(
    seeds: Iterable[int],
    workspace_root: str | os.PathLike[str] | None = None,
    *,
    project: Project = build_resume_plan,
    child: Sequence[str] | None = None,
    timeout_s: float = TIMEOUT_S,
    on_report: Callable[[TornReport], None] | None = None,
) -> tuple[TornReport, ...]:
    """Kill a child in the middle of its appends, once a seed, and check what is left; see `run_crash_harness`.

    After each kill: every acknowledged row is there, byte for byte; at most one more is; what else stands in the ledger
    is the beginning of the next row and no event; and one more append works, as it would for a runtime that comes back.
    """
    reports: list[TornReport] = []
    with ChildStarter(child) as starter:
        root = starter.scratch / "workspace" if workspace_root is None else Path(workspace_root)
        for case in started_ahead(seeds, lambda seed: _start(starter, seed, root)):
            report = _judge(case, root, project, timeout_s)
            reports.append(report)
            if on_report is not None:
                on_report(report)
    return tuple(reports)


def _start(starter: ChildStarter, seed: int, root: Path) -> _Case:
    begun = time.monotonic()
    run = _choose(seed, starter.session_id(root, f"torn-{seed}"))
    steps: list[Step] = [append(event) for event in run.events[:-1]]
    steps.insert(run.target, wait())
    return _Case(run, starter.start(Task(root, (create(run.header), *steps))), begun)


def _choose(seed: int, session_id: str) -> _Run:
    random = Random(seed)
    header = run_header(session_id, _RUN, _STARTED_MS)
    said = {"kind": "text", "text": "Tidy the berth scheduler."}
    target = random.randrange(2 * _CALLS + 1)
    events = [run_event(header, 1, role="user", author="user", content=said)]
    for place in range(_CALLS):
        call_id, number = f"toolu_{place}", 2 * place + 2
        args = {"command": "npm test", "note": _words(random, long=target == number - 1)}
        result = _words(random, long=target == number)
        events.append(call_event(header, number, call_id, "Bash", args))
        events.append(response_event(header, number + 1, call_id, "Bash", result))
    events.append(run_event(header, len(events) + 1, role="model", author="agent", content=said))
    rows = tuple(map(row_of, events))
    return _Run(seed, session_id, header, tuple(events), rows, target, random.randrange(len(rows[target]) // 2))


def _words(random: Random, *, long: bool) -> str:
    alphabet = random.choice(("x", "é≠", "🚢 ", 'a"b\\n'))
    return alphabet * (_LONG // len(alphabet.encode()) if long else random.randrange(200))


def _judge(case: _Case, root: Path, project: Project, timeout_s: float) -> TornReport:
    run, folder = case.run, run_folder(root, case.run.session_id, _RUN)
    acknowledged, complaint, lengths = 0, "", (0, 0)
    try:
        child = started(case.child)
        _wait_for_place(child, run, folder / LEDGER, timeout_s)
        checks = check_kill(child)
        acknowledged, complaint = run.rows_of_steps(child.acknowledged), child.complaint
    except ChildFailed as error:
        complaint = error.stderr
        checks = (check("child_was_writing", "appends", error.message),)
    else:
        lengths, found = _check_left(root, run, acknowledged, project)
        checks += found
    report = TornReport(run.seed, acknowledged, *lengths, checks, (time.monotonic() - case.started) * 1000, complaint)
    return replace(report, child_stderr="") if report.passed else report


def _wait_for_place(child: ChildProcess, run: _Run, ledger: Path, timeout_s: float) -> None:
    """Return when so much of the row that the seed chose is written: while the child is inside that append."""
    # Besides the rows before it there is the step that creates the run.
    child.wait_acknowledged(1 + run.target, timeout_s)
    child.go_on()
    kill_at = run.ends[run.target] + run.kill_at
    written = 3 + run.target
    end = time.monotonic() + timeout_s
    while child.speaking and child.acknowledged < written and time.monotonic() < end:
        state = file_state(ledger)
        if state is not None and state.size > kill_at:
            return
        time.sleep(_LOOK_S)
    child.wait_acknowledged(written, timeout_s=0)


def _check_left(
    root: Path, run: _Run, acknowledged: int, project: Project
) -> tuple[tuple[int, int], tuple[Check, ...]]:
    """Check what the kill left, then append once more. Also returns how many rows count, and how many bytes do not."""
    ends, whole = run.ends, b"".join(run.rows)
    try:
        reopened = Reopened(root, run.session_id, _RUN)
        left = reopened.ledger_bytes()
        committed = len(reopened.events)
        torn = max(0, len(left) - ends[committed])
        # A row that only lacks its line feed is whole.
        complete = sum(end - 1 <= len(left) for end in ends[1:])
        _, decided = check_decision(reopened, run.decision(complete), project)
        checks = (
            check("no_acknowledged_row_lost", True, acknowledged <= committed),
            check("at_most_the_row_being_written", True, committed <= acknowledged + 1),
            check("whole_rows_count", complete, committed),
            check("torn_row_is_shown", torn, _torn_length(root, run)),
            check_same("rows_as_appended", whole[: len(left)], left),
            *decided,
            *_check_append(root, run, committed),
        )
    except Exception as error:  # whatever is wrong with what is under test is a finding, not the harness's end
        said = "".join(traceback.format_exception_only(error)).strip()
        return (0, 0), (check("reopened", "a decision", said),)
    return (committed, torn), checks


def _torn_length(root: Path, run: _Run) -> int:
    with open_workspace(root) as workspace:
        ledger = workspace.run(_RUN, run.session_id).ledger()
        ledger.close()
        return ledger.torn_tail.length or 0 if ledger.torn_tail is not None else 0


def _check_append(root: Path, run: _Run, committed: int) -> tuple[Check, ...]:
    """Append the next event with a new store, and an event that is there: one is written, the other is not."""
    store = RuntimeEventStore(root)
    written = store.append(run.session_id, _RUN, run.events[committed])
    again = store.append(run.session_id, _RUN, run.events[max(0, committed - 1)])
    reopened = Reopened(root, run.session_id, _RUN)
    return (
        check("next_append_works", AppendOutcome.WRITTEN, written),
        check("nothing_is_written_twice", AppendOutcome.UNCHANGED, again),
        check("one_more_row_counts", committed + 1, len(reopened.events)),
        check_same("torn_row_is_gone", b"".join(run.rows[: committed + 1]), reopened.ledger_bytes()),
    )
