"""How a prompt was made to fit the context window: what was kept, dropped, archived, summarised."""

from typing import Literal

from msgspec import UNSET, UnsetType

from .scalars import Finite, Record

Counts = dict[str, Finite]


class CompactionDecision(Record, frozen=True):
    """One stretch of history that a compaction replaced or left alone."""

    stage: Literal["priorReplay", "activeStep"]
    source_kind: Literal["runtimeEvents", "providerMessages"]
    decision: Literal["unchanged", "replaced", "failedOpen"]
    phase: Literal["pre_turn", "mid_turn"] | UnsetType = UNSET
    boundary_kind: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    fail_open_reason: str | UnsetType = UNSET
    boundary_ids: tuple[str, ...] | UnsetType = UNSET
    coverage_hashes: tuple[str, ...] | UnsetType = UNSET
    covered_turns: Finite | UnsetType = UNSET
    covered_runtime_events: Finite | UnsetType = UNSET
    covered_tool_calls: Finite | UnsetType = UNSET
    covered_provider_messages: Finite | UnsetType = UNSET
    estimated_tokens_before: Finite | UnsetType = UNSET
    estimated_tokens_after: Finite | UnsetType = UNSET
    estimated_tokens_saved: Finite | UnsetType = UNSET
    candidate_estimated_tokens: Finite | UnsetType = UNSET
    preserved_head_estimated_tokens: Finite | UnsetType = UNSET
    preserved_tail_estimated_tokens: Finite | UnsetType = UNSET
    accepted_projection_estimated_tokens: Finite | UnsetType = UNSET
    compact_call_input_tokens: Finite | UnsetType = UNSET
    compact_call_output_tokens: Finite | UnsetType = UNSET
    compact_call_cache_read_input_tokens: Finite | UnsetType = UNSET
    compact_call_cache_write_input_tokens: Finite | UnsetType = UNSET
    compact_call_total_tokens: Finite | UnsetType = UNSET
    skipped_reason_counts: Counts | UnsetType = UNSET
    validation_reason_counts: Counts | UnsetType = UNSET


