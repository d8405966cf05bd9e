"""A report as a document: schema `maka-ledger/report@1`. Events are numbered from 1, values are the ledger's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..inspection.explain import absolute_time
from ..inspection.why import Why, WhySection
from .report import DoubtReport, Report, RunReport, TimelineRow


def report_document(report: Report) -> dict[str, object]:
    """Write a report down."""
    counts = None if report.counts is None else {str(verdict): count for verdict, count in report.counts}
    return _present(
        {
            "schema": "maka-ledger/report@1",
            "madeBy": report.made_by,
            "madeAt": report.made_ms,
            "madeAtText": absolute_time(report.made_ms),
            "path": report.path,
            "storage": report.storage,
            "stale": report.stale,
            "findings": [finding.as_document() for finding in report.findings],
            "runsByVerdict": counts,
            "runs": [_run(run) for run in report.runs],
        }
    )


def _run(run: RunReport) -> dict[str, object]:
    facts = run.verdict
    return _present(
        {
            "sessionId": run.session_id,
            "runId": run.run_id,
            "title": run.title,
            "verdict": str(facts.verdict),
            "disposition": str(facts.disposition),
            "mayBeRunning": facts.live,
            "headline": facts.headline,
            "directive": facts.directive,
            "rejectionReasons": list(run.reasons),
            "diagnostics": [diagnostic.as_document() for diagnostic in run.diagnostics],
            "committedEvents": run.events,
            "rows": run.rows,
            "committedBytes": run.committed_bytes,
            "prefix": facts.prefix,
            "committedPrefix": run.committed_prefix,
            "failpoints": list(run.failpoints),
            "header": facts.header,
            "headerDisagrees": facts.disagrees,
            "storagePath": run.storage_path,
            "cwd": run.cwd,
            "lastWriteMs": run.last_write_ms,
            **_words(run.why),
            "unsettledCalls": [_doubt(doubt, run.cwd) for doubt in run.doubts],
            "moreUnsettledCalls": run.more_doubts,
            "settledCalls": run.settled,
            "findings": [finding.as_document() for finding in run.findings],
            "witnesses": [witness.as_document() for witness in run.witnesses],
            "lastRows": [_row(row) for row in run.end],
        }
    )


def _doubt(doubt: DoubtReport, cwd: str | None) -> dict[str, object]:
    facts = doubt.facts
    return _present(
        {
            "toolCallId": facts.tool_call_id,
            "toolName": facts.tool_name,
            "status": str(doubt.status),
            "reason": doubt.reason,
            "hidden": doubt.hidden,
            "event": facts.number,
            "eventId": doubt.event_id,
            "line": doubt.row.line,
            "offset": doubt.row.offset,
            "length": doubt.row.length,
            "calledAt": facts.ts,
            "calledAtText": None if facts.ts is None else absolute_time(facts.ts),
            "cwd": cwd,
            "args": doubt.arguments,
            "diagnostics": [diagnostic.as_document() for diagnostic in doubt.diagnostics],
            **_words(doubt.why),
            "witnesses": [witness.as_document() for witness in doubt.witnesses],
            "timeline": [_row(row) for row in doubt.timeline],
        }
    )


def _words(why: Why) -> dict[str, object]:
    return {
        "proves": [line.text for line in why.lines(WhySection.PROVES)],
        "notShown": [line.text for line in why.lines(WhySection.NOT_SHOWN)],
        "toDo": [line.text for line in why.lines(WhySection.TO_DO)],
    }


def _row(row: TimelineRow) -> dict[str, object]:
    return _present(
        {
            "event": row.number,
            "line": row.line,
            "offset": row.offset,
            "length": row.length,
            "kind": row.kind,
            "ts": row.ts,
            "summary": row.summary,
            "about": row.about,
            "finding": row.finding,
        }
    )


def _present(document: Mapping[str, Any]) -> dict[str, object]:
    return {key: value for key, value in document.items() if value is not None}
