"""Dialogs that ask for one line: a place to go to, or how many events a ledger must have."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.screen import ScreenResultType
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from core import CoreError, Expectation, Ledger, expectation, locate, printable

from ..command import Context
from ..commands import bindings_for
from ..styles import Signs
from ..widgets.field import Field
from ..widgets.rules import RuleHeading
from .base import Dialog

_MOST_DIGITS = 15


class AskScreen(Dialog[ScreenResultType]):
    """A heading, a field, and a line or two that say what is understood, or what is wrong."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.DIALOG)

    field = query_one(Field)
    told = query_one("#told", Static)

    def __init__(self, title: str, note: str, value: str, placeholder: str, hint: str, *, signs: Signs) -> None:
        super().__init__()
        self._title = title
        self._note = note
        self._value = value
        self._placeholder = placeholder
        self._hint = hint
        self._signs = signs

    def compose(self) -> ComposeResult:
        """Lay the dialog out."""
        with Vertical(classes="ask"):
            heading = RuleHeading(self._title, self._note, signs=self._signs)
            heading.lit = True
            yield heading
            yield Field(self._value, self._placeholder)
            yield Static(id="told", markup=False)
            yield Static(Content.styled(self._hint, "$muted"), id="hint", markup=False)

    def on_mount(self) -> None:
        """Be ready to be typed into."""
        self.field.focus()

    def tell(self, said: str, *, wrong: bool = False) -> None:
        """Say what is understood, or what is wrong."""
        self.told.update(Content.styled(printable(said, limit=400), "$evidence" if wrong else "$ink"))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.typed(event.value.strip())

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.entered(event.value.strip())

    @on(Field.Cancelled)
    def _cancelled(self, event: Field.Cancelled) -> None:
        event.stop()
        self.dismiss(None)

    def typed(self, text: str) -> None:
        """Take note of a text that may not be whole yet."""
        del text
        self.tell("")

    def entered(self, text: str) -> None:
        """Do what the text asks for."""
        raise NotImplementedError


class GoToScreen(AskScreen[int]):
    """Dismissed with the row to go to. An id is searched for in a thread; typing on ends that."""

    def __init__(self, ledger: Ledger, *, local: bool = False, signs: Signs) -> None:
        """Ask for a place in a ledger; `local` takes times in the zone of this machine."""
        hint = "13 or #13, an event's id or how it begins, 12:00:21 or 2026-11-29 12:00"
        note = f"of {len(ledger):,}, enter goes, esc closes"
        super().__init__("Go to event", note, "", "number, id or time", hint, signs=signs)
        self._ledger = ledger
        self._local = local

    def typed(self, text: str) -> None:
        """End a search for another text."""
        super().typed(text)
        self.workers.cancel_group(self, "locate")

    def entered(self, text: str) -> None:
        """Search for the place."""
        self.tell("looking for it")
        self._locate(text)

    @work(thread=True, exclusive=True, exit_on_error=False, group="locate", description="find a place")
    def _locate(self, text: str) -> None:
        worker = get_current_worker()

        def stopped() -> bool:
            return worker.is_cancelled

        try:
            row = locate(self._ledger, text, None, stopped) if self._local else locate(self._ledger, text, stop=stopped)
        except CoreError as error:
            self._answer(None, f"{error.message}{f': {error.hint}' if error.hint else ''}", stopped)
        else:
            self._answer(row, "", stopped)

    def _answer(self, row: int | None, said: str, stopped: Callable[[], bool]) -> None:
        if not stopped():
            self.app.call_from_thread(self._located, row, said)

    def _located(self, row: int | None, said: str) -> None:
        if row is None:
            self.tell(said, wrong=True)
        elif self.is_current:
            self.dismiss(row)


class Expected(Struct, frozen=True):
    """An answer: how many committed events the ledger must have; None where nothing is expected any longer."""

    events: int | None


class ExpectScreen(AskScreen[Expected]):
    """Dismissed with how many committed events the ledger must have."""

    def __init__(self, ledger: Ledger, present: int | None, *, signs: Signs) -> None:
        """Ask about a ledger; `present` is what is expected now."""
        super().__init__(
            "Expected high-water",
            "enter holds the run to it, esc closes",
            "" if present is None else str(present),
            "how many committed events a checkpoint names",
            "Any other number blocks replay by a reason of its own. Empty: nothing is expected.",
            signs=signs,
        )
        self._ledger = ledger

    def typed(self, text: str) -> None:
        """Compare at once: it takes one row at most."""
        events = _number(text)
        if events is None:
            self.tell(f"{text!r} is not a number of events" if text else "", wrong=True)
            return
        found = expectation(self._ledger, events)
        self.tell(expectation_line(found), wrong=not found.agrees)

    def entered(self, text: str) -> None:
        """Answer."""
        events = _number(text)
        if events is not None or not text:
            self.dismiss(Expected(events))


def expectation_line(found: Expectation) -> str:
    """Say what is expected, what is there, and where they part."""
    if found.agrees:
        return f"expected {found.expected:,}, found {found.found:,}: the same"
    return f"expected {found.expected:,}, found {found.found:,}: {found.says}"


def _number(text: str) -> int | None:
    digits = text.replace(",", "").removeprefix("#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS else None
