"""The rows of a run that is still being read: there to be looked at, while nothing is decided about them.

A reading that is done soon shows none. When all is read, what was decided takes their place at once; whoever has moved
meanwhile stays where he is.
"""

from __future__ import annotations

from typing import Final

from textual import events, on
from textual.content import Content

from core import counted

from ..command import Context
from ..commands import COMMANDS
from ..run_messages import LedgerGrown, LedgerProgress
from ..run_reading import Opened
from ..widgets.lines import Line
from ..widgets.row_source import Rows
from ..widgets.timeline import TimelineRows
from ..widgets.timeline_line import TimelineView
from ..widgets.verdict import Shown
from .run_cursors import RunCursors

_OPERATIONS_WAIT: Final = "Wait for the whole ledger."
_PAGES_WAIT: Final = "Nothing is decided yet: why, event, replay, run and raw wait for the whole ledger."
_KEY_WAITS: Final = "That waits until the whole ledger is read."
_TAKEN_BACK: Final = "The rows shown so far are taken back: what is read in the end comes in their place."

NEEDS_LEDGER: Final = frozenset(
    {
        *("doubt", "other_half", "what_if", "flip", "real", "copy", "show_tab", "search", "hit", "filter", "go_to"),
        *("expect", "zoom", "wrap", "times", "follow", "mark"),
    }
)
"""Actions about a ledger that was read and decided."""


class RunSoFar(RunCursors):
    """Shows rows while they come."""

    _share_told = False
    """Whether rows have come since somebody told how far the reading is: they told that too."""

    @on(LedgerProgress)
    def _progress(self, message: LedgerProgress) -> None:
        told, self._share_told = self._share_told, False
        if self.opened is None and not told:
            self._show_progress(message.done / max(message.total, 1))

    @on(LedgerGrown)
    def _ledger_grown(self, message: LedgerGrown) -> None:
        if self.opened is not None:
            return
        before, self.so_far = self.so_far, message.so_far
        self._share_told = message.so_far is not None
        self.show_so_far()
        if (before is None) != (self.so_far is None):
            self._show_waiting()
            if self.so_far is None:
                self.say(_TAKEN_BACK, wrong=True)

    def show_so_far(self) -> None:
        """Show the rows that are there, and say that they are not all."""
        so_far = self.so_far
        if so_far is None:
            self.rows, self.timeline.source, self.timeline_heading.note = None, Rows(), ""
            return
        count, wide = len(so_far), not self.arrangement.docked
        view = TimelineView(so_far, None, {}, None, count, times=self.times, kept=range(count))
        rows, before = TimelineRows(view, self.app.signs), self.rows
        if before is not None and rows.number_width == before.number_width:
            self.timeline.grew(rows, rest=1)
        else:
            self.timeline.source = rows
        self.rows = rows
        said = self.times.heading(self.times.start_ms) if wide else ""
        self.timeline_heading.note = f"{counted(count, 'event')} so far  {said}".rstrip()
        self._show_progress(so_far.share)

    def _show_progress(self, share: float) -> None:
        said = f"{share:.0%}"
        if self.so_far is not None:
            said += f", nothing is decided yet.  {counted(len(self.so_far), 'event')} so far"
        self.verdict.shown = Shown(progress=said)

    def _show_waiting(self) -> None:
        """Say in the other panes that they wait, or no longer."""
        waits = self.so_far is not None
        said = Content.styled(_OPERATIONS_WAIT, "$muted")
        self.operations.source = Rows((said,) if waits else (), skips=lambda index: True)
        self.detail.show([Line(Content.styled(_PAGES_WAIT, "$muted"))] if waits else [])
        self.refresh_bindings()

    def end_so_far(self) -> bool:
        """Let nothing wait any longer, for the reading has ended; tell whether somebody moved among the rows."""
        moved = self.so_far is not None and (self.timeline.cursor > 0 or self.timeline.scroll_offset.y > 0)
        if self.so_far is not None:
            self.so_far = None
            self._show_waiting()
        return moved

    def stay(self, opened: Opened) -> None:
        """Stay where somebody has gone meanwhile, and say what else there is to go to."""
        if opened.at is not None:
            self.say(f"Event {opened.at + 1:,} was asked for: S goes there.")
        elif opened.amiss:
            self.say(f"{opened.amiss}.", wrong=True)
        elif opened.whole.doubts.rows:
            self.say("The whole ledger is read; e goes to the doubt.")

    def on_key(self, event: events.Key) -> None:
        """Answer a key that can do nothing yet."""
        if self.so_far is not None and event.key in _WAITING_KEYS:
            self.app.clear_notifications()
            self.say(_KEY_WAITS)


_WAITING_KEYS: Final = frozenset(
    key
    for command in COMMANDS
    if Context.RUN in command.contexts and command.method.removeprefix("action_") in NEEDS_LEDGER
    for key in command.keys
)
