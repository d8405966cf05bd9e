"""What changed since the mark: a dialog whose lines lead to the events."""

from __future__ import annotations

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.worker import get_current_worker

from core import CoreError, Ledger, compare, inspect, printable

from ..styles import Signs
from ..widgets.changes_view import change_lines
from ..widgets.lines import Line, LineList
from ..widgets.rules import RuleHeading
from ..widgets.virtual_list import VirtualList
from .base import Dialog


class ChangesScreen(Dialog[int]):
    """Dismissed with the row to go to."""

    lines = query_one(LineList)

    def __init__(self, ledger: Ledger, mark: int, now: int, now_ms: float, *, signs: Signs) -> None:
        """Compare the first `mark` events with the first `now` ones."""
        super().__init__()
        self._ledger = ledger
        self._ends = (mark, now)
        self._now_ms = now_ms
        self._signs = signs

    def compose(self) -> ComposeResult:
        """Lay the dialog out."""
        mark, now = self._ends
        with Vertical():
            note = f"from event {mark:,} to event {now:,}, enter goes there, esc closes"
            heading = RuleHeading("What changed", note, signs=self._signs)
            heading.lit = True
            yield heading
            yield LineList(signs=self._signs)

    def on_mount(self) -> None:
        """Begin to compare."""
        self.lines.focus()
        self._show([Line(Content.styled(f"Comparing{self._signs.ellipsis}", "$muted"))])
        self._compare()

    @work(thread=True, exclusive=True, exit_on_error=False, group="compare", description="compare two prefixes")
    def _compare(self) -> None:
        worker, (mark, now) = get_current_worker(), self._ends
        try:
            before, after = (inspect(self._ledger, high_water=end, now_ms=self._now_ms) for end in (mark, now))
            lines = list(change_lines(compare(before, after), self._signs))
        except CoreError as error:
            lines = [Line(Content.styled(f"It can no longer be compared: {printable(error.message)}", "$evidence"))]
        if not worker.is_cancelled:
            self.app.call_from_thread(self._show, lines)

    def _show(self, lines: list[Line]) -> None:
        if self.is_attached:
            self.lines.show(lines)
            rows = self.lines
            rows.cursor = next((at for at in range(len(rows.source)) if rows.target(at) is not None), 0)

    @on(VirtualList.Selected)
    def _selected(self, message: VirtualList.Selected) -> None:
        message.stop()
        row = self.lines.target(message.index)
        if row is not None:
            self.dismiss(row)
