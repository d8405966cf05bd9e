"""What a command is: one thing that a person can ask for, and how help, palette and footer call it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal

from msgspec import Struct


class Context(StrEnum):
    """Who holds the binding of a command."""

    APP = "app"
    """Everywhere, dialogs included."""
    SCREEN = "screen"
    """Every full screen."""
    WORKSPACE = "workspace"
    """The screen of all runs."""
    RUN = "run"
    """The screen of one run."""
    PAGER = "pager"
    """The screen of one long text."""
    DIALOG = "dialog"
    """Every dialog."""
    HELP = "help"
    """The help, which opens and closes by the same keys."""
    LIST = "list"
    """Every list of rows."""
    RUNS = "runs"
    """The list of runs; its keys come before those of every list."""
    FIELD = "field"
    """Every line that is typed into."""


class Group(StrEnum):
    """A heading of the help screen."""

    MOVE = "Move"
    GO = "Go"
    FIND = "Find"
    SHOW = "Show"
    WHAT_IF = "What if"
    TAKE = "Take out"
    APP = "Application"


class Shown(Struct, frozen=True):
    """How a command stands in the footer."""

    label: str
    """One or two words."""
    rank: int
    """Where room is short, the greatest rank gives way first."""
    keys: str = ""
    """The keys as written, where they are not simply the first key."""
    side: Literal["left", "right"] = "left"


class Command(Struct, frozen=True):
    """One thing that a person can ask for."""

    id: str
    """Stable name, which a keymap may refer to."""
    keys: tuple[str, ...]
    """Keys as Textual names them, the usual one first."""
    title: str
    """What it does, in a few words."""
    tooltip: str
    """What it does, in a sentence."""
    group: Group
    contexts: frozenset[Context]
    action: str = ""
    """The action with its arguments; the id where it is empty."""
    footer: Shown | None = None
    palette: bool = True
    """Whether the palette offers it."""
    priority: bool = False
    """Whether its keys work even while a text field has the focus."""

    @property
    def call(self) -> str:
        """The action with its arguments."""
        return self.action or self.id

    @property
    def keys_in_words(self) -> str:
        """The keys as people write them."""
        return "  ".join(KEY_NAMES.get(key, key) for key in self.keys)

    @property
    def method(self) -> str:
        """The name of the method that does it."""
        return "action_" + self.call.partition("(")[0]


KEY_NAMES: Final = {
    "question_mark": "?",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "slash": "/",
    "equals_sign": "=",
    "escape": "esc",
    "pagedown": "page down",
    "pageup": "page up",
    "f1": "F1",
    "f3": "F3",
}
"""How keys are written for people, where Textual names them otherwise."""
