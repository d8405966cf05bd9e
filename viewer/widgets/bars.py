"""The lines at the edges of a screen: where we are above, what can be done below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input

from core import printable

from ..cells import cut, cut_middle
from ..command import Context, Shown
from ..commands import BY_ID
from ..styles import UNICODE, Signs

if TYPE_CHECKING:
    from textual.screen import Screen

WIDE = 100
"""From this width on, facts and panes stand further apart."""

MOST = 8
"""Commands in the footer: nobody reads more; the help has all of them."""


_LONGEST: Final = 4096
"""Characters of a crumb that are looked at: a path is cut in its middle, so that its end must be known."""

_LASTING: Final = 1
"""The greatest rank of a fact for which the crumbs are cut, down to half of the width."""


class Fact(Struct, frozen=True):
    """A short remark at the right of the header."""

    text: str
    rank: int = 0
    """Where room is short, the greatest rank gives way first."""
    style: str = ""
    """How it is drawn, where not as quiet as the others."""


class HeaderBar(Widget):
    """Crumbs at the left, facts at the right; most facts give way first, then the crumbs before the last."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "HeaderBar { height: 1; background: $bar; color: $muted; }"

    crumbs: reactive[tuple[str, ...]] = reactive((), layout=False)
    """Where we are, from the outside in; any text."""
    facts: reactive[tuple[Fact, ...]] = reactive((), layout=False)
    """What else holds here; any text."""

    def __init__(self, *, signs: Signs = UNICODE, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._signs = signs

    def render(self) -> Content:
        """Lay the line out for the present width."""
        width = self.size.width
        crumbs = [printable(crumb, limit=_LONGEST) for crumb in self.crumbs]
        facts = [Fact(printable(fact.text, limit=width), fact.rank, fact.style) for fact in self.facts if fact.text]
        gap = "   " if width >= WIDE else "  "
        trail = sum(cell_len(crumb) + 3 for crumb in crumbs)
        while facts:
            last = max(reversed(facts), key=lambda fact: fact.rank)
            # A long path is known by its ends; that nothing is written must stand there whole.
            least = trail if last.rank > _LASTING else min(trail, width // 2)
            if 1 + least + len(gap) + _width(facts, gap) <= width:
                break
            facts.remove(last)
        right = Content(gap).join(Content.styled(fact.text, fact.style) for fact in facts)
        room = width - 1 - (right.cell_length + len(gap) + 1 if right else 0)
        left = self._trail(crumbs, room)
        blanks = width - 1 - left.cell_length - right.cell_length - (1 if right else 0)
        return Content.assemble(" ", left, " " * max(blanks, 0), right)

    def on_click(self, event: events.Click) -> None:
        """Go back by a click on where we are, unless that would be the way out."""
        trail = sum(cell_len(printable(crumb, limit=self.size.width)) + 3 for crumb in self.crumbs)
        if event.x < trail and not getattr(self.screen, "is_first", True):
            event.stop()
            self.app.simulate_key("q")

    def _trail(self, crumbs: list[str], room: int) -> Content:
        if not crumbs or room <= 0:
            return Content("")
        *outer, last = crumbs
        step = f" {self._signs.crumb} "
        last = cut_middle(last, room, self._signs.ellipsis)
        before = "".join(crumb + step for crumb in outer)
        room -= cell_len(last)
        if cell_len(before) > room:
            kept = (
                cut(before.removesuffix(step), room - len(step), self._signs.ellipsis) if room > 2 * len(step) else ""
            )
            before = kept + step if kept else ""
        return Content.assemble((before, "$muted"), (last, "bold $ink"))


def _width(facts: Sequence[Fact], gap: str) -> int:
    return sum(cell_len(fact.text) + len(gap) for fact in facts) - len(gap) + 1


class Entry(Struct, frozen=True):
    """A command as the footer shows it now."""

    keys: str
    shown: Shown
    key: str
    """The key that a click stands for."""
    enabled: bool = True

    @property
    def width(self) -> int:
        """Cells."""
        return cell_len(self.keys) + 1 + cell_len(self.shown.label)


def fitting(entries: Sequence[Entry], width: int) -> list[Entry]:
    """Leave out the entries that give way first, until the others are few and fit whole into the width."""
    kept = list(entries)
    while kept and (len(kept) > MOST or sum(entry.width + 2 for entry in kept) > width):
        kept.remove(max(kept, key=lambda entry: entry.shown.rank))
    return kept


class FooterBar(Widget):
    """The commands that work here and now: keys bright, words quiet, each of them to be clicked."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "FooterBar { height: 1; background: $bar; color: $muted; }"

    entries: reactive[tuple[Entry, ...]] = reactive((), layout=False)
    """What is shown if there is room."""

    def __init__(self, *, signs: Signs = UNICODE, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._signs = signs
        self._spots: list[tuple[range, str]] = []

    def on_mount(self) -> None:
        """Follow the bindings of the screen."""
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_updated)
        self._bindings_updated(self.screen)

    def _bindings_updated(self, screen: Screen[object]) -> None:
        found: dict[str, Entry] = {}
        typing = isinstance(screen.focused, Input)
        for key, active in screen.active_bindings.items():
            command = BY_ID.get(active.binding.id or "")
            if command is None or command.footer is None or command.id in found:
                continue
            if typing and Context.FIELD not in command.contexts:
                continue  # what is typed goes into the field
            shown = self._relabelled(screen, command.id, command.footer)
            if not shown.label:
                continue
            keys = shown.keys or self.app.get_key_display(active.binding)
            if self._signs.ascii_only and not keys.isascii():
                keys = self._signs.up_down
            found[command.id] = Entry(keys, shown, key, active.enabled)
        self.entries = tuple(found[name] for name in BY_ID if name in found)

    @staticmethod
    def _relabelled(screen: Screen[object], name: str, shown: Shown) -> Shown:
        label = getattr(screen, "footer_label", None)
        words = label(name) if callable(label) else None
        return shown if words is None else Shown(words, shown.rank, shown.keys, shown.side)

    def render(self) -> Content:
        """Lay the line out for the present width and remember where each command stands."""
        width = self.size.width
        kept = fitting(self.entries, width)
        sides = {side: [entry for entry in kept if entry.shown.side == side] for side in ("left", "right")}
        taken = sum(entry.width + 2 for entry in kept)
        self._spots.clear()
        parts: list[Content | str | tuple[str, str]] = [" "]
        x = 1
        for entry in (*sides["left"], None, *sides["right"]):
            if entry is None:
                gap = width - taken
                parts.append(" " * gap)
                x += gap
                continue
            self._spots.append((range(x, x + entry.width), entry.key))
            parts += [(entry.keys, "$accent" if entry.enabled else "$muted"), " ", entry.shown.label, "  "]
            x += entry.width + 2
        return Content.assemble(*parts)[:width] if width > 0 else Content("")

    def on_click(self, event: events.Click) -> None:
        """Do what the clicked command's key would do."""
        for spot, key in self._spots:
            if event.x in spot:
                event.stop()
                self.app.simulate_key(key)
