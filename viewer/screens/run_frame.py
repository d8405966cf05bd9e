"""The frame of a run's screen: its panes for every size of the terminal, and the threads that read for it."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.getters import query_one
from textual.worker import get_current_worker

from core import CoreError, PartialSnapshot, RowsSoFar, Run, TimeScale, Workspace, partial_lines

from ..command import Context
from ..commands import bindings_for
from ..loading import Stopped, WhileLong, watch
from ..run_layout import OPERATIONS, PAGES, TABS, TIMELINE, RunLayout, layout_for, operations_height
from ..run_messages import (
    BesideRead,
    DetailRead,
    LedgerFailed,
    LedgerGrown,
    LedgerOpened,
    LedgerProgress,
    PrefixDecided,
    PrefixFailed,
)
from ..run_reading import Chosen, Decided, Detail, Opened, decide, open_run, read_detail
from ..widgets.bars import Fact, FooterBar, HeaderBar
from ..widgets.find_bar import FindBar
from ..widgets.lines import LineList
from ..widgets.pane import Pane
from ..widgets.row_source import Rows
from ..widgets.rules import RuleHeading, TabHeading, UprightRule
from ..widgets.timeline import TimelineList
from ..widgets.verdict import VerdictBlock
from ..widgets.virtual_list import VirtualList
from .finding import FindingScreen


class RunFrame(FindingScreen):
    """Lays out and reads; what is read comes back as messages."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.RUN)

    header = query_one(HeaderBar)
    verdict = query_one(VerdictBlock)
    pages = query_one("#pages", TabHeading)
    panes = query_one("#panes", Container)
    upright = query_one(UprightRule)
    timeline = query_one("#timeline", TimelineList)
    timeline_heading = query_one("#timeline-heading", RuleHeading)
    operations = query_one("#operations", VirtualList)
    operations_heading = query_one("#operations-heading", RuleHeading)
    tabs = query_one("#tabs", TabHeading)
    detail = query_one("#detail", LineList)

    opened: Opened | None = None
    """The ledger; None until it is read."""
    so_far: RowsSoFar | None = None
    """The rows that are shown while it is read; None before, and where that is done soon."""
    decided: Decided | None = None
    """The prefix whose operations and answers are shown."""
    asked: int | None = None
    """Length of the prefix that was asked about; None for the ledger as it is."""
    chosen: Chosen | None = None
    """What is under the cursor of the timeline."""
    said: Detail | None = None
    """What is said about it."""
    beside: BesideRead | None = None
    """What lies beside the ledger."""
    page = TIMELINE
    """The pane that a narrow screen shows."""

    def __init__(
        self,
        run: Run,
        *,
        title: str | None,
        place: str,
        workspace: Workspace | None = None,
        expected_high_water: int | None = None,
        at: str | None = None,
    ) -> None:
        """Prepare the screen; nothing is read yet.

        Args:
            run: the run. Its ledger is closed with the screen; the workspace around it is the caller's.
            title: the name of its session.
            place: the name of the workspace.
            workspace: the workspace, where other runs of it shall be reached.
            expected_high_water: how many committed events the ledger must have.
            at: number, id or time of the event to begin at.

        """
        super().__init__()
        self.subject = run
        self.place = place
        self.read_workspace = workspace
        self.expected = expected_high_water
        self.arrangement = RunLayout(wide=True, docked=False)
        self._crumbs = tuple(crumb for crumb in (place, title or run.session_id, run.run_id) if crumb)
        self._at = at

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        signs = self.app.signs
        yield HeaderBar(signs=signs)
        yield VerdictBlock(signs=signs)
        yield TabHeading(PAGES, signs=signs, id="pages")
        with Container(id="panes"):
            heading = RuleHeading(TIMELINE, signs=signs, id="timeline-heading")
            yield Pane(heading, TimelineList(Rows(), signs=signs, id="timeline"), id="timeline-pane")
            yield UprightRule(signs=signs, id="upright")
            heading = RuleHeading(OPERATIONS, signs=signs, id="operations-heading")
            yield Pane(heading, VirtualList(Rows(), signs=signs, id="operations"), id="operations-pane")
            tabs = TabHeading(TABS, signs=signs, id="tabs")
            yield Pane(tabs, LineList(signs=signs, id="detail"), id="detail-pane")
        yield FindBar(signs=signs)
        yield FooterBar(signs=signs)

    def on_mount(self) -> None:
        """Show the frame, then start to read."""
        self.pages.lit = True
        self.header.crumbs = self._crumbs
        self.header.facts = (Fact("read-only"),)
        self.lay_out()
        self.timeline.focus()
        self.call_after_refresh(self.read)

    def on_resize(self) -> None:
        """Lay the panes out for the new size."""
        self.lay_out()

    @property
    def times(self) -> TimeScale:
        """How times are written."""
        shown = self.opened.ledger if self.opened is not None else self.so_far
        times = shown.rows.times[:64] if shown is not None else ()
        return TimeScale(self.app.times, next((ts for ts in times if ts == ts), None), self.app.now_ms())

    def lay_out(self) -> None:
        """Lay the panes out for the present size and lists."""
        width, height = self.app.size
        self.arrangement = layout_for(width, height)
        self.set_class(self.arrangement.docked, "-docked")
        self.set_class(self.arrangement.single, "-single")
        joints = {0: self.app.signs.joint_down}
        if self.arrangement.wide:
            top = operations_height(len(self.operations.source), height - 5)
            joints[top] = self.app.signs.joint_right
            self.panes.styles.grid_rows = f"{top} 1fr"
        elif self.arrangement.docked:
            self.panes.styles.grid_rows = "11fr 9fr"
        self.upright.joints = joints
        zoomed = self.has_class("-zoomed")
        self.tabs.joint = self.upright.region.x if self.arrangement.docked and not zoomed else None

    # Threads

    @work(thread=True, exclusive=True, exit_on_error=False, group="ledger", description="read the ledger")
    def read(self) -> None:
        """Read and decide the run."""
        worker = get_current_worker()

        def report(done: int, total: int) -> None:
            self.post_message(LedgerProgress(done, total))

        try:
            progress = watch(lambda: worker.is_cancelled, report)
            place = self.app.memory.run(self.subject.session_id, self.subject.run_id)
            so_far = WhileLong(lambda rows: self.post_message(LedgerGrown(rows)))
            reader = partial(self.app.helpers.read, so_far=so_far)
            opened = open_run(self.subject, self.app.now_ms(), self.expected, progress, self._at, place, reader)
        except Stopped:
            return
        except CoreError as error:
            self.post_message(LedgerFailed(error))
        except Exception as error:  # a fault of ours, too, ends in a sentence on the screen
            said = f"a fault of maka-ledger's own: {type(error).__name__}: {error}"
            self.post_message(LedgerFailed(CoreError(said, code="tool_fault", hint="q goes back")))
        else:
            if not self.post_message(LedgerOpened(opened)):
                opened.ledger.close()

    @work(thread=True, exclusive=True, exit_on_error=False, group="beside", description="read what lies beside")
    def read_beside(self, opened: Opened) -> None:
        """Read what streams were not finished, and which permissions belong to which calls."""
        partials: tuple[tuple[PartialSnapshot, str], ...] = ()
        # Where the storage went away, what was read before is still shown.
        with suppress(CoreError):
            opened.links.complete()
            partials = partial_lines(opened.ledger)
        self.post_message(BesideRead(partials))

    @work(thread=True, exclusive=True, exit_on_error=False, group="prefix", description="decide a prefix")
    def decide(self, opened: Opened, high_water: int | None) -> None:
        """Decide a shorter prefix, or the whole ledger anew."""
        expected = self.expected if high_water is None else None
        try:
            decided = decide(opened.ledger, self.app.now_ms(), high_water=high_water, expected_high_water=expected)
        except CoreError as error:
            self.post_message(PrefixFailed(error))
        else:
            self.post_message(PrefixDecided(decided))

    @work(thread=True, exclusive=True, exit_on_error=False, group="detail", description="read what is chosen")
    def read_detail(self, decided: Decided, chosen: Chosen) -> None:
        """Read what is said about what is under the cursor."""
        self.post_message(DetailRead(read_detail(decided, chosen, self.times.zone)))
