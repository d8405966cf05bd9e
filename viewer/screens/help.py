"""The help: the keys that work on the screen below it, what the signs mean, and every code. It can be searched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Input

from core import FAMILIES, GLOSSARY, Entry

from ..cells import pad
from ..command import Command, Context, Group
from ..commands import COMMANDS, bindings_for
from ..styles import BEING_WRITTEN, DISPOSITIONS, PARTIAL, STATUSES, STRIP, TORN_ROW, VERDICTS, Look, Signs
from ..widgets.field import Field
from ..widgets.lines import Line, wrapped
from ..widgets.row_source import Rows
from ..widgets.rules import RuleHeading
from ..widgets.virtual_list import VirtualList
from .base import Dialog

KEYS_WIDTH: Final = 18
WIDTH: Final = 70
"""Cells of a line of text, at most."""

_FRAME: Final = 6
"""Cells around the lines."""

_FAMILIES: Final = {
    "rejection": "Rejection reasons: why a plan is blocked, rolled up",
    "diagnostic": "Diagnostics: the answer to why",
    "status": "States of a tool call",
    "reason": "Reasons of a state",
    "issue": "Contradictions between rows",
    "finding": "Remarks on the storage",
}


class HelpScreen(Dialog[None]):
    """A list of commands by group, a legend, and the glossary. The keys that open it close it too."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.HELP)

    field = query_one(Field)
    rows = query_one(VirtualList)

    def __init__(self, command_ids: Iterable[str], *, signs: Signs, codes: Sequence[Entry] = ()) -> None:
        """Explain some commands of the table, in its order, and the codes that are on the screen first."""
        super().__init__()
        wanted = frozenset(command_ids)
        self._commands = [command for command in COMMANDS if command.id in wanted]
        self._signs = signs
        self._codes = codes

    def compose(self) -> ComposeResult:
        """Lay the list out."""
        with Vertical():
            heading = RuleHeading("Help", "/ looks up a key or a code, esc closes", signs=self._signs)
            heading.lit = True
            yield heading
            yield Field(placeholder="a key, a word, or a code")
            yield VirtualList(Rows(), signs=self._signs)

    def on_mount(self) -> None:
        """Show everything."""
        self.field.display = False
        self._fill("")
        self.rows.focus()

    def on_resize(self) -> None:
        """Wrap for the new size."""
        self._fill(self.field.value)

    def action_look_up(self) -> None:
        """Open the field."""
        self.field.display = True
        self.field.focus()

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._fill(event.value)
        self.rows.action_top()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.rows.focus()

    @on(Field.Cancelled)
    def _cancelled(self, event: Field.Cancelled) -> None:
        event.stop()
        self.field.value = ""
        self.field.display = False
        self.rows.focus()

    def _fill(self, text: str) -> None:
        words = text.casefold().split()
        width = max(min(WIDTH, self.app.size.width - _FRAME), 20)
        rows = list(_found(self._commands, words, width) if words else self._everything(width))
        self.rows.source = Rows(rows or [Content.styled("No key and no code has that.", "$ink")])

    def _everything(self, width: int) -> Iterator[Content]:
        for group in Group:
            commands = [command for command in self._commands if command.group is group]
            if commands:
                yield _heading(group.value)
                yield from map(_command, commands)
                yield Content("")
        if self._codes:
            yield _heading("Codes on the screen")
            yield from chain.from_iterable(_entry(found, width) for found in self._codes)
            yield Content("")
        yield from self._legend()
        for family in FAMILIES:
            yield Content("")
            yield _heading(_FAMILIES[family])
            entries = (found for found in GLOSSARY.values() if found.family == family)
            yield from chain.from_iterable(_entry(found, width) for found in entries)

    def _legend(self) -> Iterator[Content]:
        yield _heading("Signs")
        looks = (*DISPOSITIONS.values(), *VERDICTS.values(), *STATUSES.values(), TORN_ROW, BEING_WRITTEN, PARTIAL)
        for look in dict.fromkeys(looks):
            yield self._look(look)
        yield Content("")
        yield _heading("Strip beside the timeline")
        for look in STRIP.values():
            yield self._look(look)

    def _look(self, look: Look) -> Content:
        return Content.assemble("  ", (self._signs.of(look), look.style), "  ", (look.word, look.word_style))


def _found(commands: Iterable[Command], words: Sequence[str], width: int) -> Iterator[Content]:
    """Give the commands and the codes that have every word."""
    for command in commands:
        said = f"{command.keys_in_words} {command.title} {command.tooltip}".casefold()
        if all(word in said for word in words):
            yield _command(command)
    for found in GLOSSARY.values():
        said = " ".join((found.code, found.family, found.title, found.proves, found.not_shown)).casefold()
        if all(word in said for word in words):
            yield from _entry(found, width, steps=True)


def _heading(words: str) -> Content:
    return Content.styled(words, "bold $ink")


def _command(command: Command) -> Content:
    return Content.assemble("  ", (pad(command.keys_in_words, KEYS_WIDTH), "$accent"), "  ", (command.tooltip, "$ink"))


def _entry(found: Entry, width: int, *, steps: bool = False) -> Iterator[Content]:
    open_ends = f" The ledger does not show {found.not_shown}" if found.not_shown else ""
    head = Content.assemble("  ", (found.code, "$accent"), "  ", (found.title, "$ink"))
    yield from wrapped(Line(head, 4), width)
    yield from wrapped(Line(Content.styled(f"    {found.proves}{open_ends}", "$muted"), 4), width)
    for number, step in enumerate(found.to_do if steps else (), start=1):
        yield from wrapped(Line(Content.styled(f"    {number} {step}", "$muted"), 6), width)
