"""How each verdict, status and mark looks: glyph, word and colour together, so that none has to be told by one alone.

Keyed by the string values of the enums of `core`. Styles name theme variables. Every glyph is one cell wide.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct


class Look(Struct, frozen=True):
    """How one thing is written."""

    glyph: str
    """One cell, from the Basic Multilingual Plane."""
    plain: str
    """The same in ASCII."""
    word: str
    """The word beside it, as everybody must read it."""
    style: str
    """A Textual style for both."""
    quiet: str = ""
    """A Textual style for the word, where it is calmer than the glyph."""

    def sign(self, *, ascii_only: bool = False) -> str:
        """Give the glyph, or its ASCII twin."""
        return self.plain if ascii_only else self.glyph

    @property
    def word_style(self) -> str:
        """The style of the word."""
        return self.quiet or self.style


_DOUBT: Final = "bold $doubt"

MAY_HAVE_RUN: Final = Look("?", "?", "MAY HAVE RUN", _DOUBT)
UNREADABLE: Final = Look("!", "!", "UNREADABLE", "$evidence")
CONTRADICTORY: Final = Look("≠", "%", "CONTRADICTORY", "$evidence")
PARKED: Final = Look("‖", "=", "PARKED", "$ink")
NOT_DISPATCHED: Final = Look("○", "o", "NOT DISPATCHED", "$ink")
OTHER_LENGTH: Final = Look("!", "!", "OTHER LENGTH", "$evidence")
MAY_BE_RUNNING: Final = Look("~", "~", "MAY BE RUNNING", "$live")
REPLAYABLE: Final = Look("✓", "+", "replayable", "$settled", "$muted")

VERDICTS: Final[Mapping[str, Look]] = MappingProxyType(
    {
        "may_have_run": MAY_HAVE_RUN,
        "unreadable": UNREADABLE,
        "contradictory": CONTRADICTORY,
        "parked": PARKED,
        "not_dispatched": NOT_DISPATCHED,
        "other_length": OTHER_LENGTH,
        "may_be_running": MAY_BE_RUNNING,
        "replayable": REPLAYABLE,
    }
)
"""Verdict of a run -> look, most urgent first."""

STATUSES: Final[Mapping[str, Look]] = MappingProxyType(
    {
        "indeterminate": MAY_HAVE_RUN,
        "corruption": CONTRADICTORY,
        "parked": PARKED,
        "not_dispatched": NOT_DISPATCHED,
        "failed": Look("×", "x", "failed", "$muted"),
        "succeeded": Look("✓", "+", "succeeded", "$settled", "$muted"),
    }
)
"""Status of an operation -> look, most urgent first."""

DISPOSITIONS: Final[Mapping[str, Look]] = MappingProxyType(
    {
        "blocked": Look("✗", "X", "REPLAY BLOCKED", _DOUBT),
        "safe_replay": Look("✓", "+", "HISTORY MAY BE REPLAYED", "bold $settled"),
    }
)
"""Disposition of a plan -> look."""


def decision_look(disposition: str, verdict: str) -> Look:
    """Give the look of a decision: a plan that stands on the rest of a damaged storage is never called replayable."""
    left_over = disposition == "safe_replay" and verdict == "unreadable"
    return UNREADABLE if left_over else DISPOSITIONS[disposition]


TORN_ROW: Final = Look("!", "!", "TORN ROW", "$muted")
BEING_WRITTEN: Final = Look("~", "~", "BEING WRITTEN", "$live")
UNREADABLE_ROW: Final = Look("!", "!", "UNREADABLE", "$evidence")
PARTIAL: Final = Look("~", "~", "partial", "$muted")
CONTINUED: Final = Look("↷", "^", "continued", "$muted")

STRIP: Final[Mapping[str, Look]] = MappingProxyType(
    {
        "none": Look("│", ":", "no call open", "$rule"),
        "settled": Look("┃", "|", "a call that was settled later", "$strip"),
        "doubt": Look("┃", "#", "replay would be blocked", "$doubt"),
    }
)
"""Verdict strip: what stands beside an event -> look; the word is for the help."""


class Signs(Struct, frozen=True):
    """The marks that screens are drawn with, besides those of the looks."""

    ascii_only: bool
    rule: str
    upright: str
    joint_down: str
    joint_right: str
    joint_up: str
    end: str
    cursor: str
    ellipsis: str
    crumb: str
    between: str
    arrow: str
    up_down: str
    none: str
    child: str

    def of(self, look: Look) -> str:
        """Give the glyph of a look in this set."""
        return look.sign(ascii_only=self.ascii_only)


UNICODE: Final = Signs(False, "─", "│", "┬", "├", "┴", "═", "▌", "…", "›", "·", "→", "↑↓", "–", "└")
ASCII: Final = Signs(True, "-", "|", "+", "+", "+", "=", ">", "~", ">", "-", "->", "^v", "-", "`")
