"""Marking a prefix, to see later what changed since; and what can be saved of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from core import Workspace, counted

from ..run_growth import Grown
from .run_following import RunFollowing
from .saving import SavingScreen

if TYPE_CHECKING:
    from ..saves import Save


class RunMarking(SavingScreen, RunFollowing):
    """Remembers one prefix by its length."""

    mark: int | None = None
    """Events of the prefix that is marked."""

    @property
    def end(self) -> int:
        """Events of the prefix that is shown."""
        length = len(self.opened.ledger) if self.opened is not None else 0
        return length if self.asked is None else self.asked

    def action_mark(self) -> None:
        """Mark the prefix that is shown; where another one is marked, show what changed since."""
        if self.opened is None:
            return
        if self.mark is None:
            self.mark = self.end
            self.say(f"Marked after event {self.mark:,}. c again shows what changed since, esc forgets the mark.")
            self._mark_changed()
        elif self.mark == self.end:
            self.say(f"Nothing changed since the mark: it is at {counted(self.mark, 'event')}.")
        else:
            self._show_changes(self.mark)

    def _show_changes(self, mark: int) -> None:
        # Only few mark anything: what compares is loaded when it is asked for.
        from .changes import ChangesScreen

        if self.opened is not None:
            screen = ChangesScreen(self.opened.ledger, mark, self.end, self.app.now_ms(), signs=self.app.signs)
            self.app.push_screen(screen, self._go_on)

    def _go_on(self, row: int | None) -> None:
        if row is not None:
            self.select_row(row)
            self.show_timeline()

    def _mark_changed(self) -> None:
        self.show_facts()
        self.refresh_bindings()

    @property
    def marked(self) -> str:
        """Where the mark is, in a few words; empty without one."""
        return f"mark at {self.mark:,}" if self.mark is not None else ""

    def action_clear(self) -> None:
        """End search and filter; without either, forget the mark; without that, end the zoom."""
        if self.mark is not None and self.pattern is None and self.chosen_filter is None:
            self.mark = None
            self.say("The mark is forgotten.")
            self._mark_changed()
        else:
            super().action_clear()

    @property
    def clearable(self) -> bool:
        """Whether there is something to clear."""
        return super().clearable or self.mark is not None

    def take_news(self, news: object) -> None:
        """Forget a mark whose events are no longer those that were marked."""
        if isinstance(news, Grown) and self.mark is not None and self.mark > news.since:
            self.say("The events before the mark are other ones now: the mark is forgotten.", wrong=True)
            self.mark = None
        super().take_news(news)

    # Saving

    def saves(self, workspace: Workspace) -> Iterator[Save]:
        """Offer reports on the run and a redacted repro."""
        from ..saves import run_saves

        return run_saves(workspace, self.subject, self.app.now_ms())

    @property
    def save_name(self) -> str:
        """The run's id."""
        return self.subject.run_id
