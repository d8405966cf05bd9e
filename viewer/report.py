"""Lists of runs, the answer of `check` and the catalog, as plain lines for pipes and logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from core import (
    RUNTIME_RESUME_FAILPOINTS,
    Checked,
    RunSummary,
    Verdict,
    Workspace,
    absolute_time,
    counted,
    inspect,
    most_urgent_first,
    printable,
    summarize_run,
)

from .output import Line
from .plan_report import finding_lines, plan_lines
from .styles import VERDICTS
from .targets import title_of
from .words import events_text, in_doubt, no_runs

__all__ = ["Line", "check_lines", "failpoints_lines", "runs_lines", "workspace_lines"]

_TONES: Final = {
    "may_have_run": "doubt",
    "unreadable": "evidence",
    "contradictory": "evidence",
    "may_be_running": "live",
    "replayable": "settled",
}


def workspace_lines(workspace: Workspace, now_ms: float) -> Iterator[Line]:
    """Give the list of runs, then the whole decision on every run in doubt."""
    read = [(summarize_run(run, title_of(workspace, run), now_ms), run) for run in workspace.runs()]
    runs = {id(summary): run for summary, run in read}
    summaries = most_urgent_first(summary for summary, _ in read)
    yield from runs_lines(workspace, summaries)
    for summary in summaries:
        if not summary.replayable:
            yield Line("")
            ledger = runs[id(summary)].ledger()
            inspection = inspect(ledger, now_ms=now_ms)
            yield from plan_lines(inspection, summary.title, what_if=False, whole=inspection)
            ledger.close()


def runs_lines(workspace: Workspace, summaries: Sequence[RunSummary]) -> Iterator[Line]:
    """Give one line a run, most urgent first."""
    yield Line(printable(f"{workspace.root}  read-only  {counted(len(summaries), 'run')}"), "strong")
    yield from finding_lines(workspace.findings)
    if not summaries:
        yield Line(no_runs(workspace.findings))
    for summary in summaries:
        yield _run_line(summary)


def _run_line(summary: RunSummary, path: str = "") -> Line:
    look = VERDICTS[summary.verdict]
    head = f"{look.glyph} {look.word}"
    first, note = in_doubt(summary)
    if summary.unresolved and summary.verdict is not Verdict.UNREADABLE:
        first = f"{summary.unresolved:,} unresolved: {first}"
    what = "  ".join(printable(part, limit=200) for part in (first, note) if part)
    place = printable(f"{summary.session_id}/{summary.run_id}", limit=200)
    header = f"header {printable(summary.header_status, limit=40)}" if summary.header_status else "no header"
    events = events_text(summary)
    events += " event" if events == "1" else " events"
    last = f"last event {absolute_time(summary.last_event_ms)}" if summary.last_event_ms is not None else "no event"
    parts = (f"{head:<16}", printable(path, limit=400), place, what, header, events, last)
    return Line("  ".join(part for part in parts if part), _TONES.get(summary.verdict, ""), len(head))


def check_lines(checked: Sequence[Checked], exit_code: int) -> Iterator[Line]:
    """Give one line a run that is not replayable, then the sum."""
    summaries = [summary for one in checked for summary in one.summaries]
    for one in checked:
        yield from finding_lines(one.findings)
        yield from _blocked(one.path if len(checked) > 1 else "", most_urgent_first(one.summaries))
    blocked = sum(summary.blocked for summary in summaries)
    unreadable = sum(summary.unreadable and summary.blocked for summary in summaries)
    replayable = sum(summary.replayable for summary in summaries)
    said = f"{counted(len(summaries), 'run')}: {replayable:,} replayable, {blocked:,} with replay blocked"
    if unreadable:
        said += f", {unreadable:,} of these unreadable"
    if replayable + blocked < len(summaries):
        said += f", {len(summaries) - replayable - blocked:,} with lost commits"
    failed = sum(one.error is not None for one in checked)
    if failed:
        said += f"; {failed:,} of {len(checked):,} paths could not be opened"
    yield Line(f"{said}; exit code {exit_code}", "strong")
    if not summaries and not failed:
        yield Line(no_runs(finding for one in checked for finding in one.findings))


def _blocked(path: str, summaries: Iterable[RunSummary]) -> Iterator[Line]:
    for summary in summaries:
        if not summary.replayable:
            yield _run_line(summary, path)


def failpoints_lines() -> Iterator[Line]:
    """Give the catalog, one line a failpoint."""
    for failpoint in RUNTIME_RESUME_FAILPOINTS:
        yield Line(f"{failpoint.id:<4} {failpoint.committed_prefix:<24} {failpoint.boundary}")
