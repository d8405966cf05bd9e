"""Every code in words: what stands recorded, what the ledger does not show, what a person can do next.

One table for all families of codes. Sentences are for people and may change; the codes are stable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from .glossary_operations import ISSUES, REASONS, STATUSES
from .glossary_plans import DIAGNOSTICS, FINDINGS, REJECTIONS


class Entry(Struct, frozen=True):
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


FAMILIES: Final = ("rejection", "diagnostic", "status", "reason", "issue", "finding")
"""The families in the order in which a person meets them."""


def _entries() -> dict[tuple[str, str], Entry]:
    tables = {
        "status": STATUSES,
        "reason": REASONS,
        "issue": ISSUES,
        "diagnostic": DIAGNOSTICS,
        "rejection": REJECTIONS,
        "finding": FINDINGS,
    }
    return {
        (family, code): Entry(family, code, title, proves, not_shown, to_do)
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
