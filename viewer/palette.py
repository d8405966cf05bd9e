"""The command palette: the commands of the table that work here and now, and the places of the screen below it."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Final

from textual.await_complete import AwaitComplete
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode

from .command import Command
from .commands import COMMANDS
from .run_places import Place
from .screens.base import is_on_top

_DISCOVERED: Final = 12
"""Places that are offered before anything is typed."""
_AT_ONCE: Final = 50
"""Places that are looked at before the keys have their turn."""


class Palette(CommandPalette):
    """The palette of Textual; two quick clicks beside it close nothing else."""

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close it; never the screen below it."""
        return super().dismiss(result) if is_on_top(self) else AwaitComplete()


class TableCommands(Provider):
    """Offers every command that the screen below the palette can do."""

    async def discover(self) -> Hits:
        """Offer them all."""
        for command, node in self._offers():
            run = partial(self.app.run_action, command.call, node)
            yield DiscoveryHit(Content(_name(command)), run, command.title, command.tooltip)

    async def search(self, query: str) -> Hits:
        """Offer those whose title has the letters of the query."""
        matcher = self.matcher(query)
        for command, node in self._offers():
            score = matcher.match(command.title)
            if score > 0:
                run = partial(self.app.run_action, command.call, node)
                yield Hit(score, Content(_name(command)), run, command.title, command.tooltip)

    def _offers(self) -> Iterator[tuple[Command, DOMNode]]:
        """Pair each command with the node that does it; one that refuses it now takes it away."""
        chain = [*(self.focused.ancestors_with_self if self.focused else ()), self.screen, self.app]
        for command in COMMANDS:
            if not command.palette:
                continue
            node = next((node for node in chain if hasattr(node, command.method)), None)
            if node is not None and node.check_action(command.method.removeprefix("action_"), ()):
                yield command, node


class PlacesOfTheScreen(Provider):
    """Offers what the screen below the palette can go to: calls, events, runs."""

    async def discover(self) -> Hits:
        """Offer the first few, the most urgent first."""
        for place in islice(self._places(), _DISCOVERED):
            yield DiscoveryHit(Content(place.title), place.go, place.title, place.help)

    async def search(self, query: str) -> Hits:
        """Offer those whose name has the letters of the query, and the event that it numbers."""
        named = getattr(self.screen, "palette_events", None)
        for place in named(query) if named is not None else ():
            yield Hit(1.0, Content(place.title), place.go, place.title, place.help)
        matcher = self.matcher(query)
        for number, place in enumerate(self._places()):
            if number % _AT_ONCE == 0:
                await sleep(0)  # keys come first
            score = matcher.match(place.title)
            if score > 0:
                yield Hit(score, Content(place.title), place.go, place.title, place.help)

    def _places(self) -> Iterator[Place]:
        places = getattr(self.screen, "palette_places", None)
        return places() if places is not None else iter(())


def _name(command: Command) -> str:
    return f"{command.title}  {command.keys_in_words}".rstrip()
