"""Every code in words: what stands recorded, what the ledger does not show, what a person can do next.

One table for all families of codes. Sentences are for people and may change; the codes are stable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Entry:
    """What one code means."""

    family: str
    """`status`, `reason`, `diagnostic`, `rejection`, `issue` or `finding`."""
    code: str
    title: str
    """A few words that can stand alone in a list."""
    proves: str
    """What is proved where this code stands."""
    not_shown: str
    """What stays open: written to follow "The ledger does not show"; empty where nothing stays open."""
    to_do: tuple[str, ...]
    """Steps for a person, in order."""

    def as_document(self) -> dict[str, object]:
        """Return plain JSON types."""
        return {
            "family": self.family,
            "code": self.code,
            "title": self.title,
            "proves": self.proves,
            "notShown": self.not_shown,
            "toDo": list(self.to_do),
        }


_LOOK = "Look at the target: did the effect land?"
_DO_NOT = "Until then do not rerun it or resume this run."
_EFFECT = "whether it started, finished or took effect."
_NONE = ""
_READ_ROWS = "Read the rows named here, in order, before you believe either side."
_KEEP = "Keep a copy of the storage as it is before anything starts on it."

_STATUSES: Final = (
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
    ("indeterminate", "may have run", "The model asked for this call; that was committed.", _EFFECT, (_LOOK, _DO_NOT)),
    (
        "not_dispatched",
        "recorded, never dispatched",
        "The call was committed. By this run's protocol it had not started.",
        _NONE,
        (
            "Replay stays blocked: the history holds a call without a response.",
            "Ask for it anew in a new run if it is still wanted.",
        ),
    ),
    (
        "parked",
        "observed, not settled",
        "After the crash the target was observed, and the call was not settled.",
        "what should be done about it; a person decides.",
        (
            "Read what was observed and look at the target yourself.",
            "Until it is decided do not rerun it or resume this run.",
        ),
    ),
    (
        "corruption",
        "rows about this call disagree",
        "Rows about this call contradict each other.",
        "which of them is right, or " + _EFFECT,
        (_READ_ROWS, _LOOK, _DO_NOT),
    ),
)

_REASONS: Final = (
    (
        "legacy_dispatch_unknown",
        "no response, and this run records no dispatch",
        "The model asked for this call; that was committed.",
        _EFFECT,
        (_LOOK, _DO_NOT),
    ),
    (
        "dispatch_without_response",
        "dispatched, no response",
        "The call was committed and handed to the tool; no response was committed.",
        "whether it finished or took effect.",
        (_LOOK, _DO_NOT),
    ),
    (
        "new_protocol_before_dispatch",
        "never dispatched",
        "This run records every dispatch before a tool starts, and this call has none: it had not started.",
        _NONE,
        ("Replay stays blocked: the history holds a call without a response.",),
    ),
    (
        "matching_response",
        "call and response match",
        "Call and response carry the same ids and the same tool.",
        _NONE,
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
        ("Decide whether it is still wanted; look at the target first.",),
    ),
    (
        "reconcile_diverged",
        "parked: target has diverged",
        "After the crash the target was found neither as before the call nor as expected after it.",
        "whether this call or something else changed it.",
        ("Compare the target with both states, then decide.",),
    ),
    (
        "reconcile_unreadable",
        "parked: target could not be read",
        "After the crash the target could not be read.",
        _EFFECT,
        (_LOOK, _DO_NOT),
    ),
)

_ISSUES: Final = (
    (
        "duplicate_event_id",
        "an event id stands twice",
        "Two events of this ledger carry the same id; the later is not used.",
        "which of them is meant.",
        (_READ_ROWS,),
    ),
    (
        "invocation_identity_conflict",
        "one invocation, two runs",
        "Events of one invocation name different sessions, runs or turns.",
        "which run they belong to.",
        (_READ_ROWS,),
    ),
    (
        "semantic_lane_conflict",
        "a tool fact in the wrong shape",
        "An event claims to be a tool fact and carries what such a fact must not; it is not used.",
        "what the writer meant by it.",
        (_READ_ROWS,),
    ),
    (
        "duplicate_call",
        "a call stands twice",
        "Two events call a tool under the same call id.",
        _EFFECT,
        (_READ_ROWS, _LOOK),
    ),
    (
        "duplicate_dispatch",
        "a dispatch stands twice",
        "Two events dispatch the same call: it may have started twice.",
        "how often it ran.",
        (_READ_ROWS, _LOOK),
    ),
    (
        "duplicate_operation",
        "one operation id, two calls",
        "Two calls are bound to the same operation id.",
        "which of them ran.",
        (_READ_ROWS, _LOOK),
    ),
    (
        "duplicate_response",
        "a response stands twice",
        "Two events answer the same call; the first is used.",
        "which answer is right.",
        (_READ_ROWS,),
    ),
    (
        "orphan_dispatch",
        "a dispatch without its call",
        "A dispatch is recorded, and the call it names is not.",
        "what was asked for, or " + _EFFECT,
        (_READ_ROWS, _LOOK),
    ),
    (
        "orphan_response",
        "a response without its call",
        "A response is recorded, and no call stands before it.",
        "what was asked for.",
        (_READ_ROWS,),
    ),
    (
        "identity_conflict",
        "ids do not match",
        "Rows about one call name different tools, operations or runs.",
        "which of them is right.",
        (_READ_ROWS,),
    ),
    (
        "canonical_args_hash_conflict",
        "arguments do not match",
        "The digest of the dispatched arguments is not that of the call's arguments.",
        "with which arguments it ran.",
        (_READ_ROWS, _LOOK),
    ),
    (
        "event_order_conflict",
        "rows out of order",
        "Rows about one call stand in an order that cannot have happened.",
        "in which order things happened.",
        (_READ_ROWS,),
    ),
    (
        "recovery_fact_corruption",
        "recovery facts disagree",
        "The facts written after the crash do not fit together or do not fit the call.",
        _EFFECT,
        (_READ_ROWS, _LOOK),
    ),
)

_DIAGNOSTICS: Final = (
    ("pending_tool_result", "no response", "The call is committed and no response is.", _EFFECT, (_LOOK, _DO_NOT)),
    (
        "tool_not_dispatched",
        "never dispatched",
        "The call is committed; by this run's protocol it had not started.",
        _NONE,
        ("Replay stays blocked: the history holds a call without a response.",),
    ),
    (
        "tool_recovery_parked",
        "parked",
        "The call was observed after the crash and not settled.",
        "what should be done about it; a person decides.",
        ("Look at the target, then decide.",),
    ),
    (
        "tool_recovery_corruption",
        "rows about a call disagree",
        "Rows about this call contradict each other.",
        "which of them is right.",
        (_READ_ROWS, _LOOK, _DO_NOT),
    ),
    (
        "tool_ledger_corruption",
        "rows disagree",
        "Rows of this ledger contradict each other.",
        "which of them is right.",
        (_READ_ROWS,),
    ),
    (
        "protocol_marker_invalid",
        "a protocol mark out of place",
        "A mark that only a run's first event may carry stands elsewhere, or is not the known one.",
        "which calls were dispatched under which protocol.",
        (_READ_ROWS,),
    ),
    (
        "unmatched_tool_result",
        "a response without a call",
        "A response is recorded for a call that the ledger does not hold.",
        "what was asked for.",
        (_READ_ROWS,),
    ),
    (
        "tool_name_mismatch",
        "the response names another tool",
        "Call and response of one id name different tools.",
        "which tool ran.",
        (_READ_ROWS, _LOOK),
    ),
)

_REJECTIONS: Final = (
    (
        "dangling_tool_state",
        "a tool call is not settled",
        "At least one tool fact of this prefix is not settled; the diagnostics name each.",
        _NONE,
        ("Read the diagnostics: they are the answer, this is their roll-up.",),
    ),
    (
        "runtime_offset_mismatch",
        "another length was expected",
        "The number of committed events is not the one that was expected.",
        "what the missing or additional events did.",
        ("Find where the expected number came from, and read the events after the first difference.",),
    ),
    (
        "runtime_ledger_unreadable",
        "the ledger cannot be read as a whole",
        "A row of the ledger is damaged, or the storage that Maka reads was not read here.",
        "what the damaged rows said.",
        (_KEEP, "Read the rows around the place that is named."),
    ),
    (
        "source_run_unreadable",
        "the run's header cannot be trusted",
        "The run's header is missing, damaged or names another run.",
        "to which run these rows belong.",
        (_KEEP, "Find the header's own copy; without it nothing here may be replayed."),
    ),
)

_FINDINGS: Final = (
    (
        "torn_tail",
        "torn row",
        "The last row is incomplete: its writer died inside it, or still writes.",
        "what the row would have said. It is not an event and not counted.",
        (),
    ),
    ("row_invalid_json", "row is no JSON", "A row is not valid JSON.", "what it said.", (_KEEP,)),
    (
        "row_invalid_event",
        "row is no event",
        "A row is valid JSON and not an event of any known version.",
        "what its writer meant.",
        (_KEEP, "A newer version may have written it: read it raw."),
    ),
    (
        "row_foreign_identity",
        "row of another run",
        "A row names another session, run, turn or invocation.",
        "how it came here.",
        (_KEEP,),
    ),
    ("row_too_large", "row too large", "A row is longer than is decoded here.", "what it says.", (_KEEP,)),
    (
        "ledger_unreadable",
        "ledger cannot be read",
        "The system refuses or fails to read the ledger.",
        "what it says.",
        ("Check permissions and the disk.",),
    ),
    (
        "ledger_shrank",
        "ledger was cut",
        "The ledger became shorter while it was read.",
        "what was cut off.",
        ("Find out who writes to it, then open it again.",),
    ),
    (
        "ledger_grew",
        "ledger grew",
        "The ledger became longer while it was read: a writer is alive.",
        "what was added.",
        ("Open it again, or follow it.",),
    ),
    (
        "ledger_replaced",
        "ledger was replaced",
        "Another file now has the ledger's name.",
        "what the new one says.",
        ("Open it again.",),
    ),
    ("ledger_vanished", "ledger was removed", "The ledger was removed while it was read.", _NONE, (_KEEP,)),
    ("ledger_changed", "ledger can no longer be read", "The ledger could be read and no longer can.", _NONE, (_KEEP,)),
    ("header_missing", "no header", "The run has no header.", "to which run these rows belong.", (_KEEP,)),
    (
        "header_unreadable",
        "header unreadable",
        "The run's header is damaged or names another run.",
        "to which run these rows belong.",
        (_KEEP,),
    ),
    (
        "stale_jsonl",
        "stale JSONL files",
        "A database stands beside these files, and Maka reads only the database.",
        "what has happened since they were written.",
        ("Open the state root: its runtime.sqlite is the ledger.",),
    ),
    ("foreign_entry", "neither session nor run", "An entry of the workspace is no session and no run.", _NONE, ()),
    (
        "link_not_followed",
        "a link was not followed",
        "An entry of the workspace is a link; it may lead outside.",
        "what lies behind it.",
        ("Open its target by its own path if you trust it.",),
    ),
    (
        "folder_unreadable",
        "folder cannot be listed",
        "The system refuses to list a folder.",
        "what it holds.",
        ("Check permissions.",),
    ),
    (
        "wal_truncated",
        "write-ahead log cut",
        "Commits that the log once held are missing from its end.",
        "what they said.",
        (_KEEP,),
    ),
    (
        "wal_damaged",
        "write-ahead log damaged",
        "A damaged frame ends the log early; later commits cannot be used.",
        "what they said.",
        (_KEEP,),
    ),
    (
        "wal_missing",
        "no write-ahead log",
        "The database expects a write-ahead log and none is there.",
        "whether it was closed cleanly or the log was not copied.",
        ("Look for the -wal file where this copy came from.",),
    ),
    (
        "main_zero_length",
        "database file is empty",
        "The main file has no bytes; what is shown comes from the log.",
        "what the main file held.",
        (_KEEP,),
    ),
    (
        "main_truncated",
        "database file cut",
        "The main file is shorter than its header says.",
        "what was cut off.",
        (_KEEP,),
    ),
    (
        "main_header_damaged",
        "database header damaged",
        "The main file's first bytes are not a database's.",
        _NONE,
        (_KEEP,),
    ),
    ("not_a_database", "not a database", "No table can be read from the file.", "what it is.", (_KEEP,)),
    (
        "schema_newer",
        "newer than this tool",
        "The database was written by a newer Maka; it is read as far as it goes.",
        "what the newer parts say.",
        ("Look for a newer release of this tool.",),
    ),
    ("schema_older", "older layout", "The database has an older layout; it is read as it is.", _NONE, ()),
    (
        "schema_unknown_scope",
        "unknown part",
        "The database registers a part that this tool does not know.",
        "what that part says.",
        (),
    ),
    (
        "page_corrupt",
        "damaged page",
        "A page of the database is damaged; runs on it cannot be read as a whole.",
        "what stood on it.",
        (_KEEP,),
    ),
    (
        "hot_journal",
        "unfinished transaction",
        "A rollback journal shows a transaction that was not finished.",
        "what it would have changed.",
        (_KEEP,),
    ),
    (
        "shm_missing",
        "no shared-memory file",
        "The log's index file is missing; it was rebuilt in a private copy.",
        _NONE,
        (),
    ),
    (
        "shm_damaged",
        "shared-memory file damaged",
        "The log's index file is damaged; it was rebuilt in a private copy.",
        _NONE,
        (),
    ),
    ("payload_damaged", "damaged payload", "A row's payload is not what its columns say.", "what it said.", (_KEEP,)),
    ("session_row_damaged", "damaged session row", "A session's row cannot be read; its columns are used.", _NONE, ()),
    (
        "still_changing",
        "still being written",
        "The database kept changing while it was copied.",
        "its newest commits.",
        ("Open it again, or follow it.",),
    ),
)

FAMILIES: Final = ("rejection", "diagnostic", "status", "reason", "issue", "finding")
"""The families in the order in which a person meets them."""


def _entries() -> dict[tuple[str, str], Entry]:
    tables = {
        "status": _STATUSES,
        "reason": _REASONS,
        "issue": _ISSUES,
        "diagnostic": _DIAGNOSTICS,
        "rejection": _REJECTIONS,
        "finding": _FINDINGS,
    }
    return {
        (family, code): Entry(family, code, title, proves, not_shown, tuple(to_do))
        for family in FAMILIES
        for code, title, proves, not_shown, to_do in tables[family]
    }


GLOSSARY: Final[Mapping[tuple[str, str], Entry]] = _entries()
"""Every entry by family and code."""


def entry(code: str, *families: str) -> Entry | None:
    """Return the entry of a code, searched in the families given, or in all in their order."""
    for family in families or FAMILIES:
        found = GLOSSARY.get((family, code))
        if found is not None:
            return found
    return None
