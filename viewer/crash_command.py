"""`maka-ledger crash-test`: the harness, with a line for every crash as it is judged."""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from core import (
    RUNTIME_RESUME_FAILPOINTS,
    CrashReport,
    TornReport,
    crash_document,
    printable,
    printable_lines,
    run_crash_harness,
    run_torn_harness,
)

from .leaving import orderly_end
from .new_folder import new_folder
from .output import Line, Output

_BOUNDARY_WIDTH: Final = max(len(failpoint.boundary) for failpoint in RUNTIME_RESUME_FAILPOINTS)
_WIDE: Final = 176
"""Columns from which on the boundary has its place; `maka-ledger failpoints` has it anyway."""


def crash_test(options: argparse.Namespace, out: Output) -> int:
    """Run the harness; 0 if everything held, else 1. Raises RequestError for an unknown failpoint or a taken folder."""
    chosen = options.failpoint or RUNTIME_RESUME_FAILPOINTS
    keep = new_folder(options.keep) if options.keep is not None else None
    wide = not out.is_terminal or shutil.get_terminal_size().columns >= _WIDE
    begun = time.monotonic()

    def show(lines: Iterable[Line]) -> None:
        if not options.json:
            out.lines(lines)
            out.finish()
        heed()

    with orderly_end() as heed:
        reports = run_crash_harness(
            chosen, keep, on_report=lambda report: show(crash_lines(report, with_boundary=wide))
        )
        torn = run_torn_harness(range(options.torn), keep, on_report=lambda report: show(torn_lines(report)))
    document = crash_document(reports, torn)
    if options.json:
        out.document(document)
    else:
        show(sum_lines(reports, torn, time.monotonic() - begun))
    return 0 if document["passed"] else 1


def crash_lines(report: CrashReport, *, with_boundary: bool) -> Iterator[Line]:
    """Give the line of one failpoint, and below it all that did not hold."""
    failpoint = report.failpoint
    seen = "the same" if report.seen == report.expected else report.seen
    parts = (
        f"{failpoint.id:<3}",
        *((failpoint.boundary.ljust(_BOUNDARY_WIDTH),) if with_boundary else ()),
        f"{failpoint.committed_prefix:<23}",
        f"expected {report.expected:<55}",
        f"seen {seen}",
    )
    yield _result("  ".join(parts), report.passed)
    yield from _failures(report)


def torn_lines(report: TornReport) -> Iterator[Line]:
    """Give the line of one kill in the middle of an append, and below it all that did not hold."""
    torn = f"{report.torn_bytes:,} bytes torn, not counted" if report.torn_bytes else "no row torn"
    text = f"torn {report.seed:<4}  {report.acknowledged} rows acknowledged, {report.committed} committed, {torn}"
    yield _result(text, report.passed)
    yield from _failures(report)


def sum_lines(reports: Sequence[CrashReport], torn: Sequence[TornReport], seconds: float) -> Iterator[Line]:
    """Give the sum, and what it does not say."""
    passed = sum(report.passed for report in reports)
    text = f"{passed} of {len(reports)} failpoints passed"
    if torn:
        cut = sum(report.torn_bytes > 0 for report in torn)
        text += f", {sum(report.passed for report in torn)} of {len(torn)} kills while appending, {cut} with a torn row"
    yield Line(f"{text}, in {seconds:.1f} s", "strong")
    yield Line(
        "Processes were killed; the power was not cut, and nothing is claimed about what reached the disk.", "muted"
    )


def _result(text: str, passed: bool) -> Line:
    return Line(printable(f"{text}  {'PASS' if passed else 'FAIL'}", limit=600), "settled" if passed else "doubt")


def _failures(report: CrashReport | TornReport) -> Iterator[Line]:
    for check in report.checks:
        if not check.passed:
            yield Line(
                printable(f"     {check.code}: expected {check.expected}, seen {check.seen}", limit=600), "doubt"
            )
    for line in printable_lines(report.child_stderr):
        yield Line(f"     child: {line}", "muted")
