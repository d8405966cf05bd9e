"""The panes of a run: what they are called, and how they are laid out for a size of the screen."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

TIMELINE: Final = "Timeline"
OPERATIONS: Final = "Operations"
WHY: Final = "Why"
EVENT: Final = "Event"
REPLAY: Final = "Replay"
RUN: Final = "Run"
RAW: Final = "Raw"
TABS: Final = (WHY, EVENT, REPLAY, RUN, RAW)
"""The pages of the lower pane."""
PAGES: Final = (TIMELINE, OPERATIONS, *TABS)
"""The pages of a narrow screen, which shows one at a time."""
PANES: Final = ("timeline-pane", "operations-pane", "detail-pane")

WIDE_FROM: Final = 100
DOCKED_FROM: Final = 80
DOCKED_FROM_HEIGHT: Final = 20


class RunLayout(Struct, frozen=True):
    """One of three: side by side; the answer docked below; one pane at a time."""

    wide: bool
    docked: bool

    @property
    def single(self) -> bool:
        """Whether only one pane is seen at a time."""
        return not (self.wide or self.docked)

    @property
    def dense(self) -> bool:
        """Whether the answer has so few lines that it must be put densely."""
        return self.docked


def layout_for(width: int, height: int) -> RunLayout:
    """Choose the layout for a screen of so many cells."""
    wide = width >= WIDE_FROM
    return RunLayout(wide, not wide and width >= DOCKED_FROM and height >= DOCKED_FROM_HEIGHT)


def operations_height(lines: int, available: int) -> int:
    """Give the operations the lines that they need, heading and a blank line included, up to two fifths of the room."""
    return max(3, min(lines + 2, max(4, available * 2 // 5)))
