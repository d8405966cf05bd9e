"""The help: the keys that work on the screen below it, and what the signs mean. Made from the tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from core import Entry

from ..cells import pad
from ..command import Command, Group
from ..commands import BY_ID, COMMANDS
from ..styles import DISPOSITIONS, PARTIAL, STATUSES, STRIP, TORN_ROW, VERDICTS, Look, Signs
from ..widgets.lines import Line, wrapped
from ..widgets.row_source import Rows
from ..widgets.rules import RuleHeading
from ..widgets.virtual_list import VirtualList
from .base import Dialog

KEYS_WIDTH = 18
WIDTH = 70
"""Cells of a line of text."""


class HelpScreen(Dialog[None]):
    """A list of commands by group, and a legend. The keys that open it close it too."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding(",".join(BY_ID["help"].keys), "close", show=False)]

    def __init__(self, command_ids: Iterable[str], *, signs: Signs, codes: Sequence[Entry] = ()) -> None:
        """Explain some commands of the table, in its order, and the codes that are on the screen."""
        super().__init__()
        wanted = frozenset(command_ids)
        self._commands = [command for command in COMMANDS if command.id in wanted]
        self._signs = signs
        self._codes = codes

    def compose(self) -> ComposeResult:
        """Lay the list out."""
        rows = [*self._keys(), *self._glossary(), *self._legend()]
        with Vertical():
            heading = RuleHeading("Help", "esc closes", signs=self._signs)
            heading.lit = True
            yield heading
            yield VirtualList(Rows(rows), signs=self._signs)

    def _keys(self) -> Iterator[Content]:
        for group in Group:
            commands = [command for command in self._commands if command.group is group]
            if commands:
                yield _heading(group.value)
                yield from map(_command, commands)
                yield Content("")

    def _glossary(self) -> Iterator[Content]:
        if not self._codes:
            return
        yield _heading("Codes on the screen")
        for found in self._codes:
            open_ends = f" The ledger does not show {found.not_shown}" if found.not_shown else ""
            yield Content.assemble("  ", (found.code, "$accent"), "  ", (found.title, "$ink"))
            yield from wrapped(Line(Content.styled(f"    {found.proves}{open_ends}", "$muted"), 4), WIDTH)
        yield Content("")

    def _legend(self) -> Iterator[Content]:
        yield _heading("Signs")
        looks = (*DISPOSITIONS.values(), *VERDICTS.values(), *STATUSES.values(), TORN_ROW, PARTIAL)
        for look in dict.fromkeys(looks):
            yield self._look(look)
        yield Content("")
        yield _heading("Strip beside the timeline")
        for look in STRIP.values():
            yield self._look(look)

    def _look(self, look: Look) -> Content:
        return Content.assemble("  ", (self._signs.of(look), look.style), "  ", (look.word, look.word_style))


def _heading(words: str) -> Content:
    return Content.styled(words, "bold $ink")


def _command(command: Command) -> Content:
    return Content.assemble("  ", (pad(command.keys_in_words, KEYS_WIDTH), "$accent"), "  ", (command.tooltip, "$ink"))
