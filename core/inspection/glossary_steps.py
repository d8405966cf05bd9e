"""Sentences that several entries of the glossary share."""

from __future__ import annotations

Row = tuple[str, str, str, str, tuple[str, ...]]
"""Code, title, what is proved, what the ledger does not show, what to do."""

LOOK = "Look at the target: did the effect land?"
DO_NOT = "Until then do not rerun it or resume this run."
EFFECT = "whether it started, finished or took effect."
NONE = ""
READ_ROWS = "Read the rows named here, in order, before you believe either side."
KEEP = "Keep a copy of the storage as it is before anything starts on it."
ANEW = "Ask for it anew in a new run if it is still wanted; do not resume this one."
PARKED_DO_NOT = "Until it is decided do not rerun it or resume this run."
