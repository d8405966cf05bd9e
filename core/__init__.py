"""Reads Maka ledgers honestly and decides what may be replayed; knows no terminal."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .append import append_jsonl
from .beside import Beside, JournalRecord, Owner, PendingInteraction
from .codec import decode_event, decode_run_header
from .diagnostics import Diagnostic
from .documents import (
    Checked,
    RawJson,
    check_document,
    encode_document,
    error_document,
    failpoints_document,
    run_document,
    runs_document,
)
from .doubts import Doubts, doubts_of
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
from .event_links import EventLinks
from .events import RuntimeEvent
from .expectation import Expectation, expectation
from .explain import (
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
from .failpoints import RUNTIME_RESUME_FAILPOINTS, CommittedPrefix, Failpoint, failpoints_for
from .findings import Finding
from .fragment import Fragment
from .glossary import FAMILIES, GLOSSARY, Entry, entry
from .headers import RunHeader
from .inspection import HeaderState, Inspection, Verdict, inspect
from .ledger import Ledger, LedgerChanged
from .lineage import ContinuationClaim, Lineage, RunLink
from .markdown import code_block, inline_code, why_markdown
from .operation_index import OperationBrief, OperationIndex, position_in
from .operations import OperationStatus, ToolOperation, project_operations
from .partials import PartialSnapshot, shown_partials
from .query import (
    ROW_FIELDS,
    RUN_FIELDS,
    Filter,
    Term,
    matching_row_batches,
    matching_rows,
    matching_runs,
    parse_filter,
)
from .replay import LeftOut, ProviderReplay, replay_events
from .replay_view import ReplayView, replay_view
from .resume import (
    Disposition,
    PlanSummary,
    ResumePlan,
    StorageFault,
    build_resume_plan,
    plan_at,
    summary_at,
    with_storage_faults,
)
from .row_facts import RowFact, partial_facts, partial_value, raw_text, row_facts, row_value
from .rows import Row, RowIndex, RowKind
from .run import Run
from .run_order import RunLine, RunOrder, arrange_runs
from .run_sheet import SheetLine, SheetSection, run_sheet
from .search import Pattern, locate, search, shown_text
from .session import Session
from .state_root import default_state_root, find_state_roots
from .store import AgentRunStore, AppendOutcome, RuntimeEventStore
from .summary import arguments_line, call_arguments, call_summary, size_text, summarize, value_text
from .text import printable, printable_lines
from .times import TimeMode, TimeScale, zone_name
from .tool_ledger import ToolLedger
from .triage import RunSummary, most_urgent_first, summarize_run, triage
from .uncounted import partial_lines, torn_line
from .verdict_facts import VerdictFacts, flip_after, flip_before, verdict_facts, what_if_disposition
from .why import Why, WhyLine, WhySection, why_operation, why_run
from .witnesses import Witness, run_witnesses, torn_fragment, witnesses_for
from .workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from .crash import run_crash_harness
    from .crash_report import CrashReport, TornReport, crash_document
    from .crash_torn import run_torn_harness
    from .demo import build_demo
    from .diff import Difference, EventPair, OperationChange, Relation, compare
    from .diff_json import diff_document
    from .new_files import OutputRefused, is_outside, write_new_file
    from .redaction_repro import Repro, ReproFailed, make_repro
    from .report import DoubtReport, Report, RunReport, TimelineRow, report_on_run, report_on_workspace
    from .report_json import report_document
    from .schemas import SCHEMAS, schema_text

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
    "Run",
    "RunHeader",
    "RunLine",
    "RunLink",
    "RunNotFound",
    "RunOrder",
    "RunReport",
    "RunSummary",
    "RuntimeEvent",
    "RuntimeEventStore",
    "Session",
    "SheetLine",
    "SheetSection",
    "StorageFault",
    "StoreError",
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
    "WorkspaceForbidden",
    "WorkspaceMissing",
    "absolute_time",
    "ago",
    "append_jsonl",
    "arguments_line",
    "arrange_runs",
    "build_demo",
    "build_resume_plan",
    "call_arguments",
    "call_facts",
    "call_summary",
    "check_document",
    "clock_time",
    "code_block",
    "compare",
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
    "locate",
    "make_repro",
    "matching_row_batches",
    "matching_rows",
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
    "run_torn_harness",
    "run_witnesses",
    "runs_document",
    "schema_text",
    "search",
    "short_time",
    "shown_partials",
    "shown_text",
    "size_text",
    "summarize",
    "summarize_run",
    "summary_at",
    "terminal_status",
    "torn_fragment",
    "torn_line",
    "triage",
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

_LATER = {
    "CrashReport": "crash_report",
    "Difference": "diff",
    "DoubtReport": "report",
    "EventPair": "diff",
    "OperationChange": "diff",
    "OutputRefused": "new_files",
    "Relation": "diff",
    "Report": "report",
    "Repro": "redaction_repro",
    "ReproFailed": "redaction_repro",
    "RunReport": "report",
    "SCHEMAS": "schemas",
    "TimelineRow": "report",
    "TornReport": "crash_report",
    "build_demo": "demo",
    "compare": "diff",
    "crash_document": "crash_report",
    "diff_document": "diff_json",
    "is_outside": "new_files",
    "make_repro": "redaction_repro",
    "report_document": "report_json",
    "report_on_run": "report",
    "report_on_workspace": "report",
    "run_crash_harness": "crash",
    "run_torn_harness": "crash_torn",
    "schema_text": "schemas",
    "write_new_file": "new_files",
}


def __getattr__(name: str) -> object:
    """Load what few programs need when somebody asks for it; whoever only reads should not wait for it."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_LATER[name]}", __name__), name)
