"""What statuses, reasons and contradictions of tool operations mean."""

from __future__ import annotations

from typing import Final

from .glossary_steps import ANEW, DO_NOT, EFFECT, LOOK, NONE, PARKED_DO_NOT, READ_ROWS, Row

STATUSES: Final[tuple[Row, ...]] = (
    (
        "succeeded",
        "a response is recorded",
        "A response without an error is recorded for this call.",
        "whether the effect is really there; a recorded response is not a check of the target.",
        (),
    ),
    (
        "failed",
        "an error was returned",
        "An error was returned for this call; any effect remains.",
        "how much of it took effect before the error.",
        ("If the call can change something, look at the target before you run it again.",),
    ),
    ("indeterminate", "may have run", "The model asked for this call; that was committed.", EFFECT, (LOOK, DO_NOT)),
    (
        "not_dispatched",
        "recorded, never dispatched",
        "The call was committed. By this run's protocol it had not started.",
        NONE,
        (
            "Replay stays blocked: the history holds a call without a response.",
            ANEW,
        ),
    ),
    (
        "parked",
        "observed, not settled",
        "After the crash the target was observed, and the call was not settled.",
        "what comes next for it; a person decides.",
        (
            "Read what was observed and look at the target yourself.",
            PARKED_DO_NOT,
        ),
    ),
    (
        "corruption",
        "rows about this call disagree",
        "Rows about this call contradict each other.",
        "which of them is right, or " + EFFECT,
        (READ_ROWS, LOOK, DO_NOT),
    ),
)

REASONS: Final[tuple[Row, ...]] = (
    (
        "legacy_dispatch_unknown",
        "no response, and this run records no dispatch",
        "The model asked for this call; that was committed.",
        EFFECT,
        (LOOK, DO_NOT),
    ),
    (
        "dispatch_without_response",
        "dispatched, no response",
        "The call was committed and handed to the tool; no response was committed.",
        "whether it finished or took effect.",
        (LOOK, DO_NOT),
    ),
    (
        "new_protocol_before_dispatch",
        "never dispatched",
        "This run records every dispatch before a tool starts, and this call has none: it had not started.",
        NONE,
        ("Replay stays blocked: the history holds a call without a response.", ANEW),
    ),
    (
        "matching_response",
        "call and response match",
        "Call and response carry the same ids and the same tool.",
        NONE,
        (),
    ),
    (
        "recovery_bundle_completed",
        "settled after the crash",
        "After the crash the target was found in the expected state, and the call was settled by that.",
        "whether the target has changed since.",
        (),
    ),
    (
        "reconcile_matches_prior_state",
        "parked: target as before",
        "After the crash the target was found as it was before the call.",
        "whether it ran and left no trace.",
        ("Decide whether it is still wanted; look at the target first.", PARKED_DO_NOT),
    ),
    (
        "reconcile_diverged",
        "parked: target has diverged",
        "After the crash the target was found neither as before the call nor as expected after it.",
        "whether this call or something else changed it.",
        ("Compare the target with both states, then decide.", PARKED_DO_NOT),
    ),
    (
        "reconcile_unreadable",
        "parked: target could not be read",
        "After the crash the target could not be read.",
        EFFECT,
        (LOOK, DO_NOT),
    ),
)

ISSUES: Final[tuple[Row, ...]] = (
    (
        "duplicate_event_id",
        "an event id stands twice",
        "Two events of this ledger carry the same id; the later is not used.",
        "which of them is meant.",
        (READ_ROWS,),
    ),
    (
        "invocation_identity_conflict",
        "one invocation, two runs",
        "Events of one invocation name different sessions, runs or turns.",
        "which run they belong to.",
        (READ_ROWS,),
    ),
    (
        "semantic_lane_conflict",
        "a tool fact in the wrong shape",
        "An event claims to be a tool fact and carries what such a fact must not; it is not used.",
        "what the writer meant by it.",
        (READ_ROWS,),
    ),
    (
        "duplicate_call",
        "a call stands twice",
        "Two events call a tool under the same call id.",
        EFFECT,
        (READ_ROWS, LOOK, DO_NOT),
    ),
    (
        "duplicate_dispatch",
        "a dispatch stands twice",
        "Two events dispatch the same call: it may have started twice.",
        "how often it ran.",
        (READ_ROWS, LOOK, DO_NOT),
    ),
    (
        "duplicate_operation",
        "one operation id, two calls",
        "Two calls are bound to the same operation id.",
        "which of them ran.",
        (READ_ROWS, LOOK, DO_NOT),
    ),
    (
        "duplicate_response",
        "a response stands twice",
        "Two events answer the same call; the first is used.",
        "which answer is right.",
        (READ_ROWS, LOOK, DO_NOT),
    ),
    (
        "orphan_dispatch",
        "a dispatch without its call",
        "A dispatch is recorded, and the call it names is not.",
        "what was asked for, or " + EFFECT,
        (READ_ROWS, LOOK, DO_NOT),
    ),
    (
        "orphan_response",
        "a response without its call",
        "A response is recorded, and no call stands before it.",
        "what was asked for.",
        (READ_ROWS, LOOK, DO_NOT),
    ),
    (
        "identity_conflict",
        "ids do not match",
        "Rows about one call name different tools, operations or runs.",
        "which of them is right.",
        (READ_ROWS, LOOK, DO_NOT),
    ),
    (
        "canonical_args_hash_conflict",
        "arguments do not match",
        "The digest of the dispatched arguments is not that of the call's arguments.",
        "with which arguments it ran.",
        (READ_ROWS, LOOK, DO_NOT),
    ),
    (
        "event_order_conflict",
        "rows out of order",
        "Rows about one call stand in an order that cannot have happened.",
        "in which order things happened.",
        (READ_ROWS, LOOK, DO_NOT),
    ),
    (
        "recovery_fact_corruption",
        "recovery facts disagree",
        "The facts written after the crash do not fit together or do not fit the call.",
        EFFECT,
        (READ_ROWS, LOOK, DO_NOT),
    ),
)
