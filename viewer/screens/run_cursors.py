"""The cursors of a run's screen: where it opens, what is chosen, and how timeline and operations follow each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import on

from ..memory import RunPlace
from ..run_reading import Chosen, Opened
from ..widgets.operations import OperationRows
from ..widgets.timeline import TimelineRows
from ..widgets.virtual_list import VirtualList
from .run_pages import RunPages

_BEHIND_THE_END: Final = 3
"""Lines behind the end of the committed prefix that are in sight at first."""


class RunCursors(RunPages):
    """Moves the cursors."""

    kept: Sequence[int] | None = None
    """The rows that a filter keeps, in order; None where none is set."""
    nothing: str = ""
    """What stands in the timeline where a filter keeps nothing."""
    rows: TimelineRows | None = None
    """The lines of the timeline."""
    operation_rows: OperationRows | None = None
    """The lines of the operations."""
    listed: int | None = None

    def begin(self, opened: Opened) -> None:
        """Begin at what was asked for, or where one was; else at the last doubtful call, the first damage, the end."""
        if self.rows is None:
            return
        doubts, count = opened.whole.doubts, len(opened.ledger)
        usual = doubts.last_call if doubts.last_call is not None else next(iter(doubts.rows), max(0, count - 1))
        row, seen = usual, count
        if opened.amiss:
            self.say(f"{opened.amiss}. The run opens as it does by itself.", wrong=True)
        elif opened.at is not None:
            row = seen = opened.at
        elif opened.was is not None:
            if opened.page in self.tabs.pages:
                self.tabs.open = opened.page
            if opened.was != usual:
                row = seen = opened.was
                doubt = "; e goes to the doubt" if doubts.rows else ""
                self.say(f"Back at event {row + 1:,}, where you were{doubt}.")
        self.timeline.open_at(self.rows.line_of(row), min(seen, count) + _BEHIND_THE_END)

    def remember(self, opened: Opened) -> None:
        """Remember where one is, by the id of the event."""
        chosen, said, ledger = self.chosen, self.said, opened.ledger
        if chosen is None or said is None or said.chosen is not chosen or chosen.row is None:
            return
        event = next((fact.text for fact in said.facts if fact.name == "id"), "")
        if event and chosen.row < len(ledger):
            place = RunPlace(ledger.session_id, ledger.run_id, event, chosen.row + 1, len(ledger), self.tab)
            self.app.memory.keep(run=place)

    @on(VirtualList.Highlighted, "#timeline")
    def _timeline_moved(self, message: VirtualList.Highlighted) -> None:
        self.choose(message.index)

    @on(VirtualList.Highlighted, "#operations")
    def _operations_moved(self, message: VirtualList.Highlighted) -> None:
        number = self.operation_rows.number_of(message.index) if self.operation_rows is not None else None
        if self.decided is None or number is None or number == self.listed:
            return
        self.listed = number
        self.operations.idle_cursor = True
        if self.operations.has_focus:
            self.select_row(self.decided.operations.brief(number).call_index)

    def select_row(self, row: int) -> None:
        """Put the cursor of the timeline on a row of the ledger."""
        if self.rows is not None:
            self.timeline.go_to(self.rows.line_of(row))

    def choose(self, line: int) -> None:
        """Take a line of the timeline for what is spoken of: its operation is marked, and its answer is read."""
        if self.opened is None or self.rows is None or self.decided is None or not 0 <= line < len(self.rows):
            return
        key, row = self.rows.key(line), self.rows.row_of(line)
        number = self.opened.links.number(row) if row is not None else None
        if number is not None and not self.decided.operations.holds(number):
            number = None
        self.chosen = Chosen(key, row, self.rows.partial_of(line), number)
        place = self.operation_rows.find(number) if number is not None and self.operation_rows is not None else None
        self.operations.idle_cursor = place is not None
        if place is not None:
            self.listed = number
            self.operations.go_to(place)
        if self.asked is None or self.decided.end == self.asked:
            self.read_detail(self.decided, self.chosen)
