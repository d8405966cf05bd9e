"""The harness that proves the contract with real processes and the real store (contract: process-crash harness).

It tests crashes of a process, not the loss of power, and claims nothing about what reached the disk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..decision.failpoints import RUNTIME_RESUME_FAILPOINTS, Failpoint
from ..decision.resume import build_resume_plan
from ..errors import RequestError
from .checks import Project, check, check_kill, check_reopened
from .prefixes import Prefix, crash_prefix
from .process import ChildFailed, ChildProcess, Task
from .reports import Check, CrashReport
from .starter import TIMEOUT_S, ChildStarter, started, started_ahead


def run_crash_harness(
    failpoints: Iterable[Failpoint | str] = RUNTIME_RESUME_FAILPOINTS,
    workspace_root: str | os.PathLike[str] | None = None,
    *,
    project: Project = build_resume_plan,
    child: Sequence[str] | None = None,
    timeout_s: float = TIMEOUT_S,
    on_report: Callable[[CrashReport], None] | None = None,
) -> tuple[CrashReport, ...]:
    """Kill a child process at each failpoint, reopen what it left, and check every sentence of the contract.

    Args:
        failpoints: the failpoints or their ids.
        workspace_root: the state root to which the children write, one session a failpoint; it is kept. None is a
            temporary one, which is removed.
        project: the projection under test.
        child: what to start instead of our own child; the path of its task is added.
        timeout_s: seconds that a child gets.
        on_report: called with each report as it is ready, in the order of the failpoints.

    Returns one report a failpoint, in order. Nothing is raised for what fails, it is a report; and no process or
    temporary folder is left behind, interrupted or not. Raises RequestError for an unknown failpoint.

    """
    chosen = [_failpoint(given) for given in failpoints]
    reports: list[CrashReport] = []
    with ChildStarter(child) as starter:
        root = starter.scratch / "workspace" if workspace_root is None else Path(workspace_root)
        control = _control(starter, timeout_s)
        for case in started_ahead(chosen, lambda failpoint: _start(starter, failpoint, root)):
            report = _judge(case, root, control, project, timeout_s)
            reports.append(report)
            if on_report is not None:
                on_report(report)
    return tuple(reports)


class _Case(Struct, frozen=True):
    failpoint: Failpoint
    prefix: Prefix
    child: ChildProcess | ChildFailed
    started: float


def _start(starter: ChildStarter, failpoint: Failpoint, root: Path) -> _Case:
    begun = time.monotonic()
    prefix = crash_prefix(failpoint, starter.session_id(root, f"crash-{failpoint.id}"))
    return _Case(failpoint, prefix, starter.start(Task(root, prefix.steps)), begun)


def _judge(case: _Case, root: Path, control: Check, project: Project, timeout_s: float) -> CrashReport:
    complaint = ""
    try:
        child = started(case.child)
        child.wait_ready(timeout_s)
        checks = (control, *check_kill(child))
        complaint = child.complaint
    except ChildFailed as error:
        seen, complaint = error.message, error.stderr
        checks = (control, check("child_was_ready", "every step returned", seen))
    else:
        seen, found = check_reopened(root, case.failpoint, case.prefix, project)
        checks += found
    duration_ms = (time.monotonic() - case.started) * 1000
    report = CrashReport(case.failpoint, str(case.prefix.expected), seen, checks, duration_ms, complaint)
    return replace(report, child_stderr="") if report.passed else report


def _control(starter: ChildStarter, timeout_s: float) -> Check:
    """See that a child which is not killed does leave the marker; without that, its absence would prove nothing."""
    prefix = crash_prefix(RUNTIME_RESUME_FAILPOINTS[0], "crash-control")
    wanted = "exit code 0, marker left"
    try:
        child = started(starter.start(Task(starter.scratch / "control", prefix.steps)))
        child.wait_ready(timeout_s)
        code = child.end(timeout_s)
    except ChildFailed as error:
        return check("control_left_its_marker", wanted, error.message)
    marker = "marker left" if child.marker.exists() else "no marker"
    return check("control_left_its_marker", wanted, f"exit code {code}, {marker}")


def _failpoint(given: Failpoint | str) -> Failpoint:
    for failpoint in RUNTIME_RESUME_FAILPOINTS:
        if given in (failpoint, failpoint.id):
            return failpoint
    raise RequestError(f"there is no failpoint {given!r}", hint="maka-ledger failpoints lists them")
