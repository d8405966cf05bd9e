"""What is seen while a workspace takes long to open, and where it could not be opened at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from textual import work
from textual.app import ComposeResult
from textual.getters import query_one
from textual.screen import Screen
from textual.widgets import Static

from core import CoreError, printable

from ..state_folder import home_folder, tilde
from ..widgets.bars import Fact, FooterBar, HeaderBar
from ..widgets.problem import Problem
from .base import BaseScreen

if TYPE_CHECKING:
    from ..app import ViewerApp

T = TypeVar("T")


class OpeningScreen(BaseScreen[None], Generic[T]):
    """Waits for a workspace; the screen that shows it comes over this one for good."""

    app: ViewerApp
    passing = True
    header = query_one(HeaderBar)

    def __init__(self, path: str, future: Future[T], show: Callable[[T], Screen[Any]]) -> None:
        """Wait for `future`; `show` makes the next screen from what it brings."""
        super().__init__()
        self.path = path
        """What is opened."""
        self._future = future
        self._show = show

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        yield HeaderBar(signs=self.app.signs)
        path = printable(self.path, limit=500)
        yield Static(f"Opening {path}\nNothing there is written to.", id="opening", markup=False)
        yield FooterBar(signs=self.app.signs)

    def on_mount(self) -> None:
        """Say what is opened and wait."""
        self.header.crumbs = (tilde(self.path, str(home_folder())),)
        self.header.facts = (Fact("read-only"),)
        self._wait()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer no other pane, since there is none."""
        del parameters
        return action not in ("next_pane", "previous_pane")

    @work(exclusive=True, exit_on_error=False, group="opening", description="wait for the workspace")
    async def _wait(self) -> None:
        try:
            opened = await asyncio.wrap_future(self._future)
        except CoreError as error:
            self.add_class("-failed")
            self.mount(Problem("This cannot be opened", error, signs=self.app.signs), after=self.header)
            return
        self.app.push_screen(self._show(opened))
