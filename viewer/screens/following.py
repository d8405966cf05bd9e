"""Screens that follow what is being written: F begins and ends it, = pauses. One look at a time, each in a thread.

A timer of the screen begins each look, at a pace that slows down while nothing happens; there is none while another
screen lies above, and neither timer nor thread is left when the screen goes.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable
from typing import Final, TypeAlias

from textual import on, work
from textual.message import Message
from textual.timer import Timer
from textual.worker import get_current_worker

from core import CoreError, Pace

from ..loading import Progress, Stopped, watch
from .taking import TakingScreen

Look: TypeAlias = Callable[[Progress], object]
"""Reads what is new; None where nothing is. Raises CoreError, and what `progress` raises."""

FOLLOWING: Final = "following"
PAUSED: Final = "paused"


class Looked(Message):
    """A look came to its end."""

    def __init__(self, news: object, error: CoreError | None, cost: float) -> None:
        super().__init__()
        self.news = news
        """What is new; None where nothing is."""
        self.error = error
        self.cost = cost
        """Seconds that it took."""


class FollowingScreen(TakingScreen):
    """Looks again and again, while it is seen and not paused."""

    following = False
    paused = False
    _pace = Pace()
    _next: Timer | None = None
    _looking = False
    _told = ""

    # What a screen says of itself

    @abstractmethod
    def look(self) -> Look:
        """Give what a thread shall do to read what is new, as the screen is now."""

    @abstractmethod
    def take_news(self, news: object) -> None:
        """Show what is new."""

    @abstractmethod
    def show_following(self) -> None:
        """Say whether the screen follows."""

    def end_following(self) -> None:
        """Give back what a look holds open. Called once, by whichever thread is the last to need it."""

    @property
    def follows(self) -> str:
        """Whether it follows, in a word; empty where not."""
        return "" if not self.following else PAUSED if self.paused else FOLLOWING

    # The keys

    def action_follow(self) -> None:
        """Begin or end to follow."""
        self.following, self.paused = not self.following, False
        self._told, self._pace = "", Pace()
        self._changed()
        self.say("Following: what is written appears by itself." if self.following else "No longer following.")

    def action_pause(self) -> None:
        """Pause, or go on."""
        if self.following:
            self.paused, self._pace = not self.paused, Pace()
            self._changed()

    def _changed(self) -> None:
        self._stop_waiting()
        if self.following and not self.paused:
            self._begin_look()
        self.show_following()
        self.refresh_bindings()

    # Looking

    def on_screen_resume(self) -> None:
        """Look at once when the screen is seen again."""
        if self.following and not self.paused:
            self._begin_look()

    def on_screen_suspend(self) -> None:
        """Look no longer while another screen lies above."""
        self._stop_waiting()

    def on_unmount(self) -> None:
        """Leave nothing behind."""
        self._stop_waiting()
        if not self._looking:
            self.end_following()

    def _stop_waiting(self) -> None:
        if self._next is not None:
            self._next.stop()
            self._next = None

    def _begin_look(self) -> None:
        self._stop_waiting()
        if not self._looking and self.is_attached:
            self._looking = True
            self._look(self.look())

    @work(thread=True, exclusive=True, exit_on_error=False, group="follow", description="look what is new")
    def _look(self, look: Look) -> None:
        worker, begun = get_current_worker(), time.monotonic()
        news, error = None, None
        try:
            news = look(watch(lambda: worker.is_cancelled))
        except Stopped:
            pass
        except CoreError as failed:
            error = failed
        except Exception as failed:  # a fault of ours, too, ends in a sentence on the screen
            said = f"a fault of maka-ledger's own: {type(failed).__name__}: {failed}"
            error = CoreError(said, code="tool_fault")
        if worker.is_cancelled or not self.post_message(Looked(news, error, time.monotonic() - begun)):
            self.end_following()

    @on(Looked)
    def _looked(self, message: Looked) -> None:
        self._looking = False
        if message.news is not None:
            self.take_news(message.news)
        said = message.error.message if message.error is not None else ""
        if said and said != self._told:
            self.say(f"It cannot be read on: {said}. What was read before is shown.", wrong=True)
        self._told = said
        self._pace = self._pace.after(changed=message.news is not None, cost=message.cost)
        if self.following and not self.paused and self.is_current:
            self._next = self.set_timer(self._pace.wait, self._begin_look, name="follow")
