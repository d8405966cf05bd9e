"""The command palette: the commands of the table that work here and now."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode

from .command import Command
from .commands import COMMANDS


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


def _name(command: Command) -> str:
    return f"{command.title}  {command.keys_in_words}".rstrip()
