"""The dialog that saves: what, and where to. It writes in a thread, and says in one line what went wrong."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Input, Static

from core import CoreError, printable

from ..cells import pad
from ..saves import Save, free_place
from ..state_folder import home_folder, tilde
from ..styles import Signs
from ..widgets.field import Field
from ..widgets.row_source import Rows
from ..widgets.rules import RuleHeading
from ..widgets.virtual_list import VirtualList
from .base import Dialog

NAME_WIDTH = 18


class SaveScreen(Dialog[str]):
    """Dismissed with what was written, in a sentence."""

    rows = query_one(VirtualList)
    field = query_one(Field)
    told = query_one("#told", Static)

    def __init__(self, offers: Sequence[Save], folder: Path, why: str, *, signs: Signs) -> None:
        """Offer to save; `why` says why `folder` is not the current one."""
        super().__init__()
        self._offers = offers
        self._folder = folder
        self._why = why
        self._signs = signs
        self._usual = ""
        self._writing = False

    def compose(self) -> ComposeResult:
        """Lay the dialog out."""
        rows = [
            Content.assemble((pad(offer.name, NAME_WIDTH), "$ink"), "  ", (printable(offer.what, limit=200), "$muted"))
            for offer in self._offers
        ]
        with Vertical(classes="ask"):
            heading = RuleHeading("Save", "enter writes, tab to the place, esc closes", signs=self._signs)
            heading.lit = True
            yield heading
            yield VirtualList(Rows(rows, ellipsis=self._signs.ellipsis), signs=self._signs)
            yield Field("", "where to")
            yield Static(id="told", markup=False)
            hint = (
                f"A private folder: {self._why}." if self._why else "A new file, never in the workspace that is read."
            )
            yield Static(Content.styled(printable(hint, limit=200), "$muted"), id="hint", markup=False)

    def on_mount(self) -> None:
        """Begin with the first offer."""
        self.rows.focus()

    @on(VirtualList.Highlighted)
    def _highlighted(self, message: VirtualList.Highlighted) -> None:
        """Name the place, unless somebody named another one."""
        message.stop()
        if self.field.value == self._usual:
            place = tilde(str(free_place(self._folder, self._offers[message.index])), str(home_folder()))
            self._usual = self.field.value = printable(place)
        self.tell("")

    @on(VirtualList.Selected)
    def _selected(self, message: VirtualList.Selected) -> None:
        message.stop()
        self._begin()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._begin()

    @on(Field.Cancelled)
    def _cancelled(self, event: Field.Cancelled) -> None:
        event.stop()
        self.dismiss(None)

    def _begin(self) -> None:
        save, typed = self._offers[max(self.rows.cursor, 0)], self.field.value.strip()
        if self._writing or not typed:
            return
        usual = typed == self._usual
        # Path.expanduser raises where there is no such user: then it is a name like any other.
        path = free_place(self._folder, save) if usual else Path(os.path.expanduser(typed))  # noqa: PTH111
        self._writing = True
        self.tell("writing it")
        self._write(save, path, why=self._why if usual else "")

    @work(thread=True, exit_on_error=False, group="save", description="save")
    def _write(self, save: Save, path: Path, *, why: str) -> None:
        try:
            save.write(path)
        except CoreError as error:
            hint = error.hint if error.hint and not error.hint.startswith("--") else ""
            said = f"{error.message}{f': {hint}' if hint else ''}"
        except OSError as error:
            said = error.strerror or type(error).__name__
        except Exception as error:  # a fault of ours, too, is told and ends nothing
            said = f"a fault of maka-ledger's own: {type(error).__name__}: {error}"
        else:
            place = tilde(str(path), str(home_folder()))
            said = f"{save.name}: written to {place}{f', since {why}' if why else ''}"
            self.app.call_from_thread(self._ended, said, done=True)
            return
        self.app.call_from_thread(self._ended, said, done=False)

    def _ended(self, said: str, *, done: bool) -> None:
        self._writing = False
        if not self.is_current:
            # Closed meanwhile: the person hears of it all the same.
            self.app.notify(printable(said, limit=600), markup=False, severity="information" if done else "warning")
        elif done:
            self.dismiss(said)
        else:
            self.tell(said, wrong=True)

    def tell(self, said: str, *, wrong: bool = False) -> None:
        """Say how it stands, in one line."""
        self.told.update(Content.styled(printable(said, limit=300), "$evidence" if wrong else "$ink"))
