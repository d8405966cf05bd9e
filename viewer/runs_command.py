"""`maka-ledger runs`: every run of a workspace, most urgent first."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable

from core import (
    RunSummary,
    Workspace,
    ledger_together,
    most_urgent_first,
    open_workspace,
    runs_document,
    summarize_run,
    triage_together,
)

from .output import Output
from .targets import Target, parse_target, title_of


def runs(options: argparse.Namespace, out: Output, clock: Callable[[], float]) -> int:
    """Write the list and return the exit code."""
    target = parse_target(options.path)
    with open_workspace(target.path) as workspace:
        summaries = most_urgent_first(summaries_of(workspace, target, clock))
        if options.json:
            out.document(runs_document(workspace, target.path, summaries))
        elif out.is_terminal:
            import shutil

            from .tables import table_lines  # measures text with rich, which only a terminal needs

            out.lines(table_lines(workspace, summaries, shutil.get_terminal_size().columns, clock()))
        else:
            from .report import runs_lines

            out.lines(runs_lines(workspace, summaries))
    return 0


def summaries_of(workspace: Workspace, target: Target, clock: Callable[[], float]) -> Iterable[RunSummary]:
    """Return a summary of every run, or of the one that is named, in the order of the workspace."""
    if target.run_id is None:
        order = {(run.session_id, run.run_id): place for place, run in enumerate(workspace.runs())}
        found = triage_together(workspace, clock(), read=ledger_together)
        return sorted(found, key=lambda summary: order[summary.session_id, summary.run_id])
    run = workspace.run(target.run_id)
    return [summarize_run(run, title_of(workspace, run), clock(), read=ledger_together)]
