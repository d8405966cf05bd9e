"""What a run's screen shows: one decided prefix in its panes, and the cursors that follow each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from textual import on

from core import Disposition, Entry, Run, day, entry, what_if_disposition

from ..run_messages import BesideRead, DetailRead, LedgerFailed, LedgerOpened, LedgerProgress, PrefixDecided
from ..run_reading import Chosen, Decided, Detail, Opened
from ..widgets.bars import Fact
from ..widgets.event_view import event_lines
from ..widgets.operations import OperationRows, OperationView
from ..widgets.problem import Problem
from ..widgets.rules import TabHeading
from ..widgets.timeline import TimelineRows
from ..widgets.timeline_line import TimelineView
from ..widgets.verdict import Shown, WhatIf
from ..widgets.virtual_list import VirtualList
from ..widgets.why import why_lines
from ..words import tilde
from .run_frame import EVENT, OPERATIONS, TIMELINE, WHY, RunFrame

TICK_SECONDS: Final = 5.0
"""Between two looks at the clock, for the ages on the screen and for runs that may have died since."""

_BEHIND_THE_END: Final = 3
"""Lines behind the end of the committed prefix that are in sight at first."""

_CODES: Final = 200
"""Diagnostics and findings whose codes the help explains."""


class RunView(RunFrame):
    """Takes in what was read and shows it."""

    def __init__(self, run: Run, *, title: str | None, place: str, expected_high_water: int | None = None) -> None:
        """Prepare the screen; see `RunFrame`."""
        super().__init__(run, title=title, place=place, expected_high_water=expected_high_water)
        self.opened: Opened | None = None
        self.decided: Decided | None = None
        """The prefix whose operations and answers are shown."""
        self.asked: int | None = None
        """Length of the prefix that was asked about; None for the ledger as it is."""
        self.chosen: Chosen | None = None
        """What is under the cursor of the timeline."""
        self.page = TIMELINE
        """The pane that a narrow screen shows."""
        self._rows: TimelineRows | None = None
        self._operation_rows: OperationRows | None = None
        self.said: Detail | None = None
        """What is said about it."""
        self.beside: BesideRead | None = None
        self._listed: int | None = None

    def on_mount(self) -> None:
        """Keep ages true."""
        self.set_interval(TICK_SECONDS, self._tick)

    def on_unmount(self) -> None:
        """Give the ledger back."""
        if self.opened is not None:
            self.opened.ledger.close()

    def lay_out(self) -> None:
        """Show everything as the new layout has it."""
        before = self.arrangement
        super().lay_out()
        if self.arrangement.single:
            self.show_page(self.page)
        if before != self.arrangement and self.opened is not None:
            self.fill_timeline()
            self.fill_operations()
            self._show_headings()
            self._show_detail(keep_place=True)

    # What was read

    @on(LedgerProgress)
    def _progress(self, message: LedgerProgress) -> None:
        if self.opened is None:
            self.verdict.shown = Shown(progress=f"{message.done / max(message.total, 1):.0%}")

    @on(LedgerFailed)
    def _failed(self, message: LedgerFailed) -> None:
        self.add_class("-failed")
        self.mount(Problem("This run cannot be read", message.error, signs=self.app.signs), after=self.header)

    @on(LedgerOpened)
    def _ledger_opened(self, message: LedgerOpened) -> None:
        opened = self.opened = message.opened
        self.decided = opened.whole
        header = opened.ledger.header
        if header is not None:
            cwd = tilde(header.cwd, str(Path.home()))
            self.header.facts = (
                Fact("read-only", 1),
                Fact(cwd, 4),
                Fact(header.model_id, 3),
                Fact(header.permission_mode, 2),
            )
        self.show_verdict()
        self.fill_timeline()
        self.fill_operations()
        self._show_headings()
        self.lay_out()
        self.refresh_bindings()
        self._begin(opened)
        self.read_beside(opened)

    @on(BesideRead)
    def _beside_read(self, message: BesideRead) -> None:
        self.beside = message
        self.fill_timeline()
        self.choose(self.timeline.cursor)

    @on(PrefixDecided)
    def _prefix_decided(self, message: PrefixDecided) -> None:
        opened, decided = self.opened, message.decided
        if opened is None:
            return
        if not decided.inspection.what_if:
            self.opened = replace(opened, whole=decided)
        if decided.end == (len(opened.ledger) if self.asked is None else self.asked):
            self.show_prefix(decided)

    @on(DetailRead)
    def _detail_read(self, message: DetailRead) -> None:
        detail, before = message.detail, self.said
        if detail.chosen is not self.chosen or detail.decided is not self.decided:
            return
        self.said = detail
        number = detail.chosen.number
        same = before is not None and number is not None and before.chosen.number == number
        self._show_detail(keep_place=same and self.tabs.open == WHY)

    def _tick(self) -> None:
        """Let ages grow, and look again at a run that may have died since."""
        if self.opened is None or not self.is_current:
            return
        if self.opened.whole.facts.live:
            self.decide(self.opened, None)
        self.show_verdict()

    # Showing

    def show_prefix(self, decided: Decided) -> None:
        """Show another prefix."""
        self.decided = decided
        self.show_verdict()
        self.fill_timeline()
        self.fill_operations()
        self._show_headings()
        self.lay_out()
        self.choose(self.timeline.cursor)

    def show_verdict(self) -> None:
        """Show the real verdict and, below it, the prefix that was asked about."""
        if self.opened is None:
            return
        whole, decided = self.opened.whole, self.decided
        then = whole.inspection.now_ms
        passed = max(0.0, self.app.now_ms() - then) if then is not None else 0.0
        facts = replace(
            whole.facts,
            call_age_ms=_later(whole.facts.call_age_ms, passed),
            last_write_age_ms=_later(whole.facts.last_write_age_ms, passed),
        )
        what_if = None
        if self.asked is not None:
            known = decided is not None and decided.end == self.asked
            said = decided.facts.headline.rstrip(":") if known and decided is not None else ""
            would = what_if_disposition(whole.inspection, self.asked)
            what_if = WhatIf(self.asked, len(self.opened.ledger), would is Disposition.BLOCKED, said)
        self.verdict.shown = Shown(facts, what_if)

    def fill_timeline(self) -> None:
        """Give the timeline its rows, as the present prefix has them."""
        if self.opened is None or self.decided is None:
            return
        whole, ledger = self.opened.whole, self.opened.ledger
        end = len(ledger) if self.asked is None else self.asked
        marks = self.decided.doubts.marks if self.decided.end == end else whole.doubts.marks
        view = TimelineView(
            ledger,
            self.opened.links,
            marks,
            whole.doubts.start,
            end,
            torn=self.opened.torn,
            partials=self.beside.partials if self.beside is not None else (),
            supposed=marks.keys() - whole.doubts.marks.keys(),
            calm=whole.facts.live,
            notes=self.arrangement.wide,
        )
        self._rows = TimelineRows(view, self.app.signs)
        self.timeline.source = self._rows

    def fill_operations(self) -> None:
        """Give the list of operations its rows."""
        if self.opened is None or self.decided is None:
            return
        calm = self.opened.whole.facts.live or self.decided.inspection.what_if
        headings = not self.arrangement.docked
        view = OperationView(self.opened.ledger, self.decided.operations, headings=headings, calm=calm)
        self._operation_rows = OperationRows(view, self.app.signs)
        self.operations.source = self._operation_rows
        self._listed = self._operation_rows.number_of(self.operations.cursor)

    def _show_headings(self) -> None:
        if self.opened is None or self.decided is None:
            return
        ledger, wide = self.opened.ledger, not self.arrangement.docked
        count, rows = len(ledger), len(ledger.rows) - (ledger.torn_tail is not None)
        events = f"{count:,}" if count == rows else f"{count:,} of {rows:,}"
        first = next((ts for ts in ledger.rows.times[:64] if ts == ts), None)
        date = f"{day(first)} UTC" if first is not None else ""
        self.timeline_heading.note = f"{events} event{'' if count == 1 else 's'}  {date}".rstrip() if wide else events
        self.operations_heading.note = f"{len(self.decided.operations):,}"

    def _show_detail(self, *, keep_place: bool) -> None:
        detail = self.said
        if detail is None:
            return
        if self.tabs.open == EVENT:
            lines = event_lines(detail.facts)
        else:
            facts, dense = detail.decided.facts, self.arrangement.docked
            calm = facts.live or detail.decided.inspection.what_if
            subject = "The run as a whole"
            if detail.decided.inspection.what_if:
                subject = f"WHAT-IF: the first {detail.decided.end:,} events"
            lines = why_lines(detail.why, facts, self.app.signs, subject=subject, dense=dense, calm=calm)
        self.detail.show(lines, keep_place=keep_place)

    # The cursors

    def _begin(self, opened: Opened) -> None:
        """Begin at the last doubtful call, else at the first damage, else at the end; with the end in sight."""
        if self._rows is None:
            return
        doubts, count = opened.whole.doubts, len(opened.ledger)
        row = doubts.last_call if doubts.last_call is not None else next(iter(doubts.rows), max(0, count - 1))
        self.timeline.open_at(self._rows.line_of(row), count + _BEHIND_THE_END)

    @on(VirtualList.Highlighted, "#timeline")
    def _timeline_moved(self, message: VirtualList.Highlighted) -> None:
        self.choose(message.index)

    @on(VirtualList.Highlighted, "#operations")
    def _operations_moved(self, message: VirtualList.Highlighted) -> None:
        number = self._operation_rows.number_of(message.index) if self._operation_rows is not None else None
        if self.decided is None or number is None or number == self._listed:
            return
        self._listed = number
        self.operations.idle_cursor = True
        if self.operations.has_focus:
            self.select_row(self.decided.operations.brief(number).call_index)

    def select_row(self, row: int) -> None:
        """Put the cursor of the timeline on a row of the ledger."""
        if self._rows is not None:
            self.timeline.go_to(self._rows.line_of(row))

    def choose(self, line: int) -> None:
        """Take a line of the timeline for what is spoken of: its operation is marked, and its answer is read."""
        if self.opened is None or self._rows is None or self.decided is None or not 0 <= line < len(self._rows):
            return
        key, row = self._rows.key(line), self._rows.row_of(line)
        number = self.opened.links.number(row) if row is not None else None
        if number is not None and not self.decided.operations.holds(number):
            number = None
        self.chosen = Chosen(key, row, self._rows.partial_of(line), number)
        place = self._operation_rows.find(number) if number is not None and self._operation_rows is not None else None
        self.operations.idle_cursor = place is not None
        if place is not None:
            self._listed = number
            self.operations.go_to(place)
        if self.asked is None or self.decided.end == self.asked:
            self.read_detail(self.decided, self.chosen)

    # Pages

    @on(TabHeading.Changed, "#tabs")
    def _tab_clicked(self) -> None:
        self._show_detail(keep_place=False)

    @on(TabHeading.Changed, "#pages")
    def _page_clicked(self, message: TabHeading.Changed) -> None:
        self.show_page(message.page)

    def show_page(self, page: str) -> None:
        """Open a page: in a narrow screen its pane comes in the place of the others."""
        self.page = page
        self.pages.open = page
        if page in (WHY, EVENT) and self.tabs.open != page:
            self.tabs.open = page
            self._show_detail(keep_place=False)
        pane, target = {
            TIMELINE: ("timeline-pane", self.timeline),
            OPERATIONS: ("operations-pane", self.operations),
        }.get(page, ("detail-pane", self.detail))
        for name in ("timeline-pane", "operations-pane", "detail-pane"):
            self.query_one(f"#{name}").set_class(name == pane, "-shown")
        if self.arrangement.single:
            target.focus()

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


def _later(age_ms: float | None, passed_ms: float) -> float | None:
    return None if age_ms is None else age_ms + passed_ms
