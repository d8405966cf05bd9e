"""The table of commands and what is made from it."""

from __future__ import annotations

from collections import Counter

import pytest
from textual.binding import Binding
from textual.dom import DOMNode

from viewer.app import ViewerApp
from viewer.command import Command, Context
from viewer.commands import BY_ID, COMMANDS, bindings_for
from viewer.screens.base import BaseScreen, Dialog
from viewer.screens.help import HelpScreen
from viewer.screens.pager import PagerScreen
from viewer.screens.run import RunScreen
from viewer.screens.workspace import WorkspaceScreen
from viewer.widgets.bars import Entry, fitting
from viewer.widgets.field import Field
from viewer.widgets.run_list import RunList
from viewer.widgets.virtual_list import VirtualList

HOLDERS: dict[Context, type[DOMNode]] = {
    Context.APP: ViewerApp,
    Context.SCREEN: BaseScreen,
    Context.DIALOG: Dialog,
    Context.LIST: VirtualList,
    Context.RUNS: RunList,
    Context.WORKSPACE: WorkspaceScreen,
    Context.RUN: RunScreen,
    Context.PAGER: PagerScreen,
    Context.HELP: HelpScreen,
    Context.FIELD: Field,
}
"""Who holds the commands of each context."""

NEVER = {"tab": "next_pane", "ctrl+q": "quit", "ctrl+c": "interrupt", "ctrl+p": "command_palette", "f1": "help"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_every_command_works(command: Command) -> None:
    """Nothing is in the table that nobody does: each context's holder has the action."""
    for context in command.contexts:
        assert callable(getattr(HOLDERS[context], command.method, None)), context


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_words_are_plain(command: Command) -> None:
    """The palette reads help texts as markup, so none of ours may look like it; and each fits a line of the help."""
    assert len(command.tooltip) <= 50
    assert command.title
    assert command.tooltip
    assert "[" not in command.title + command.tooltip


def test_ids_and_keys_are_unique() -> None:
    """A command has one name, and a key means one thing in a context."""
    assert len(BY_ID) == len(COMMANDS)
    for context in Context:
        keys = Counter(key for command in COMMANDS if context in command.contexts for key in command.keys)
        assert not [key for key, times in keys.items() if times > 1]


def test_bindings_carry_the_table() -> None:
    """Each command with a key becomes one binding with its id, so that a keymap can change the key."""
    bindings = bindings_for(Context.LIST)

    assert all(isinstance(binding, Binding) for binding in bindings)
    assert {binding.id for binding in bindings if isinstance(binding, Binding)} == {
        command.id for command in COMMANDS if Context.LIST in command.contexts
    }


def test_the_ways_out_and_the_help_work_everywhere() -> None:
    """Leaving does not depend on what has the focus."""
    for key, name in NEVER.items():
        assert key in BY_ID[name].keys
    assert BY_ID["quit"].priority
    assert BY_ID["interrupt"].priority


def test_the_footer_gives_way_by_rank() -> None:
    """Entries leave in the order of their ranks and whole, until the others fit."""
    entries = [Entry(command.keys[0], command.footer, command.keys[0]) for command in COMMANDS if command.footer]

    for width in range(80):
        kept = fitting(entries, width)
        assert sum(entry.width + 2 for entry in kept) <= width
        left_out = [entry.shown.rank for entry in entries if entry not in kept]
        assert not kept or not left_out or max(entry.shown.rank for entry in kept) <= min(left_out)
