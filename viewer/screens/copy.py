"""What can be copied of the run: a short list to choose from."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from core import printable

from ..cells import pad
from ..copies import Copy
from ..styles import Signs
from ..widgets.row_source import Rows
from ..widgets.rules import RuleHeading
from ..widgets.virtual_list import VirtualList
from .base import Dialog

NAME_WIDTH = 20


class CopyScreen(Dialog[Copy]):
    """Dismissed with what was chosen."""

    def __init__(self, offers: Sequence[Copy], *, signs: Signs) -> None:
        """Offer copies."""
        super().__init__()
        self._offers = offers
        self._signs = signs

    def compose(self) -> ComposeResult:
        """Lay the list out."""
        rows = [
            Content.assemble((pad(offer.name, NAME_WIDTH), "$ink"), "  ", (printable(offer.what, limit=200), "$muted"))
            for offer in self._offers
        ]
        with Vertical():
            heading = RuleHeading("Copy", "enter copies, esc closes", signs=self._signs)
            heading.lit = True
            yield heading
            yield VirtualList(Rows(rows, ellipsis=self._signs.ellipsis), signs=self._signs)

    @on(VirtualList.Selected)
    def _selected(self, message: VirtualList.Selected) -> None:
        message.stop()
        self.dismiss(self._offers[message.index])
