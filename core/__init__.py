"""Reads Maka ledgers honestly and decides what may be replayed; knows no terminal."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .where import MODULES

if TYPE_CHECKING:
    from .apart.helper import Helper, HelperLost
    from .apart.ledger import ledger_together
    from .apart.recipe import bytes_apart
    from .apart.share import SomeRuns
    from .apart.triage import triage_together
    from .crash.harness import run_crash_harness
    from .crash.reports import CrashReport, TornReport, crash_document
    from .crash.torn import run_torn_harness
    from .decision.diagnostics import Diagnostic
    from .decision.failpoints import RUNTIME_RESUME_FAILPOINTS, CommittedPrefix, Failpoint, failpoints_for
    from .decision.operations import OperationStatus, ToolOperation, project_operations
    from .decision.replay import LeftOut, ProviderReplay, replay_events
    from .decision.resume import (
        Disposition,
        PlanSummary,
        ResumePlan,
        StorageFault,
        build_resume_plan,
        plan_at,
        summary_at,
        with_storage_faults,
    )
    from .decision.tool_ledger import ToolLedger
    from .demo.build import build_demo
    from .errors import (
        AppendRefused,
        CoreError,
        DurabilityError,
        EventDecodeError,
        HeaderConflict,
        HeaderDecodeError,
        IdentityConflict,
        NotAWorkspace,
        RequestError,
        RunNotFound,
        StoreError,
        WorkspaceError,
        WorkspaceForbidden,
        WorkspaceMissing,
    )
    from .evidence.diff import Difference, EventPair, OperationChange, Relation, compare
    from .evidence.diff_json import diff_document
    from .evidence.documents import (
        Checked,
        RawJson,
        check_document,
        encode_document,
        error_document,
        failpoints_document,
        run_document,
        runs_document,
    )
    from .evidence.new_files import OutputRefused, is_outside, write_new_file
    from .evidence.redaction_repro import Repro, ReproFailed, make_repro
    from .evidence.report import DoubtReport, Report, RunReport, TimelineRow, report_on_run, report_on_workspace
    from .evidence.report_json import report_document
    from .evidence.schemas import SCHEMAS, schema_text
    from .inspection.doubts import Doubts, doubts_of
    from .inspection.event_links import EventLinks
    from .inspection.expectation import Expectation, expectation
    from .inspection.explain import (
        CallFacts,
        absolute_time,
        ago,
        call_facts,
        clock_time,
        day,
        directive,
        duration_text,
        explain_operation,
        header_line,
        headline,
        moment,
        prefix_line,
        short_time,
        terminal_status,
    )
    from .inspection.following import WorkspaceFollower, WorkspaceNews
    from .inspection.fragment import Fragment
    from .inspection.glossary import FAMILIES, GLOSSARY, Entry, entry
    from .inspection.inspect import HeaderState, Inspection, Verdict, inspect
    from .inspection.markdown import code_block, inline_code, why_markdown
    from .inspection.modes import RunOrder, TimeMode
    from .inspection.operation_index import OperationBrief, OperationIndex, position_in
    from .inspection.query import (
        ROW_FIELDS,
        RUN_FIELDS,
        Filter,
        Term,
        matching_row_batches,
        matching_rows,
        matching_rows_since,
        matching_runs,
        parse_filter,
        run_text,
    )
    from .inspection.replay_view import ReplayView, replay_view
    from .inspection.row_facts import RowFact, partial_facts, partial_value, raw_text, row_facts, row_value
    from .inspection.run_order import RunLine, arrange_runs
    from .inspection.run_sheet import SheetLine, SheetSection, run_sheet
    from .inspection.search import Pattern, locate, search, search_since, shown_text
    from .inspection.summary import (
        arguments_line,
        call_arguments,
        call_summary,
        counted,
        size_text,
        summarize,
        value_text,
    )
    from .inspection.times import TimeScale, zone_name
    from .inspection.triage import RunSummary, most_urgent_first, summarize_run, triage
    from .inspection.uncounted import StreamLines, partial_lines, torn_line
    from .inspection.verdict_facts import VerdictFacts, flip_after, flip_before, verdict_facts, what_if_disposition
    from .inspection.why import Why, WhyLine, WhySection, why_operation, why_run
    from .inspection.witnesses import Witness, run_witnesses, torn_fragment, witnesses_for
    from .records.codec import decode_event, decode_run_header
    from .records.events import RuntimeEvent
    from .records.headers import RunHeader
    from .storage.beside import Beside, JournalRecord, Owner, PendingInteraction
    from .storage.findings import Finding
    from .storage.follow import Pace
    from .storage.ledger import Ledger, LedgerChanged
    from .storage.lineage import ContinuationClaim, Lineage, RunLink
    from .storage.partials import PartialSnapshot, shown_partials
    from .storage.rows import Row, RowIndex, RowKind
    from .storage.run import Run, RunFollower, RunNews
    from .storage.scratch import temporary_folder_at
    from .storage.session import Session
    from .storage.so_far import RowsSoFar
    from .storage.state_root import default_state_root, find_state_roots
    from .store.append import append_jsonl
    from .store.store import AgentRunStore, AppendOutcome, RuntimeEventStore
    from .text import printable, printable_lines
    from .workspace import Workspace, open_workspace

__distribution__ = "maka-ledger"

__all__ = [
    "FAMILIES",
    "GLOSSARY",
    "ROW_FIELDS",
    "RUNTIME_RESUME_FAILPOINTS",
    "RUN_FIELDS",
    "SCHEMAS",
    "AgentRunStore",
    "AppendOutcome",
    "AppendRefused",
    "Beside",
    "CallFacts",
    "Checked",
    "CommittedPrefix",
    "ContinuationClaim",
    "CoreError",
    "CrashReport",
    "Diagnostic",
    "Difference",
    "Disposition",
    "DoubtReport",
    "Doubts",
    "DurabilityError",
    "Entry",
    "EventDecodeError",
    "EventLinks",
    "EventPair",
    "Expectation",
    "Failpoint",
    "Filter",
    "Finding",
    "Fragment",
    "HeaderConflict",
    "HeaderDecodeError",
    "HeaderState",
    "Helper",
    "HelperLost",
    "IdentityConflict",
    "Inspection",
    "JournalRecord",
    "Ledger",
    "LedgerChanged",
    "LeftOut",
    "Lineage",
    "NotAWorkspace",
    "OperationBrief",
    "OperationChange",
    "OperationIndex",
    "OperationStatus",
    "OutputRefused",
    "Owner",
    "Pace",
    "PartialSnapshot",
    "Pattern",
    "PendingInteraction",
    "PlanSummary",
    "ProviderReplay",
    "RawJson",
    "Relation",
    "ReplayView",
    "Report",
    "Repro",
    "ReproFailed",
    "RequestError",
    "ResumePlan",
    "Row",
    "RowFact",
    "RowIndex",
    "RowKind",
    "RowsSoFar",
    "Run",
    "RunFollower",
    "RunHeader",
    "RunLine",
    "RunLink",
    "RunNews",
    "RunNotFound",
    "RunOrder",
    "RunReport",
    "RunSummary",
    "RuntimeEvent",
    "RuntimeEventStore",
    "Session",
    "SheetLine",
    "SheetSection",
    "SomeRuns",
    "StorageFault",
    "StoreError",
    "StreamLines",
    "Term",
    "TimeMode",
    "TimeScale",
    "TimelineRow",
    "ToolLedger",
    "ToolOperation",
    "TornReport",
    "Verdict",
    "VerdictFacts",
    "Why",
    "WhyLine",
    "WhySection",
    "Witness",
    "Workspace",
    "WorkspaceError",
    "WorkspaceFollower",
    "WorkspaceForbidden",
    "WorkspaceMissing",
    "WorkspaceNews",
    "absolute_time",
    "ago",
    "append_jsonl",
    "arguments_line",
    "arrange_runs",
    "build_demo",
    "build_resume_plan",
    "bytes_apart",
    "call_arguments",
    "call_facts",
    "call_summary",
    "check_document",
    "clock_time",
    "code_block",
    "compare",
    "counted",
    "crash_document",
    "day",
    "decode_event",
    "decode_run_header",
    "default_state_root",
    "diff_document",
    "directive",
    "doubts_of",
    "duration_text",
    "encode_document",
    "entry",
    "error_document",
    "expectation",
    "explain_operation",
    "failpoints_document",
    "failpoints_for",
    "find_state_roots",
    "flip_after",
    "flip_before",
    "header_line",
    "headline",
    "inline_code",
    "inspect",
    "is_outside",
    "ledger_together",
    "locate",
    "make_repro",
    "matching_row_batches",
    "matching_rows",
    "matching_rows_since",
    "matching_runs",
    "moment",
    "most_urgent_first",
    "open_workspace",
    "parse_filter",
    "partial_facts",
    "partial_lines",
    "partial_value",
    "plan_at",
    "position_in",
    "prefix_line",
    "printable",
    "printable_lines",
    "project_operations",
    "raw_text",
    "replay_events",
    "replay_view",
    "report_document",
    "report_on_run",
    "report_on_workspace",
    "row_facts",
    "row_value",
    "run_crash_harness",
    "run_document",
    "run_sheet",
    "run_text",
    "run_torn_harness",
    "run_witnesses",
    "runs_document",
    "schema_text",
    "search",
    "search_since",
    "short_time",
    "shown_partials",
    "shown_text",
    "size_text",
    "summarize",
    "summarize_run",
    "summary_at",
    "temporary_folder_at",
    "terminal_status",
    "torn_fragment",
    "torn_line",
    "triage",
    "triage_together",
    "value_text",
    "verdict_facts",
    "what_if_disposition",
    "why_markdown",
    "why_operation",
    "why_run",
    "with_storage_faults",
    "witnesses_for",
    "write_new_file",
    "zone_name",
]


def __getattr__(name: str) -> object:
    """Load what a name needs when somebody asks for it: whoever asks one thing should not wait for all the others."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f".{MODULES[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    """Name what can be had, loaded or not."""
    return sorted({*globals(), *__all__})
