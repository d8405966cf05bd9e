"""The list of runs as a table as wide as the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len

from core import RunSummary, Verdict, Workspace, counted, printable

from .cells import cut, cut_middle, fit, pad
from .output import Line
from .plan_report import finding_lines
from .styles import CONTINUED, VERDICTS
from .widgets.run_columns import GAP, VERDICT, Columns, fit_columns
from .words import day_and_time, events_text, in_doubt, no_runs

_GAP: Final = " " * GAP
_HEADER: Final = 16
"""Cells of `waiting_for_user`."""
_WITH_HEADER: Final = 116
"""Columns from which on there is room for the header's status."""
_TONES: Final = {
    "may_have_run": "doubt",
    "unreadable": "evidence",
    "contradictory": "evidence",
    "may_be_running": "live",
    "replayable": "muted",
}


def table_lines(workspace: Workspace, summaries: Sequence[RunSummary], width: int, now_ms: float) -> Iterator[Line]:
    """Give the table; columns give way as on the screen, the verdict and what is in doubt never."""
    runs = counted(len(summaries), "run")
    yield Line(printable(f"{workspace.root}  read-only  {runs}, times in UTC"), "strong")
    yield from finding_lines(workspace.findings)
    if not summaries:
        yield Line(no_runs(workspace.findings))
        return
    header = _HEADER + GAP if width >= _WITH_HEADER else 0
    columns = fit_columns(
        width - 1 - header,
        run=max(len(summary.run_id) for summary in summaries),
        session=max(cell_len(_session(summary)) for summary in summaries),
        events=max(6, *(len(events_text(summary)) for summary in summaries)),
    )
    heads = ("verdict", "", "what is in doubt", "session", "run", "header", "last event", "events")
    yield Line(_row(heads, columns, with_header=bool(header)), "muted")
    for summary in summaries:
        look = VERDICTS[summary.verdict]
        verdict = f"{look.glyph} {look.word}"
        doubt = "  ".join(printable(part, limit=200) for part in in_doubt(summary) if part)
        cells = (
            *(verdict, CONTINUED.glyph if summary.continued_by else "", doubt, _session(summary)),
            *(printable(summary.run_id), printable(summary.header_status or "none")),
            *(day_and_time(summary.last_event_ms, now_ms), events_text(summary)),
        )
        calm = summary.verdict is Verdict.REPLAYABLE
        yield Line(
            _row(cells, columns, with_header=bool(header)), _TONES.get(summary.verdict, ""), 0 if calm else len(verdict)
        )


def _row(cells: Sequence[str], columns: Columns, *, with_header: bool) -> str:
    verdict, later, doubt, session, run, header, last, events = cells
    parts = [f"{verdict:<{VERDICT - 3}}{later:<1}{_GAP}{fit(doubt, columns.doubt)}"]
    parts += [fit(session, columns.session)] if columns.session else []
    parts += [pad(cut_middle(run, columns.run), columns.run)] if columns.run else []
    parts += [fit(header, _HEADER)] if with_header else []
    parts += [fit(last, columns.last)] if columns.last else []
    parts += [pad(cut(events, columns.events), columns.events, "left")] if columns.events else []
    return _GAP.join(parts).rstrip()


def _session(summary: RunSummary) -> str:
    return printable(summary.title or summary.session_id, limit=80)
