"""The lower pane of a run's screen and its pages: why, the event, the replay, the run beside its events, the bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from textual import on, work
from textual.widget import Widget

from core import (
    CoreError,
    Entry,
    RunLink,
    counted,
    entry,
    partial_value,
    raw_text,
    replay_view,
    row_value,
    run_sheet,
)

from ..run_layout import EVENT, OPERATIONS, PAGES, PANES, RAW, REPLAY, RUN, TABS, TIMELINE, WHY
from ..run_messages import SheetRead
from ..run_reading import Decided, Detail
from ..widgets.event_view import Value, event_lines
from ..widgets.lines import Line
from ..widgets.raw_view import WHOLE, raw_lines, raw_tail
from ..widgets.replay_view import ReplayRows, replay_lines
from ..widgets.row_source import RowSource
from ..widgets.rules import TabHeading
from ..widgets.sheet_view import sheet_lines
from ..widgets.why import why_lines
from .run_frame import RunFrame

_CODES: Final = 200
"""Diagnostics and findings whose codes the help explains."""


class RunPages(RunFrame):
    """Shows the pages and opens what is on them."""

    sheet: SheetRead | None = None
    """What is known about the run beside its events; None until somebody looks."""
    tab = WHY
    """The page that was shown last."""

    def show_detail(self, *, keep_place: bool = False) -> None:
        """Show the open page."""
        if self.said is None:
            return
        page, tail = self.tabs.open, None
        self.tab = page
        if page == EVENT:
            lines = event_lines(self.said.facts)
        elif page == REPLAY:
            lines, tail = self._replay(self.said.decided)
        elif page == RUN:
            lines = self._sheet(self.said.decided)
        elif page == RAW:
            raw = self.said.raw
            lines = list(raw_lines(raw))
            tail = raw_tail(raw, self.app.signs, self.pattern) if raw is not None else None
        else:
            lines = self._why(self.said)
        self.detail.show(lines, keep_place=keep_place, tail=tail)

    def _why(self, detail: Detail) -> list[Line]:
        facts, dense = detail.decided.facts, self.arrangement.docked and not self.has_class("-zoomed")
        calm = facts.live or detail.decided.inspection.what_if
        subject = "The run as a whole"
        if detail.decided.inspection.what_if:
            subject = f"WHAT-IF: the first {counted(detail.decided.end, 'event')}"
        return why_lines(detail.why, facts, self.app.signs, subject=subject, dense=dense, calm=calm)

    def _replay(self, decided: Decided) -> tuple[list[Line], Callable[[int, bool], RowSource]]:
        ledger = decided.inspection.ledger
        view = replay_view(decided.inspection)
        rows = ReplayRows(view, ledger, self.app.signs)
        return list(replay_lines(view, ledger)), lambda _width, _wrap: rows

    def _sheet(self, decided: Decided) -> list[Line]:
        if self.sheet is None or self.sheet.decided is not decided or self.sheet.zone is not self.times.zone:
            self._read_sheet(decided)
        return list(sheet_lines(self.sheet.sections)) if self.sheet is not None else []

    @work(thread=True, exclusive=True, exit_on_error=False, group="sheet", description="read about the run")
    def _read_sheet(self, decided: Decided) -> None:
        zone = self.times.zone
        try:
            sections = run_sheet(decided.inspection, zone)
        except CoreError:
            return  # the storage went away; what was read before is still shown
        self.post_message(SheetRead(decided, zone, sections))

    @on(SheetRead)
    def _sheet_read(self, message: SheetRead) -> None:
        again = self.sheet is not None
        self.sheet = message
        if self.tabs.open == RUN:
            self.show_detail(keep_place=again)

    # Pages and panes

    @on(TabHeading.Changed, "#tabs")
    def _tab_clicked(self, message: TabHeading.Changed) -> None:
        self.page = self.pages.open = message.page
        self.show_detail()

    @on(TabHeading.Changed, "#pages")
    def _page_clicked(self, message: TabHeading.Changed) -> None:
        self.show_page(message.page)

    def action_show_tab(self, page: str) -> None:
        """Open a page of the lower pane."""
        self.show_page(page)

    def show_page(self, page: str) -> None:
        """Open a page: where one pane is seen at a time, its pane comes in the place of the others."""
        self.page = page
        self.pages.open = page
        if page in TABS and self.tabs.open != page:
            self.tabs.open = page
            self.show_detail()
        pane, target = self._pane_of(page)
        for name in PANES:
            self.query_one(f"#{name}").set_class(name == pane, "-shown")
        if self.arrangement.single or self.has_class("-zoomed"):
            target.focus()

    def _pane_of(self, page: str) -> tuple[str, Widget]:
        if page == TIMELINE:
            return "timeline-pane", self.timeline
        return ("operations-pane", self.operations) if page == OPERATIONS else ("detail-pane", self.detail)

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
        pages = (TIMELINE, OPERATIONS, self.tabs.open)
        lists = (self.timeline, self.operations, self.detail)
        place = next((place for place, rows in enumerate(lists) if rows.has_focus), -step if step < 0 else -1)
        place = (place + step) % len(lists)
        self.show_page(pages[place])
        lists[place].focus()

    def action_zoom(self) -> None:
        """Give the pane that has the focus all the room, or share the room again."""
        if self.arrangement.single:
            self.say("There is one pane at a time already: tab goes on.")
            return
        self.toggle_class("-zoomed")
        pages = {self.operations: OPERATIONS, self.detail: self.tabs.open}
        focused = self.focused if self.focused in (self.timeline, self.operations, self.detail) else self.timeline
        self.show_page(next((page for pane, page in pages.items() if pane is focused), TIMELINE))
        self.lay_out()
        self.show_detail(keep_place=True)

    def action_wrap(self) -> None:
        """Wrap long lines of the lower pane, or cut them."""
        self.detail.toggle_wrap()
        if not self.detail.wrap:
            self.say("Long lines are cut: h and l scroll them sideways.")

    # What lines open

    def open_from_detail(self, index: int) -> bool:
        """Open what a line of the lower pane opens; whether it opens anything but a row."""
        opens = self.detail.opens(index)
        if isinstance(opens, Value):
            self._open_value(opens)
        elif opens == WHOLE:
            self.open_raw()
        elif isinstance(opens, RunLink):
            self.open_link(opens)
        else:
            return False
        return True

    def _open_value(self, value: Value) -> None:
        chosen, decided = self.chosen, self.decided
        if chosen is None or decided is None:
            return
        row, snapshot, ledger = chosen.row, chosen.partial, decided.inspection.ledger
        if snapshot is not None:
            self._page_through(value.name, snapshot.name, lambda: partial_value(snapshot, value.place).text)
        elif row is not None:
            self._page_through(value.name, f"event {row + 1:,}", lambda: row_value(ledger, row, value.place).text)

    def open_raw(self) -> None:
        """Open the bytes of the row under the cursor."""
        if self.decided is None or self.chosen is None or self.chosen.row is None:
            self.say("No row of the ledger stands here.")
            return
        ledger, row = self.decided.inspection.ledger, self.chosen.row
        self._page_through("row", f"row {row + 1:,}", lambda: raw_text(ledger.raw(row)))

    def _page_through(self, what: str, where: str, read: Callable[[], str]) -> None:
        from .pager import PagerScreen

        crumbs = (*self.header.crumbs[1:], where)
        self.app.push_screen(PagerScreen(what, crumbs, read))

    def open_link(self, link: RunLink) -> None:
        """Open the screen of another run."""
        raise NotImplementedError

    # Help

    @property
    def codes_on_screen(self) -> tuple[Entry, ...]:
        """The entries of the glossary for what is on the screen."""
        if self.decided is None:
            return ()
        inspection = self.decided.inspection
        codes = [*inspection.plan.rejection_reasons, *(found.code for found in inspection.plan.diagnostics[:_CODES])]
        codes += [finding.code for finding in inspection.findings[:_CODES]]
        codes += list(self.said.why.codes) if self.said is not None else []
        found = (entry(code) for code in dict.fromkeys(codes))
        return tuple(one for one in found if one is not None)
