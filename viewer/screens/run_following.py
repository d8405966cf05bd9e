"""Following one run: rows appear, the decision is the one if it died now, and what a person looks at stays in place."""

from __future__ import annotations

from core import Ledger

from ..run_growth import Grown, RunGrowth, Sought
from ..run_messages import BesideRead
from .following import FollowingScreen, Look
from .run_what_if import RunWhatIf


class RunFollowing(FollowingScreen, RunWhatIf):
    """Takes in what was written since."""

    _growth: RunGrowth | None = None
    _first: Ledger | None = None
    """The ledger that the screen began with, once another one took its place."""

    def look(self) -> Look:
        """Read on from what is shown."""
        growth, opened, expected = self._growth or RunGrowth(self.subject), self.opened, self.expected
        self._growth = growth
        sought = Sought(self.pattern, self.chosen_filter, self.kept or ())
        now_ms = self.app.now_ms
        return lambda progress: opened and growth.look(opened, now_ms(), expected, sought, progress)

    def end_following(self) -> None:
        """Close what is followed, and the ledger that it began with."""
        if self._growth is not None:
            self._growth.close()
        if self._first is not None:
            self._first.close()

    def show_following(self) -> None:
        """Say in the header whether the run is followed."""
        self.show_facts()

    def take_news(self, news: object) -> None:
        """Show the run as it is now. Cursor, filter, search and what-if stay as far as their rows do."""
        before = self.opened
        if not isinstance(news, Grown) or before is None:
            return
        if self._first is None:
            self._first = before.ledger
        opened, now = news.opened, len(news.opened.ledger)
        at_end, end_seen = self._end(before.ledger)
        self.opened, self.subject = opened, news.run
        self.beside = BesideRead(news.partials)
        if self.asked is not None and (self.asked >= now or self.asked > news.since):
            self.say("The prefix that was asked about is no longer there: this is the ledger as it is.", wrong=True)
            self.asked = None
        self._take_found(news)
        if self.asked is None:
            self.decided = opened.whole
        counted = len(self.operations.source)
        self.show_facts()
        self.show_verdict()
        self.fill_timeline()
        self.fill_operations()
        self.show_headings()
        if len(self.operations.source) != counted:
            self.lay_out()
        if at_end and self.rows is not None:
            self.timeline.cursor = self.rows.line_of(now - 1)
        if end_seen:
            self.timeline.keep_end_in_sight()
        self.tell_found()
        self.refresh_bindings()
        self.choose(self.timeline.cursor)
        if news.said:
            self.say(news.said, wrong=True)

    def _end(self, ledger: Ledger) -> tuple[bool, bool]:
        """Tell whether the cursor is on the last event, and whether the last line is in sight."""
        rows, cursor, seen = self.rows, self.timeline.cursor, self.timeline.seen
        if rows is None:
            return False, False
        last = rows.line_of(len(ledger) - 1) if len(ledger) else 0
        return cursor == last, seen.stop >= len(rows)

    def _take_found(self, news: Grown) -> None:
        """Take hits and kept rows behind those that were there; look again where the news speak of another search."""
        since, sought = news.since, news.sought
        if self.hits is not None and self.pattern is not None:
            if sought.pattern is self.pattern:
                self.hits.renew(since, news.hits)
                self.hits_changed()
            else:
                self.search_again()
        if self.chosen_filter is not None:
            if sought.chosen is self.chosen_filter and news.kept is not None and self.filter_is_done:
                self.take_kept(news.kept)
            else:
                self.filter_again()
