"""`maka-ledger check`: for scripts. The exit code is the answer."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Final

from core import Checked, CoreError, RunSummary, check_document, open_workspace

from .output import Output
from .runs_command import summaries_of
from .targets import UNREADABLE, exit_code_of, parse_target
from .words import lost

_LOST: Final = frozenset({"folder_not_read", "folder_unreadable", "link_not_followed", "not_a_database", "stale_jsonl"})
"""Findings after which there may be runs that nobody could look at."""


def check(options: argparse.Namespace, out: Output, clock: Callable[[], float]) -> int:
    """Write what every path holds and return the exit code."""
    checked = [_checked(path, clock) for path in options.path]
    code = _check_code(checked)
    if options.json:
        out.document(check_document(checked, code))
    else:
        from .report import check_lines

        out.lines(check_lines(checked, code))
    for one in checked:
        if one.error is not None:
            out.narrate(one.error)
    return code


def _checked(path: str, clock: Callable[[], float]) -> Checked:
    target = parse_target(path)
    try:
        with open_workspace(target.path) as workspace:
            return Checked(path, tuple(summaries_of(workspace, target, clock)), workspace.findings)
    except CoreError as error:
        return Checked(path, error=error)


def _check_code(checked: Iterable[Checked]) -> int:
    codes = {0}
    for one in checked:
        if one.error is not None:
            codes.add(exit_code_of(one.error))
        codes.add(_exit_code(one.summaries))
        if any(f.code in _LOST for f in one.findings) or (not one.summaries and lost(one.findings)):
            codes.add(UNREADABLE)
    return max(codes)


def _exit_code(summaries: Iterable[RunSummary]) -> int:
    """Return the exit code of inspected runs: 3 beats 1 beats 0."""
    codes = {UNREADABLE if summary.unreadable else 1 if summary.blocked else 0 for summary in summaries}
    return max(codes, default=0)
