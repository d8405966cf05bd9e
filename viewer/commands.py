"""The one table of commands: bindings, footer, help and palette are all made from it.

A command is in the table when it works, and not before: what is not built has no key. The action of a command is a
method `action_<name>` on whatever holds its context: the app, every screen, one screen, or a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from textual.binding import Binding, BindingType


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
    DIALOG = "dialog"
    """Every dialog."""
    LIST = "list"
    """Every list of rows."""
    RUNS = "runs"
    """The list of runs; its keys come before those of every list."""


class Group(StrEnum):
    """A heading of the help screen."""

    MOVE = "Move"
    GO = "Go"
    SHOW = "Show"
    APP = "Application"


@dataclass(frozen=True, slots=True)
class Shown:
    """How a command stands in the footer."""

    label: str
    """One or two words."""
    rank: int
    """Where room is short, the greatest rank gives way first."""
    keys: str = ""
    """The keys as written, where they are not simply the first key."""
    side: Literal["left", "right"] = "left"


@dataclass(frozen=True, slots=True)
class Command:
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


_LIST: Final = frozenset({Context.LIST})
_SCREEN: Final = frozenset({Context.SCREEN})
_APP: Final = frozenset({Context.APP})
_DIALOG: Final = frozenset({Context.DIALOG})
_RUN: Final = frozenset({Context.RUN})
_SCREENS: Final = frozenset({Context.WORKSPACE, Context.RUN})


def _moves() -> Iterator[Command]:
    """Give the movements in a list: none is in the palette, and one speaks for all in the footer."""
    move = Group.MOVE
    shown = Shown("move", 80, keys="↑↓")
    yield Command("down", ("down", "j"), "Next row", "Go to the next row", move, _LIST, "move(1)", shown, False)
    yield Command("up", ("up", "k"), "Previous row", "Go to the previous row", move, _LIST, "move(-1)", None, False)
    yield Command(
        "page_down", ("pagedown", "space"), "Page down", "Go a page down", move, _LIST, "page(1)", None, False
    )
    yield Command("page_up", ("pageup", "b"), "Page up", "Go a page up", move, _LIST, "page(-1)", None, False)
    yield Command(
        "half_down", ("ctrl+d",), "Half a page down", "Go half a page down", move, _LIST, "half(1)", None, False
    )
    yield Command("half_up", ("ctrl+u",), "Half a page up", "Go half a page up", move, _LIST, "half(-1)", None, False)
    yield Command("top", ("home", "g"), "First row", "Go to the first row", move, _LIST, "top", None, False)
    yield Command("bottom", ("end", "G"), "Last row", "Go to the last row", move, _LIST, "bottom", None, False)
    yield Command("left", ("left", "h"), "Scroll left", "Scroll to the left", move, _LIST, "pan(-1)", None, False)
    yield Command("right", ("right", "l"), "Scroll right", "Scroll to the right", move, _LIST, "pan(1)", None, False)
    yield Command(
        "select", ("enter",), "Open the row", "Open what the row stands for", Group.GO, _LIST, "select", None, False
    )


def _of_a_run() -> Iterator[Command]:
    """Give the commands of the screen of one run."""
    go, show = Group.GO, Group.SHOW
    yield Command(
        "other_half", ("o",), "Other half", "Walk on: call, dispatch, response", go, _RUN, "other_half(1)",
        Shown("other half", 32),
    )  # fmt: skip
    yield Command(
        "other_half_back", ("O",), "Other half, back", "Walk back: response, dispatch, call", go, _RUN, "other_half(-1)"
    )
    yield Command(
        "what_if_earlier", ("left_square_bracket",), "What-if: one earlier", "End the prefix one event earlier",
        show, _RUN, "what_if(-1)", Shown("what-if", 34, keys="[ ]"),
    )  # fmt: skip
    yield Command(
        "what_if_later", ("right_square_bracket",), "What-if: one later", "End the prefix one event later",
        show, _RUN, "what_if(1)",
    )  # fmt: skip
    yield Command(
        "flip_earlier", ("left_curly_bracket",), "What-if: flip before", "End it where the decision was another",
        show, _RUN, "flip(-1)",
    )  # fmt: skip
    yield Command(
        "flip_later", ("right_curly_bracket",), "What-if: flip after", "End it where the decision is another again",
        show, _RUN, "flip(1)",
    )  # fmt: skip
    yield Command("real", ("0",), "The real ledger", "End the what-if: back to the real ledger", show, _RUN)
    yield Command("page_why", ("1",), "Why", "Show why it is judged so", show, _RUN, "show_tab('Why')")
    yield Command("page_event", ("2",), "Event", "Show every field of the event", show, _RUN, "show_tab('Event')")
    yield Command(
        "copy", ("y",), "Copy", "Copy the answer, or the id of the event", Group.GO, _RUN, footer=Shown("copy why", 60)
    )


COMMANDS: Final[tuple[Command, ...]] = (
    *_moves(),
    Command(
        "open_run",
        ("enter",),
        "Open the run",
        "Open the run under the cursor",
        Group.GO,
        frozenset({Context.RUNS}),
        "select",
        Shown("open", 20, keys="enter"),
    ),
    Command(
        "next_doubt",
        ("e",),
        "Next doubt",
        "Go to the next one in doubt, round and round",
        Group.GO,
        _SCREENS,
        "doubt(1)",
        Shown("next doubt", 30),
    ),
    Command(
        "previous_doubt",
        ("E",),
        "Previous doubt",
        "Go to the previous one in doubt",
        Group.GO,
        _SCREENS,
        "doubt(-1)",
    ),
    *_of_a_run(),
    Command(
        "remarks",
        ("i",),
        "Remarks",
        "Show every remark on the workspace as a whole",
        Group.SHOW,
        frozenset({Context.WORKSPACE}),
        footer=Shown("remarks", 40),
    ),
    Command(
        "next_pane",
        ("tab",),
        "Next pane",
        "Move the focus to the next pane",
        Group.GO,
        _SCREEN,
        footer=Shown("pane", 25, side="right"),
    ),
    Command("previous_pane", ("shift+tab",), "Previous pane", "Move the focus to the previous pane", Group.GO, _SCREEN),
    Command("toggle_theme", (), "Dark or light", "Change between the dark and the light colours", Group.APP, _APP),
    Command(
        "command_palette",
        ("ctrl+p",),
        "Commands",
        "Find a command by its name",
        Group.APP,
        _APP,
        palette=False,
        priority=True,
    ),
    Command(
        "help",
        ("question_mark", "f1"),
        "Help",
        "Show which keys work here, and the signs",
        Group.APP,
        _APP,
        footer=Shown("help", 5, keys="?", side="right"),
    ),
    Command(
        "back",
        ("q",),
        "Back",
        "Go back to the screen before; leave the first one",
        Group.APP,
        _SCREEN,
        footer=Shown("back", 10, side="right"),
    ),
    Command("close", ("escape", "q"), "Close", "Close the dialog", Group.APP, _DIALOG, palette=False),
    Command("quit", ("ctrl+q",), "Quit", "Leave at once, from anywhere", Group.APP, _APP, priority=True),
    Command(
        "interrupt",
        ("ctrl+c",),
        "Copy or quit",
        "Copy the selected text; leave if there is none",
        Group.APP,
        _APP,
        palette=False,
        priority=True,
    ),
)
"""Every command, in the order in which the footer shows them."""

KEY_NAMES: Final = {
    "question_mark": "?",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "slash": "/",
    "equals_sign": "=",
    "pagedown": "page down",
    "pageup": "page up",
    "f1": "F1",
}
"""How keys are written for people, where Textual names them otherwise."""

BY_ID: Final = {command.id: command for command in COMMANDS}


def bindings_for(context: Context) -> list[BindingType]:
    """Make the bindings that the holder of a context declares."""
    return [
        Binding(
            ",".join(command.keys),
            command.call,
            command.title,
            show=command.footer is not None,
            tooltip=command.tooltip,
            id=command.id,
            priority=command.priority,
        )
        for command in COMMANDS
        if context in command.contexts and command.keys
    ]
