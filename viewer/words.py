"""Facts about a run in the few words that lists have room for. Shared by the screens and the command line."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, tzinfo
from typing import Final

from core import Finding, RunSummary, Verdict, Workspace, moment, short_time

from .state_folder import absolute

_HARMLESS: Final = frozenset(
    {
        *("foreign_entry", "link_not_followed", "schema_older", "schema_unknown_scope", "session_row_damaged"),
        *("jsonl_beside", "link_followed", "shm_missing", "shm_damaged"),
    }
)
"""Findings on a workspace that hide no run."""

_YEAR_NOT_SAID_MS: Final = 300 * 86_400_000
"""A day and a month name one day of the last 300, and after that nobody knows which."""


def events_text(summary: RunSummary) -> str:
    """Write how many events count; of how many rows, where rows are damaged beyond a torn last one."""
    torn = 1 if {"torn_tail", "being_written"}.intersection(summary.findings) else 0
    if summary.rows - torn == summary.events:
        return f"{summary.events:,}"
    return f"{summary.events:,} of {summary.rows:,}"


def day_and_time(ts_ms: float | None, now_ms: float, zone: tzinfo | None = UTC) -> str:
    """Write `29 Nov 12:00`, or `29 Nov 2024` where it is long past or yet to come; empty without a time."""
    if ts_ms is None:
        return ""
    said, at = short_time(ts_ms, zone), moment(ts_ms, zone)
    if at is None or abs(now_ms - ts_ms) < _YEAR_NOT_SAID_MS:
        return said
    return f"{said.rpartition(' ')[0]} {at.year}"


def call_text(summary: RunSummary) -> str:
    """Write the tool and the argument that says most; empty where no call is in doubt."""
    return "  ".join(part for part in (summary.tool_name, summary.call_summary) if part)


def in_doubt(summary: RunSummary) -> tuple[str, str]:
    """Give what is in doubt about a run: first what a person must know, then what is said about it."""
    call, note = call_text(summary), summary.note or ""
    if summary.verdict is Verdict.UNREADABLE and note:
        where = "in it" if "stale_jsonl" in summary.findings else "before it"
        return note, f"{where}: {call}" if call else ""
    return (call, note) if call else (note, "")


def no_runs(findings: Iterable[Finding]) -> str:
    """Say that there are no runs, and never that there is nothing where nothing could be read."""
    if lost(findings):
        return "No run could be read. That does not mean that there is none."
    return "No runs: nothing to resume."


def lost(findings: Iterable[Finding]) -> bool:
    """Tell whether the storage is in such a state that runs may be there and not be seen."""
    return any(finding.code not in _HARMLESS for finding in findings)


def place_of(workspace: Workspace) -> str:
    """Name the state root that a workspace lies in, or what was opened."""
    path = absolute(workspace.root)
    for parent in path.parents:
        if parent.name == "sessions" and parent.parent.name:
            return parent.parent.name
    return path.name or str(path)
