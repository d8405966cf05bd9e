"""Tables of the command line, for a terminal: the only use of rich outside of the screens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from core import RunSummary, Workspace, printable, short_time

from .styles import VERDICTS

_STYLES: Final = {
    "may_have_run": "bold red",
    "unreadable": "yellow",
    "contradictory": "yellow",
    "may_be_running": "cyan",
    "replayable": "dim",
}


def print_runs(workspace: Workspace, summaries: Sequence[RunSummary]) -> None:
    """Print the list of runs as a table as wide as the terminal."""
    console = Console(markup=False, highlight=False, emoji=False)
    console.print(Text(printable(f"{workspace.root}  read-only  {len(summaries):,} runs"), style="bold"))
    for finding in workspace.findings:
        console.print(Text(printable(f"! {finding.code}  {finding.message}  {finding.path or ''}"), style="yellow"))
    if not summaries:
        console.print(Text("No runs: nothing to resume."))
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("verdict", "what is in doubt", "session", "run", "header", "last event"):
        table.add_column(heading, overflow="ellipsis", no_wrap=True)
    table.add_column("events", justify="right", no_wrap=True)
    for summary in summaries:
        table.add_row(*_cells(summary), style=_STYLES.get(summary.verdict, ""))
    console.print(table)


def _cells(summary: RunSummary) -> list[Text]:
    look = VERDICTS[summary.verdict]
    call = f"{summary.tool_name}  {summary.call_summary}" if summary.tool_name else ""
    doubt = "  ".join(part for part in (call, summary.note or "") if part)
    events = f"{summary.events:,}" if summary.events == summary.rows else f"{summary.events:,} of {summary.rows:,}"
    when = short_time(summary.last_event_ms) if summary.last_event_ms is not None else ""
    words = (
        f"{look.glyph} {look.word}", doubt, summary.title or summary.session_id, summary.run_id,
        summary.header_status or "none", when, events,
    )  # fmt: skip
    return [Text(printable(word, limit=200)) for word in words]