class ContextBudget(Record, frozen=True):
    """What the budget for one model call decided; counts unless the name says otherwise."""

    enabled: bool
    estimated_tokens_before: Finite
    estimated_tokens_after: Finite
    kept_turns: Finite
    dropped_turns: Finite
    kept_events: Finite
    dropped_events: Finite
    max_history_estimated_tokens: Finite | UnsetType = UNSET
    max_history_turns: Finite | UnsetType = UNSET
    pruned_tool_results: Finite | UnsetType = UNSET
    pruned_tool_result_estimated_tokens_before: Finite | UnsetType = UNSET
    pruned_tool_result_estimated_tokens_after: Finite | UnsetType = UNSET
    archive_placeholders: Finite | UnsetType = UNSET
    archive_write_failures: Finite | UnsetType = UNSET
    unarchived_tool_results: Finite | UnsetType = UNSET
    active_pruned_tool_results: Finite | UnsetType = UNSET
    active_archive_failures: Finite | UnsetType = UNSET
    active_estimated_tokens_saved: Finite | UnsetType = UNSET
    archive_retrieval_eligible_turns: Finite | UnsetType = UNSET
    retrieved_archive_tool_results: Finite | UnsetType = UNSET
    retrieved_archive_estimated_tokens: Finite | UnsetType = UNSET
    archive_retrieval_skipped: Finite | UnsetType = UNSET
    archive_retrieval_failures: Finite | UnsetType = UNSET
    history_search_matches: Finite | UnsetType = UNSET
    history_around_retrieved_events: Finite | UnsetType = UNSET
    history_around_estimated_tokens: Finite | UnsetType = UNSET
    history_around_skipped_events: Finite | UnsetType = UNSET
    synthesis_cache_blocks_loaded: Finite | UnsetType = UNSET
    synthesis_cache_load_skipped: Finite | UnsetType = UNSET
    synthesis_cache_load_failures: Finite | UnsetType = UNSET
    synthesis_cache_blocks_available: Finite | UnsetType = UNSET
    synthesis_cache_blocks_selected: Finite | UnsetType = UNSET
    synthesis_cache_estimated_tokens: Finite | UnsetType = UNSET
    synthesis_cache_skipped: Finite | UnsetType = UNSET
    synthesis_cache_invalidated: Finite | UnsetType = UNSET
    synthesis_cache_writes_attempted: Finite | UnsetType = UNSET
    synthesis_cache_blocks_written: Finite | UnsetType = UNSET
    synthesis_cache_write_estimated_tokens: Finite | UnsetType = UNSET
    synthesis_cache_write_skipped: Finite | UnsetType = UNSET
    synthesis_cache_write_failures: Finite | UnsetType = UNSET
    synthesis_cache_evicted: Finite | UnsetType = UNSET
    history_compact_blocks_loaded: Finite | UnsetType = UNSET
    history_compact_load_skipped: Finite | UnsetType = UNSET
    history_compact_load_failures: Finite | UnsetType = UNSET
    history_compact_blocks_available: Finite | UnsetType = UNSET
    history_compact_blocks_selected: Finite | UnsetType = UNSET
    history_compacted_turns: Finite | UnsetType = UNSET
    history_compacted_events: Finite | UnsetType = UNSET
    history_compacted_estimated_tokens_before: Finite | UnsetType = UNSET
    history_compacted_estimated_tokens_after: Finite | UnsetType = UNSET
    history_compact_skipped: Finite | UnsetType = UNSET
    history_compact_writes_attempted: Finite | UnsetType = UNSET
    history_compact_blocks_written: Finite | UnsetType = UNSET
    history_compact_write_estimated_tokens: Finite | UnsetType = UNSET
    history_compact_write_skipped: Finite | UnsetType = UNSET
    history_compact_write_failures: Finite | UnsetType = UNSET
    high_water_seq: Finite | UnsetType = UNSET
    active_superseded_tool_results: Finite | UnsetType = UNSET
    active_duplicate_tool_results: Finite | UnsetType = UNSET
    archive_placeholder_reason_counts: Counts | UnsetType = UNSET
    archive_retrieval_skipped_reason_counts: Counts | UnsetType = UNSET
    archive_retrieval_failure_reason_counts: Counts | UnsetType = UNSET
    synthesis_cache_load_skipped_reason_counts: Counts | UnsetType = UNSET
    synthesis_cache_skipped_reason_counts: Counts | UnsetType = UNSET
    synthesis_cache_invalidation_reason_counts: Counts | UnsetType = UNSET
    synthesis_cache_write_skipped_reason_counts: Counts | UnsetType = UNSET
    synthesis_cache_eviction_reason_counts: Counts | UnsetType = UNSET
    history_compact_load_skipped_reason_counts: Counts | UnsetType = UNSET
    history_compact_skipped_reason_counts: Counts | UnsetType = UNSET
    history_compact_write_skipped_reason_counts: Counts | UnsetType = UNSET
    semantic_compact_enabled: bool | UnsetType = UNSET
    synthesis_cache_enabled: bool | UnsetType = UNSET
    history_compact_enabled: bool | UnsetType = UNSET
    synthesis_cache_block_ids: tuple[str, ...] | UnsetType = UNSET
    synthesis_cache_written_block_ids: tuple[str, ...] | UnsetType = UNSET
    history_compact_block_ids: tuple[str, ...] | UnsetType = UNSET
    history_compact_coverage_hashes: tuple[str, ...] | UnsetType = UNSET
    history_compact_written_block_ids: tuple[str, ...] | UnsetType = UNSET
    policy_name: str | UnsetType = UNSET
    high_water_name: str | UnsetType = UNSET
    high_water_request_shape_hash_before: str | UnsetType = UNSET
    high_water_request_shape_hash_after: str | UnsetType = UNSET
    history_rewrite_version: str | UnsetType = UNSET
    history_rewrite_reset_reason: str | UnsetType = UNSET
    history_rewrite_gate: str | UnsetType = UNSET
    semantic_compact_mode: Literal["off", "validate_only", "prepare_step_dry_run", "replace"] | UnsetType = UNSET
    archive_retrieval_mode: Literal["eager", "history_search_gated"] | UnsetType = UNSET
    synthesis_cache_mode: (
        Literal["off", "lookup", "read_write", "write_only", "fallback_archive_retrieval"] | UnsetType
    ) = UNSET
    history_compact_mode: Literal["off", "deterministic", "lookup", "read_write"] | UnsetType = UNSET
    high_water_reason: (
        Literal[
            "archive_prune",
            "history_search_gated_retrieval",
            "synthesis_cache_write",
            "synthesis_cache_select",
            "history_compact",
            "manual_reset",
            "system_change",
            "tools_change",
            "log_rewrite",
        ]
        | UnsetType
    ) = UNSET
    compaction_decisions: tuple[CompactionDecision, ...] | UnsetType = UNSET
