"""What a model call cost: tokens, caches, and why the prefix of the prompt changed."""

from typing import Literal

from msgspec import UNSET, UnsetType

from .budget import ContextBudget
from .scalars import Finite, Record

ChangeReason = Literal[
    "first_turn",
    "system_prompt_changed",
    "tool_schema_changed",
    "provider_options_changed",
    "model_or_provider_changed",
    "history_projection_changed",
    "stable",
    "unknown",
]


class PromptSegment(Record, frozen=True):
    """One stretch of a prompt and its size."""

    kind: Literal["system_prompt", "tool_schema", "prior_history", "current_user", "turn_tail"]
    chars: Finite
    estimated_tokens: Finite
    message_count: Finite | UnsetType = UNSET
    event_count: Finite | UnsetType = UNSET
    tool_count: Finite | UnsetType = UNSET


class TokenUsage(Record, frozen=True):
    """Counts of one model call, in tokens unless the name says otherwise; nothing forbids negative or broken ones."""

    input: Finite
    output: Finite
    cache_hit_input: Finite | UnsetType = UNSET
    cache_miss_input: Finite | UnsetType = UNSET
    cache_write_input: Finite | UnsetType = UNSET
    reasoning: Finite | UnsetType = UNSET
    total: Finite | UnsetType = UNSET
    runtime_steps: Finite | UnsetType = UNSET
    cache_read: Finite | UnsetType = UNSET
    cache_creation: Finite | UnsetType = UNSET
    cost_usd: Finite | UnsetType = UNSET
    context_remaining: Finite | UnsetType = UNSET
    raw_finish_reason: str | UnsetType = UNSET
    system_prompt_hash: str | UnsetType = UNSET
    prefix_hash: str | UnsetType = UNSET
    request_shape_hash: str | UnsetType = UNSET
    provider_request_trace_id: str | UnsetType = UNSET
    cache_miss_input_source: Literal["explicit", "derived"] | UnsetType = UNSET
    prefix_change_reason: ChangeReason | UnsetType = UNSET
    request_shape_change_reason: ChangeReason | UnsetType = UNSET
    prompt_segments: tuple[PromptSegment, ...] | UnsetType = UNSET
    context_budget: ContextBudget | UnsetType = UNSET
