"""`maka-ledger plan`: the decision on one run, and why."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from core import Inspection, RequestError, Workspace, inspect, ledger_together, locate, open_workspace, run_document

from .output import Output
from .targets import UNREADABLE, Target, only_run, parse_target, title_of


def plan(options: argparse.Namespace, out: Output, clock: Callable[[], float]) -> int:
    """Write the plan and return the exit code."""
    target = parse_target(options.path)
    if options.run is not None:
        if target.run_id not in (None, options.run):
            raise RequestError("two runs are named", hint="name one: by --run or in the link")
        target = Target(target.path, options.run, target.event_id)
    with open_workspace(target.path) as workspace:
        return write_plan(
            workspace,
            target,
            out,
            clock,
            session_id=options.session,
            prefix=options.prefix,
            expected=options.expect_high_water,
            as_json=options.json,
        )


def write_plan(
    workspace: Workspace,
    target: Target,
    out: Output,
    clock: Callable[[], float],
    *,
    session_id: str | None = None,
    prefix: int | None = None,
    expected: int | None = None,
    as_json: bool = False,
) -> int:
    """Write the plan of the run that is named, or of the only one, and return the exit code."""
    run = only_run(workspace, target.run_id, session_id)
    ledger, now = ledger_together(run), clock()
    whole = inspect(ledger, expected_high_water=expected, now_ms=now)
    shown = whole if prefix is None else inspect(ledger, high_water=prefix, now_ms=now)
    event = None if target.event_id is None else locate(ledger, target.event_id)
    title = title_of(workspace, run)
    if as_json:
        document = run_document(shown, target.path, title) | {"whatIf": prefix is not None}
        out.document(document if event is None else document | {"event": event + 1})
    else:
        from .plan_report import plan_lines

        out.lines(plan_lines(shown, title, what_if=prefix is not None, whole=whole, event_index=event))
    return _plan_code(whole)


def _plan_code(inspection: Inspection) -> int:
    reasons = inspection.plan.rejection_reasons
    if "runtime_ledger_unreadable" in reasons or "source_run_unreadable" in reasons:
        return UNREADABLE
    if inspection.commits_lost and not inspection.plan.blocked:
        return UNREADABLE
    return 1 if inspection.plan.blocked else 0
