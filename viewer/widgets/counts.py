"""How many runs have which verdict, in one line: the doubt loud, the rest in its colours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from ..styles import UNICODE, VERDICTS, Look, Signs


class Counts(Struct, frozen=True):
    """What the line says."""

    verdicts: Mapping[str, int]
    continued: int = 0
    """How many of those that may have run are continued by a later run."""


class CountsLine(Widget):
    """The counts, most urgent first; the replayable runs stand at the right end, where they do not shout."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"counts--pill"}
    DEFAULT_CSS = """
    CountsLine {
        height: 1;
        color: $muted;
        & > .counts--pill {
            background: $pill-background; color: $pill-foreground; text-style: $pill-text-style;
        }
    }
    """

    counts: reactive[Counts] = reactive(Counts({}), layout=False)

    class Wanted(Message):
        """A verdict was clicked: its runs are wanted."""

        def __init__(self, verdict: str) -> None:
            super().__init__()
            self.verdict = verdict

    def __init__(self, *, signs: Signs = UNICODE, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._signs = signs
        self._spots: list[tuple[range, str]] = []

    def on_click(self, event: events.Click) -> None:
        """Tell which verdict was clicked."""
        for spot, verdict in self._spots:
            if event.x in spot:
                event.stop()
                self.post_message(self.Wanted(verdict))
                return

    def render(self) -> Content:
        """Lay the line out; words give way from the least urgent on, signs and numbers never."""
        counts, width = self.counts, self.size.width
        items = [(look, count) for verdict, look in VERDICTS.items() if (count := counts.verdicts.get(verdict))]
        continued, words = counts.continued, len(items)
        steps = [("   ", continued, words), ("  ", continued, words), ("  ", 0, words)]
        steps += [("  ", 0, kept) for kept in range(words - 1, -1, -1)]
        for gap, continued, words in steps:
            left, right = self._parts(items, gap, continued, words)
            if left.cell_length + right.cell_length + 3 <= width:
                break
        blanks = max(0, width - left.cell_length - right.cell_length - 1)
        if right:
            self._spots.append((range(width - right.cell_length - 1, width), "replayable"))
        return Content.assemble(left, " " * blanks, right)

    def _parts(self, items: list[tuple[Look, int]], gap: str, continued: int, words: int) -> tuple[Content, Content]:
        left, right = Content(""), Content("")
        verdicts = {id(look): verdict for verdict, look in VERDICTS.items()}
        self._spots.clear()
        for place, (look, count) in enumerate(items):
            word = f" {look.word.lower()}" if place < words else ""
            said = Content.assemble((self._signs.of(look), look.style), (f" {count:,}{word}", look.word_style))
            if look is VERDICTS["replayable"] and len(items) > 1:
                right = said
            elif look is VERDICTS["may_have_run"]:
                more = f" ({continued:,} continued)" if continued else ""
                left = Content.assemble((f" {said.plain} ", self._pill), more)
                self._spots.append((range(left.cell_length), verdicts[id(look)]))
            else:
                start = left.cell_length
                left = Content.assemble(left, gap if left else " ", said)
                self._spots.append((range(start, left.cell_length), verdicts[id(look)]))
        return left, right

    @property
    def _pill(self) -> Style:
        # The visual style of Textual 8.2.8 leaves out the reverse that the terminal's own colours depend on.
        style = self.get_visual_style("counts--pill")
        return style + Style(reverse=True) if self.get_component_rich_style("counts--pill").reverse else style
