"""What a run's screen shows: one decided prefix in its panes, and the cursors that follow each other."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace
from textual import on

from core import Disposition, what_if_disposition

from ..run_layout import EVENT, RAW, WHY
from ..run_messages import BesideRead, DetailRead, LedgerFailed, LedgerOpened, PrefixDecided
from ..run_reading import Decided
from ..state_folder import home_folder, tilde
from ..widgets.bars import Fact
from ..widgets.operations import OperationRows, OperationView
from ..widgets.problem import Problem
from ..widgets.timeline import TimelineRows
from ..widgets.timeline_line import TimelineView
from ..widgets.verdict import Shown, WhatIf
from .following import PAUSED
from .run_so_far import RunSoFar

TICK_SECONDS: Final = 5.0
"""Between two looks at the clock, for the ages on the screen and for runs that may have died since."""


class RunView(RunSoFar):
    """Takes in what was read and shows it."""

    def on_mount(self) -> None:
        """Keep ages true."""
        self.set_interval(TICK_SECONDS, self._tick)

    def on_unmount(self) -> None:
        """Remember where one was, and give the ledger back."""
        if self.opened is not None:
            self.remember(self.opened)
            self.opened.ledger.close()

    def on_screen_resume(self) -> None:
        """Show times as they are written now: another screen may have changed that."""
        if self.opened is not None:
            self.times_changed()

    def lay_out(self) -> None:
        """Show everything as the new layout has it."""
        before = self.arrangement
        super().lay_out()
        if self.arrangement.single:
            self.show_page(self.page)
        if before != self.arrangement and self.so_far is not None:
            self.show_so_far()
        if before != self.arrangement and self.opened is not None:
            self.fill_timeline()
            self.fill_operations()
            self.show_headings()
            self.show_detail(keep_place=True)

    # What was read

    @on(LedgerFailed)
    def _failed(self, message: LedgerFailed) -> None:
        self.end_so_far()
        self.add_class("-failed")
        self.mount(Problem("This run cannot be read", message.error, signs=self.app.signs), after=self.header)

    @on(LedgerOpened)
    def _ledger_opened(self, message: LedgerOpened) -> None:
        opened, moved = message.opened, self.end_so_far()
        self.opened, self.decided = opened, opened.whole
        self.show_facts()
        self.show_verdict()
        self.fill_timeline()
        self.fill_operations()
        self.show_headings()
        self.lay_out()
        self.refresh_bindings()
        if moved:
            self.stay(opened)
        else:
            self.begin(opened)
        self.choose(self.timeline.cursor)
        # Only when the panes have their sizes is it known how much of the list can be seen.
        self.call_after_refresh(self.operations.show_from_top)
        self.read_beside(opened)

    @on(BesideRead)
    def _beside_read(self, message: BesideRead) -> None:
        self.beside = message
        self.fill_timeline()
        untouched = self.timeline.show_both()
        self.choose(self.timeline.cursor)
        if untouched:
            self.operations.show_from_top()

    @on(PrefixDecided)
    def _prefix_decided(self, message: PrefixDecided) -> None:
        opened, decided = self.opened, message.decided
        if opened is None or (not decided.inspection.what_if and decided.inspection.ledger is not opened.ledger):
            return
        if not decided.inspection.what_if:
            self.opened = replace(opened, whole=decided)
        if decided.end == (len(opened.ledger) if self.asked is None else self.asked):
            self.show_prefix(decided)
        else:
            self.show_verdict()

    @on(DetailRead)
    def _detail_read(self, message: DetailRead) -> None:
        detail, before = message.detail, self.said
        if detail.chosen is not self.chosen or detail.decided is not self.decided:
            return
        self.said = detail
        number = detail.chosen.number
        same = before is not None and number is not None and before.chosen.number == number
        again = before is not None and before.chosen.key == detail.chosen.key
        self.show_detail(keep_place=again or self.keeps_place(same_call=same))

    def keeps_place(self, *, same_call: bool) -> bool:
        """Whether the lower pane stays where it is when another row of the timeline is chosen."""
        return (same_call and self.tabs.open == WHY) or self.tabs.open not in (WHY, EVENT, RAW)

    def _tick(self) -> None:
        """Let ages grow, and look again at a run that may have died since."""
        if self.opened is None or not self.is_current:
            return
        if self.follows == PAUSED:
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
        self.show_headings()
        self.lay_out()
        self.choose(self.timeline.cursor)

    @property
    def follows(self) -> str:
        """Whether the run is followed, in a word; empty where not."""
        return ""

    @property
    def marked(self) -> str:
        """Where a prefix is marked, in a few words; empty where none is."""
        return ""

    def show_facts(self) -> None:
        """Show at the top what the header says of the run, and whether it is followed."""
        facts = [Fact(self.marked, 0, "$accent"), Fact(self.follows, 0, "$live"), Fact("read-only", 1)]
        header = self.opened.ledger.header if self.opened is not None else None
        if header is not None:
            cwd = tilde(header.cwd, str(home_folder()))
            facts += [Fact(cwd, 4), Fact(header.model_id, 3), Fact(header.permission_mode, 2)]
        self.header.facts = tuple(facts)

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
        self.verdict.shown = Shown(facts, what_if, zone=self.times.zone)

    def fill_timeline(self) -> None:
        """Give the timeline its rows, as the present prefix, filter and search have them."""
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
            partials=self.beside.partials if self.beside is not None and self.kept is None else (),
            supposed=marks.keys() - whole.doubts.marks.keys(),
            calm=whole.facts.live,
            notes=self.arrangement.wide,
            times=self.times,
            kept=self.kept,
            nothing=self.nothing,
            pattern=self.pattern,
            hits=self.visible_hits,
            linked=self.beside is not None,
        )
        self.rows = TimelineRows(view, self.app.signs)
        self.timeline.source = self.rows

    def fill_operations(self) -> None:
        """Give the list of operations its rows."""
        if self.opened is None or self.decided is None:
            return
        calm = self.opened.whole.facts.live or self.decided.inspection.what_if
        headings = not self.arrangement.docked
        view = OperationView(self.opened.ledger, self.decided.operations, headings=headings, calm=calm)
        self.operation_rows = OperationRows(view, self.app.signs)
        self.operations.source = self.operation_rows
        self.listed = self.operation_rows.number_of(self.operations.cursor)

    def show_headings(self) -> None:
        """Say how many events and operations there are, and how times are written."""
        if self.opened is None or self.decided is None:
            return
        ledger, wide = self.opened.ledger, not self.arrangement.docked
        count, rows = len(ledger), len(ledger.rows) - (ledger.torn_tail is not None)
        events = f"{count:,}" if count == rows else f"{count:,} of {rows:,}"
        times = self.times
        said = times.heading(times.start_ms)
        self.timeline_heading.note = f"{events} event{'' if count == 1 else 's'}  {said}".rstrip() if wide else events
        self.timeline_heading.right = "" if self.kept is None else f"{len(self.kept):,} shown"
        self.operations_heading.note = f"{len(self.decided.operations):,}"

    def times_changed(self) -> None:
        """Write every time anew."""
        self.fill_timeline()
        self.show_headings()
        self.show_verdict()
        self.choose(self.timeline.cursor)


def _later(age_ms: float | None, passed_ms: float) -> float | None:
    return None if age_ms is None else age_ms + passed_ms
