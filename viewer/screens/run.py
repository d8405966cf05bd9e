"""The screen of one run: the verdict above, the timeline beside its operations, and why. Here are its keys."""

from __future__ import annotations

from typing import Final

from textual import on
from textual.timer import Timer

from core import flip_after, flip_before, why_markdown

from ..copies import text_copy
from ..run_messages import PrefixFailed
from ..widgets.virtual_list import VirtualList
from .run_frame import EVENT, PAGES, TIMELINE
from .run_view import RunView

REST_SECONDS: Final = 0.2
"""Keys have come to rest when none came for so long."""


class RunScreen(RunView):
    """Shows its frame at once and reads its ledger by itself."""

    _rest: Timer | None = None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer nothing about a ledger that is not there yet."""
        del parameters
        return self.opened is not None or action not in _NEEDS_LEDGER

    # Panes

    def action_next_pane(self) -> None:
        """Move the focus to the next pane."""
        self._step_pane(1)

    def action_previous_pane(self) -> None:
        """Move the focus to the pane before."""
        self._step_pane(-1)

    def _step_pane(self, step: int) -> None:
        if self.arrangement.single:
            self.show_page(PAGES[(PAGES.index(self.page) + step) % len(PAGES)])
            return
        lists: list[VirtualList] = [self.timeline, self.operations, self.detail]
        place = next((place for place, rows in enumerate(lists) if rows.has_focus), -step if step < 0 else -1)
        lists[(place + step) % len(lists)].focus()

    def action_show_tab(self, page: str) -> None:
        """Open a page of the lower pane."""
        self.show_page(page)

    @on(VirtualList.Selected, "#timeline")
    def _event_selected(self) -> None:
        self.show_page(EVENT)

    @on(VirtualList.Selected, "#operations")
    def _operation_selected(self) -> None:
        self._show_timeline()

    @on(VirtualList.Selected, "#detail")
    def _evidence_selected(self, message: VirtualList.Selected) -> None:
        row = self.detail.target(message.index)
        if row is None:
            self.say("This line leads to no event.")
            return
        self.select_row(row)
        self._show_timeline()

    def _show_timeline(self) -> None:
        self.show_page(TIMELINE)
        self.timeline.focus()

    # Doubts and the halves of a call

    @property
    def _row(self) -> int:
        """The row under the cursor; behind the last row where the cursor is on none."""
        opened, chosen = self.opened, self.chosen
        if opened is None or chosen is None:
            return 0
        return len(opened.ledger.rows) if chosen.row is None else chosen.row

    def action_doubt(self, step: int) -> None:
        """Go to the next or the previous doubtful row, round and round."""
        if self.decided is None:
            return
        doubts, row = self.decided.doubts, self._row
        found = doubts.after(row) if step > 0 else doubts.before(row)
        if found is None:
            self.say("Nothing is in doubt here.")
            return
        if len(doubts.rows) == 1 and found == row:
            self.say("This is the only doubt.")
        elif (found <= row) if step > 0 else (found >= row):
            self.say("No doubt below: back at the first one." if step > 0 else "No doubt above: on to the last one.")
        self.select_row(found)

    def action_other_half(self, step: int) -> None:
        """Walk along the events of the call: call, dispatch, response."""
        decided, chosen = self.decided, self.chosen
        if decided is None or chosen is None or chosen.number is None:
            self.say("This row belongs to no tool call.")
            return
        brief = decided.operations.brief(chosen.number)
        events, row = brief.event_indexes, self._row
        onward = [index for index in events if (index > row if step > 0 else index < row)]
        if onward:
            self.select_row(onward[0] if step > 0 else onward[-1])
        elif step > 0 and brief.response_index is None:
            self.say("No response is recorded.")
        elif len(events) > 1:
            self.select_row(events[0] if step > 0 else events[-1])

    # What-if

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
        find = flip_after if step > 0 else flip_before
        found = find(ledger.tool_ledger.blocked_after, end)
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

    # Copies

    def action_copy(self) -> None:
        """Choose what to copy."""
        detail = self.said
        if detail is None:
            return
        answer = why_markdown(detail.decided.inspection, detail.decided.facts, detail.why)
        name = f"why-{self.subject.run_id}"
        offers = [text_copy("Why, as Markdown", "the answer, for a ticket or a chat", answer, name, ".md")]
        event_id = next((fact.text for fact in detail.facts if fact.name == "id"), "")
        if event_id:
            offers.append(text_copy("Event id", event_id, event_id, "event-id"))
        self.offer(offers)


_NEEDS_LEDGER: Final = frozenset({"doubt", "other_half", "what_if", "flip", "real", "copy", "show_tab"})
