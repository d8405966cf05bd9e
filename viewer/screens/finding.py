"""Screens that are searched: a pattern, the hits while they are found, and the way from one to the next.

Whatever is typed, nobody waits: a thread looks, tells what it finds as it finds it, and ends when something else is
typed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator

from msgspec.structs import replace
from textual import on, work
from textual.getters import query_one
from textual.message import Message
from textual.widget import Widget
from textual.worker import get_current_worker

from core import Pattern

from ..hits import Hits
from ..loading import Beat
from ..widgets.find_bar import FindBar, Finding, Found
from .taking import TakingScreen


class HitsFound(Message):
    """Some places that hold a pattern were found."""

    def __init__(self, pattern: Pattern, places: list[int], *, done: bool = False) -> None:
        super().__init__()
        self.pattern = pattern
        self.places = places
        self.done = done
        """Whether everything was looked at."""


class FindingScreen(TakingScreen):
    """Can be searched. Places are numbers; what they mean is the screen's own."""

    find_bar = query_one(FindBar)

    pattern: Pattern | None = None
    """What is searched; None while nothing is."""
    hits: Hits | None = None
    """What is found of it."""
    _origin: int | None = None
    """Where the search began, while its first hit is awaited."""
    _before: Widget | None = None

    # What a screen says of itself

    @property
    @abstractmethod
    def here(self) -> int:
        """The place under the cursor."""

    @abstractmethod
    def go(self, place: int) -> None:
        """Put the cursor on a place."""

    @abstractmethod
    def places_with(self, pattern: Pattern, start: int, stop: Callable[[], bool]) -> Iterator[int]:
        """Yield the places that hold a pattern, those from `start` on first. Called in a thread."""

    def remember_place(self) -> None:
        """Take note of the place under the cursor, where a number alone does not tell it."""

    def come_back(self, place: int) -> None:
        """Put the cursor back to where it was when `remember_place` was called."""
        self.go(place)

    def marks_changed(self) -> None:
        """Draw anew what is marked as a hit."""

    def may_go(self, place: int) -> bool:
        """Whether a hit counts: one that a filter hides does not."""
        del place
        return True

    @property
    def found(self) -> Found:
        """What the line at the bottom says."""
        if self.pattern is None:
            return Found()
        return Found(self.pattern.text, self.visible_hits.said(self.here))

    # The keys

    def action_search(self) -> None:
        """Ask for a pattern, beginning with the last one."""
        self._origin = self.here
        self.remember_place()
        self.begin_to_type(Finding.SEARCH, self.app.last_pattern)

    def action_hit(self, step: int) -> None:
        """Go to the next or the previous hit, round and round."""
        if self.pattern is None:
            if self.app.last_pattern:
                self.search_for(self.app.last_pattern)
            else:
                self.say("Nothing is searched: / begins.")
            return
        hits, here = self.visible_hits, self.here
        place = hits.after(here) if step > 0 else hits.before(here)
        if place is None:
            self.say(f"Not found: {self.pattern.text}" if hits.done else "Nothing is found yet.")
            return
        round_again = len(hits) > 1 and ((place <= here) if step > 0 else (place >= here))
        self._origin = None
        self.go(place)
        self.tell_found(", round again" if round_again else "")

    def action_clear(self) -> None:
        """End the search."""
        self.end_search()

    @property
    def clearable(self) -> bool:
        """Whether there is something to clear."""
        return self.pattern is not None

    # Typing

    def begin_to_type(self, finding: Finding, text: str, hint: str = "") -> None:
        """Open the field."""
        self._before = self.focused
        self.find_bar.edit(finding, text, hint=hint)

    def end_to_type(self) -> None:
        """Close the field, and give the focus back unless it is elsewhere already."""
        bar = self.find_bar
        had_focus = bar.field.has_focus
        bar.close()
        self.tell_found()
        if had_focus and self._before is not None and self._before.is_attached:
            self._before.focus()
        self.refresh_bindings()

    @on(FindBar.Typed)
    def _typed(self, message: FindBar.Typed) -> None:
        if message.finding is Finding.SEARCH:
            self.search_for(message.text)

    @on(FindBar.Ended)
    def _ended(self, message: FindBar.Ended) -> None:
        if message.finding is not Finding.SEARCH:
            return
        if message.text:
            self.app.last_pattern = message.text
            self.search_for(message.text)
            if self.visible_hits.rows:
                self._origin = None
        else:
            self.end_search()
        self.end_to_type()

    @on(FindBar.Dropped)
    def _dropped(self, message: FindBar.Dropped) -> None:
        if message.finding is not Finding.SEARCH:
            return
        origin = self._origin
        self.end_search()
        self.end_to_type()
        if origin is not None:
            self.come_back(origin)

    # Searching

    def search_for(self, text: str) -> None:
        """Begin to search for a text, from the place where the search was begun."""
        if self.pattern is not None and self.pattern.text == text:
            return
        if self._origin is None:
            self._origin = self.here
        self.pattern = Pattern(text) if text else None
        self.hits = Hits() if text else None
        if self.pattern is not None:
            self._scan(self.pattern, self._origin)
        else:
            self.workers.cancel_group(self, "search")
        self.marks_changed()
        self.tell_found()

    def search_again(self) -> None:
        """Search for the same in places that have changed."""
        if self.pattern is not None:
            self.pattern, self.hits = Pattern(self.pattern.text), Hits()
            self._scan(self.pattern, self.here)

    def end_search(self) -> None:
        """Search for nothing any longer."""
        self.workers.cancel_group(self, "search")
        self.pattern, self.hits, self._origin = None, None, None
        self.marks_changed()
        self.tell_found()

    @property
    def visible_hits(self) -> Hits:
        """The hits that count."""
        return self.hits or Hits(done=True)

    def tell_found(self, more: str = "") -> None:
        """Say how the search stands."""
        found = self.found
        self.find_bar.tell(replace(found, hits=found.hits + more) if more else found)

    @work(thread=True, exclusive=True, exit_on_error=False, group="search", description="search")
    def _scan(self, pattern: Pattern, start: int) -> None:
        worker, beat = get_current_worker(), Beat()
        waiting: list[int] = []

        def look_up() -> bool:
            if waiting and beat.due():
                self.post_message(HitsFound(pattern, list(waiting)))
                waiting.clear()
            return worker.is_cancelled

        for place in self.places_with(pattern, start, look_up):
            waiting.append(place)
            if look_up():
                return
        if not worker.is_cancelled:
            self.post_message(HitsFound(pattern, waiting, done=True))

    @on(HitsFound)
    def _hits_found(self, message: HitsFound) -> None:
        if message.pattern is not self.pattern or self.hits is None:
            return
        self.hits.add(message.places)
        self.hits.done = message.done
        self.hits_changed()
        first = self.visible_hits.from_(self._origin) if self._origin is not None else None
        if first is not None:
            if self.find_bar.editing or self.here == self._origin:
                self.go(first)
            if not self.find_bar.editing:
                self._origin = None
        elif message.done and self.find_bar.editing and self._origin is not None:
            self.come_back(self._origin)  # what the text before had led to is no hit any longer
        self.marks_changed()
        self.tell_found()

    def hits_changed(self) -> None:
        """Take note of more hits."""
