"""Where each public name of the package comes from."""

from __future__ import annotations

from typing import Final

_NAMES: Final = {
    "apart.triage": "triage_together",
    "apart.helper": "Helper HelperLost",
    "apart.ledger": "ledger_together",
    "apart.recipe": "bytes_apart",
    "apart.share": "SomeRuns",
    "crash.harness": "run_crash_harness",
    "crash.reports": "CrashReport TornReport crash_document",
    "crash.torn": "run_torn_harness",
    "decision.diagnostics": "Diagnostic",
    "decision.failpoints": "RUNTIME_RESUME_FAILPOINTS CommittedPrefix Failpoint failpoints_for",
    "decision.operations": "OperationStatus ToolOperation project_operations",
    "decision.replay": "LeftOut ProviderReplay replay_events",
    "decision.resume": (
        "Disposition PlanSummary ResumePlan StorageFault build_resume_plan plan_at summary_at with_storage_faults"
    ),
    "decision.tool_ledger": "ToolLedger",
    "demo.build": "build_demo",
    "errors": (
        "AppendRefused CoreError DurabilityError EventDecodeError HeaderConflict HeaderDecodeError "
        "IdentityConflict NotAWorkspace RequestError RunNotFound StoreError WorkspaceError WorkspaceForbidden "
        "WorkspaceMissing"
    ),
    "evidence.diff": "Difference EventPair OperationChange Relation compare",
    "evidence.diff_json": "diff_document",
    "evidence.documents": (
        "Checked RawJson check_document encode_document error_document failpoints_document run_document runs_document"
    ),
    "evidence.new_files": "OutputRefused is_outside write_new_file",
    "evidence.redaction_repro": "Repro ReproFailed make_repro",
    "evidence.report": "DoubtReport Report RunReport TimelineRow report_on_run report_on_workspace",
    "evidence.report_json": "report_document",
    "evidence.schemas": "SCHEMAS schema_text",
    "inspection.doubts": "Doubts doubts_of",
    "inspection.event_links": "EventLinks",
    "inspection.expectation": "Expectation expectation",
    "inspection.explain": (
        "CallFacts absolute_time ago call_facts clock_time day directive duration_text explain_operation "
        "header_line headline moment prefix_line short_time terminal_status"
    ),
    "inspection.following": "WorkspaceFollower WorkspaceNews",
    "inspection.fragment": "Fragment",
    "inspection.glossary": "FAMILIES GLOSSARY Entry entry",
    "inspection.inspect": "HeaderState Inspection Verdict inspect",
    "inspection.markdown": "code_block inline_code why_markdown",
    "inspection.modes": "RunOrder TimeMode",
    "inspection.operation_index": "OperationBrief OperationIndex position_in",
    "inspection.query": (
        "ROW_FIELDS RUN_FIELDS Filter Term matching_row_batches matching_rows matching_rows_since matching_runs "
        "parse_filter run_text"
    ),
    "inspection.replay_view": "ReplayView replay_view",
    "inspection.row_facts": "RowFact partial_facts partial_value raw_text row_facts row_value",
    "inspection.run_order": "RunLine arrange_runs",
    "inspection.run_sheet": "SheetLine SheetSection run_sheet",
    "inspection.search": "Pattern locate search search_since shown_text",
    "inspection.summary": "arguments_line call_arguments call_summary counted size_text summarize value_text",
    "inspection.times": "TimeScale zone_name",
    "inspection.triage": "RunSummary most_urgent_first summarize_run triage",
    "inspection.uncounted": "StreamLines partial_lines torn_line",
    "inspection.verdict_facts": "VerdictFacts flip_after flip_before verdict_facts what_if_disposition",
    "inspection.why": "Why WhyLine WhySection why_operation why_run",
    "inspection.witnesses": "Witness run_witnesses torn_fragment witnesses_for",
    "records.codec": "decode_event decode_run_header",
    "records.events": "RuntimeEvent",
    "records.headers": "RunHeader",
    "storage.beside": "Beside JournalRecord Owner PendingInteraction",
    "storage.findings": "Finding",
    "storage.follow": "Pace",
    "storage.ledger": "Ledger LedgerChanged",
    "storage.lineage": "ContinuationClaim Lineage RunLink",
    "storage.partials": "PartialSnapshot shown_partials",
    "storage.rows": "Row RowIndex RowKind",
    "storage.run": "Run RunFollower RunNews",
    "storage.session": "Session",
    "storage.so_far": "RowsSoFar",
    "storage.scratch": "temporary_folder_at",
    "storage.state_root": "default_state_root find_state_roots",
    "store.append": "append_jsonl",
    "store.store": "AgentRunStore AppendOutcome RuntimeEventStore",
    "text": "printable printable_lines",
    "workspace": "Workspace open_workspace",
}

MODULES: Final = {name: module for module, names in _NAMES.items() for name in names.split()}
"""Modules by public name. They are loaded when somebody asks: see `core.__getattr__`."""
