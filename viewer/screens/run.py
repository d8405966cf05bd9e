"""The screen of one run: the verdict above, the timeline beside its operations, and why. Here are its keys."""

from __future__ import annotations

from collections.abc import Iterator

from textual import on

from core import CoreError, RunLink, TimeMode, why_markdown

from ..copies import Copy, text_copy
from ..run_copies import event_copies
from ..run_layout import EVENT
from ..run_places import Place, event_places, operation_places, run_places
from ..targets import title_of
from ..widgets.virtual_list import VirtualList
from .run_marking import RunMarking
from .run_so_far import NEEDS_LEDGER


class RunScreen(RunMarking):
    """Shows its frame at once and reads its ledger by itself."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer nothing about a ledger that is not there yet."""
        del parameters
        if action == "clear":
            return self.clearable
        if action == "pause":
            return self.following
        if action == "save":
            return self.opened is not None and self.read_workspace is not None
        if action in NEEDS_LEDGER and self.opened is None:
            return None if self.so_far is not None else False
        return True

    def footer_label(self, command_id: str) -> str | None:
        """Leave to the help what would push the keys of a run out of the footer."""
        return "" if command_id in ("filter", "wrap") else super().footer_label(command_id)

    # What is opened

    @on(VirtualList.Selected, "#timeline")
    def _event_selected(self) -> None:
        self.show_page(EVENT)

    @on(VirtualList.Selected, "#operations")
    def _operation_selected(self) -> None:
        self.show_timeline()

    @on(VirtualList.Selected, "#detail")
    def _evidence_selected(self, message: VirtualList.Selected) -> None:
        row = self.detail.target(message.index)
        if row is not None:
            self.select_row(row)
            self.show_timeline()
        elif not self.open_from_detail(message.index):
            self.say("This line leads to no event.")

    def open_link(self, link: RunLink) -> None:
        """Open the screen of another run over this one."""
        workspace = self.read_workspace
        if workspace is None:
            self.say(f"{link.run_id} lies outside of what was opened: open the state root.")
            return
        try:
            run = workspace.run(link.run_id, link.session_id or None)
        except CoreError as error:
            self.say(error.message, wrong=True)
            return
        screen = RunScreen(run, title=title_of(workspace, run), place=self.place, workspace=workspace)
        self.app.push_screen(screen)

    # Doubts and the halves of a call

    def action_doubt(self, step: int) -> None:
        """Go to the next or the previous doubtful row, round and round."""
        if self.decided is None:
            return
        doubts, row = self.decided.doubts, self.here
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
        events, row = brief.event_indexes, self.here
        onward = [index for index in events if (index > row if step > 0 else index < row)]
        if onward:
            self.select_row(onward[0] if step > 0 else onward[-1])
        elif step > 0 and brief.response_index is None:
            self.say("No response is recorded.")
        elif len(events) > 1:
            self.select_row(events[0] if step > 0 else events[-1])

    # Times, copies, places

    def action_times(self) -> None:
        """Write times in the next way."""
        self.app.times = self.app.times.next_of(tuple(TimeMode))
        self.app.memory.keep(times=self.app.times)
        self.times_changed()
        self.app.clear_notifications()
        if self.arrangement.docked:  # there the heading has no room to say it
            self.say(f"Times: {self.times.heading(self.times.start_ms) or 'UTC'}")

    def action_copy(self) -> None:
        """Choose what to copy."""
        self.offer(list(self._copies()))

    def _copies(self) -> Iterator[Copy]:
        detail = self.said
        if detail is None:
            return
        answer = why_markdown(detail.decided.inspection, detail.decided.facts, detail.why)
        name = f"why-{self.subject.run_id}"
        yield text_copy("Why, as Markdown", "the answer, for a ticket or a chat", answer, name, ".md")
        yield from event_copies(detail, self.read_workspace, self.subject)

    def palette_places(self) -> Iterator[Place]:
        """Give the calls, and the other runs, that the palette offers."""
        if self.decided is not None and self.opened is not None:
            yield from operation_places(self.decided, self.opened.ledger, self.select_row)
        if self.read_workspace is not None:
            yield from run_places(self.read_workspace, self.subject, self.open_link)

    def palette_events(self, text: str) -> Iterator[Place]:
        """Give the events that a text names by their numbers."""
        if self.opened is not None:
            yield from event_places(self.opened.ledger, text, self.select_row)
