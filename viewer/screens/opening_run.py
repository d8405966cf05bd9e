"""What is seen of a run before what reads and decides is loaded: its panes, still empty, and what is being opened."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from textual.app import ComposeResult
from textual.containers import Container
from textual.getters import query_one
from textual.screen import Screen
from textual.widgets import Static

from core import printable

from ..cells import cut_middle
from ..run_layout import OPERATIONS, PAGES, TABS, TIMELINE, layout_for, operations_height
from ..widgets.bars import FooterBar, HeaderBar
from ..widgets.pane import Pane
from ..widgets.rules import RuleHeading, TabHeading, UprightRule
from .opening import OpeningScreen

T = TypeVar("T")


class OpeningRunScreen(OpeningScreen[T]):
    """Stands where the screen of the run will stand, as that looks until its ledger is read."""

    panes = query_one("#panes", Container)
    upright = query_one(UprightRule)
    tabs = query_one("#tabs", TabHeading)

    def __init__(
        self, path: str, future: Future[T], show: Callable[[T], Screen[Any]], begin: Callable[[], None]
    ) -> None:
        """Wait for `future`; `begin`, which begins the opening, is called when the first frame is there."""
        super().__init__(path, future, show)
        self._begin = begin

    def compose(self) -> ComposeResult:
        """Lay the screen out as the run's will be."""
        signs = self.app.signs
        yield HeaderBar(signs=signs)
        path = cut_middle(printable(self.path, limit=4096), self.app.size.width - 12, signs.ellipsis)
        yield Static(f" Opening {path}{signs.ellipsis}", id="opening-run", markup=False)
        yield TabHeading(PAGES, signs=signs, id="pages")
        with Container(id="panes"):
            yield Pane(RuleHeading(TIMELINE, signs=signs), id="timeline-pane", classes="-shown")
            yield UprightRule(signs=signs, id="upright")
            yield Pane(RuleHeading(OPERATIONS, signs=signs), id="operations-pane")
            yield Pane(TabHeading(TABS, signs=signs, id="tabs"), id="detail-pane")
        yield FooterBar(signs=signs)

    def on_mount(self) -> None:
        """Show the frame, then begin."""
        self.lay_out()
        self.call_after_refresh(self._begin)

    def on_resize(self) -> None:
        """Lay the panes out for the new size."""
        self.lay_out()

    def lay_out(self) -> None:
        """Lay the panes out for the present size, with no row in any."""
        width, height = self.app.size
        arrangement = layout_for(width, height)
        self.set_class(arrangement.docked, "-docked")
        self.set_class(arrangement.single, "-single")
        joints = {0: self.app.signs.joint_down}
        if arrangement.wide:
            top = operations_height(0, height - 5)
            joints[top] = self.app.signs.joint_right
            self.panes.styles.grid_rows = f"{top} 1fr"
        elif arrangement.docked:
            self.panes.styles.grid_rows = "11fr 9fr"
        self.upright.joints = joints
        self.tabs.joint = self.upright.region.x if arrangement.docked else None
