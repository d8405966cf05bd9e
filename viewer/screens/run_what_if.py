"""Questions about a run: had it ended earlier, and must it have another length? The real verdict stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual import on
from textual.timer import Timer

from core import flip_after, flip_before

from ..run_messages import PrefixFailed
from .run_find import RunFind

if TYPE_CHECKING:
    from .ask import Expected

REST_SECONDS: Final = 0.2
"""Keys have come to rest when none came for so long."""


class RunWhatIf(RunFind):
    """Asks about other prefixes and other lengths."""

    _rest: Timer | None = None

    def action_what_if(self, step: int) -> None:
        """End the prefix some events earlier or later."""
        if self.opened is not None:
            end = len(self.opened.ledger)
            self.ask(max(0, min((end if self.asked is None else self.asked) + step, end)))

    def action_flip(self, step: int) -> None:
        """End the prefix where the decision was otherwise, before or after."""
        if self.opened is None:
            return
        ledger = self.opened.ledger
        end = len(ledger) if self.asked is None else self.asked
        strip = ledger.tool_ledger.blocked_after
        found = flip_after(strip, end, len(ledger)) if step > 0 else flip_before(strip, end)
        if found is None:
            self.say(f"The decision is the same for every {'longer' if step > 0 else 'shorter'} prefix.")
        else:
            self.ask(found)

    def action_real(self) -> None:
        """Go back to the ledger as it is."""
        if self.opened is not None:
            self.ask(len(self.opened.ledger))

    def ask(self, end: int) -> None:
        """Ask about a prefix: at once whether it is blocked, and all the rest when the keys rest."""
        opened = self.opened
        if opened is None:
            return
        whole = end == len(opened.ledger)
        if (None if whole else end) == self.asked:
            return
        self.asked = None if whole else end
        if self._rest is not None:
            self._rest.stop()
        if whole:
            self.show_prefix(opened.whole)
            return
        self.show_verdict()
        self.fill_timeline()
        if end:
            self.select_row(end - 1)
        self._rest = self.set_timer(REST_SECONDS, self._rested)

    @on(PrefixFailed)
    def _prefix_failed(self, message: PrefixFailed) -> None:
        """Go back to what was decided while the storage could be read."""
        if self.asked is not None:
            self.say(f"The storage changed after it was read, so no shorter prefix can be decided: {message.error}")
            self.action_real()

    def _rested(self) -> None:
        if self.opened is not None and self.asked is not None:
            self.decide(self.opened, self.asked)

    def action_expect(self) -> None:
        """Ask how many committed events the ledger must have, and hold it to that."""
        if self.opened is not None:
            from .ask import ExpectScreen

            self.app.push_screen(ExpectScreen(self.opened.ledger, self.expected, signs=self.app.signs), self._expects)

    def _expects(self, answer: Expected | None) -> None:
        if answer is not None and self.opened is not None and answer.events != self.expected:
            self.expected = answer.events
            self.decide(self.opened, None)
