"""The one table of commands: bindings, footer, help and palette are all made from it.

A command is in the table when it works, and not before: what is not built has no key. The action of a command is a
method `action_<name>` on whatever holds its context: the app, every screen, one screen, or a list.
"""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

from .command import Command, Context, Group, Shown

_LIST: Final = frozenset({Context.LIST})
_SCREEN: Final = frozenset({Context.SCREEN})
_APP: Final = frozenset({Context.APP})
_RUN: Final = frozenset({Context.RUN})
_WORKSPACE: Final = frozenset({Context.WORKSPACE})
_BOTH: Final = frozenset({Context.WORKSPACE, Context.RUN})
_SEARCHED: Final = frozenset({Context.WORKSPACE, Context.RUN, Context.PAGER})
_FIELD: Final = frozenset({Context.FIELD})

# fmt: off
_MOVES: Final = (
    Command("down", ("down", "j"), "Next row", "Go to the next row", Group.MOVE, _LIST, "move(1)",
            Shown("move", 80, keys="↑↓"), palette=False),
    Command("up", ("up", "k"), "Previous row", "Go to the previous row", Group.MOVE, _LIST, "move(-1)", palette=False),
    Command("page_down", ("pagedown", "space"), "Page down", "Go a page down", Group.MOVE, _LIST, "page(1)",
            palette=False),
    Command("page_up", ("pageup", "b"), "Page up", "Go a page up", Group.MOVE, _LIST, "page(-1)", palette=False),
    Command("half_down", ("ctrl+d",), "Half a page down", "Go half a page down", Group.MOVE, _LIST, "half(1)",
            palette=False),
    Command("half_up", ("ctrl+u",), "Half a page up", "Go half a page up", Group.MOVE, _LIST, "half(-1)",
            palette=False),
    Command("top", ("home", "g"), "First row", "Go to the first row", Group.MOVE, _LIST, palette=False),
    Command("bottom", ("end", "G"), "Last row", "Go to the last row", Group.MOVE, _LIST, palette=False),
    Command("left", ("left", "h"), "Scroll left", "Scroll to the left", Group.MOVE, _LIST, "pan(-1)", palette=False),
    Command("right", ("right", "l"), "Scroll right", "Scroll to the right", Group.MOVE, _LIST, "pan(1)", palette=False),
    Command("select", ("enter",), "Open the row", "Open what the row stands for", Group.GO, _LIST, palette=False),
)
"""None of them is in the palette, and one speaks for all in the footer."""

_GO: Final = (
    Command("open_run", ("enter",), "Open the run", "Open the run under the cursor", Group.GO,
            frozenset({Context.RUNS}), "select", Shown("open", 20, keys="enter"), palette=False),
    Command("next_doubt", ("e",), "Next doubt", "Go to the next one in doubt, round and round", Group.GO, _BOTH,
            "doubt(1)", Shown("next doubt", 30)),
    Command("previous_doubt", ("E",), "Previous doubt", "Go to the previous one in doubt", Group.GO, _BOTH,
            "doubt(-1)"),
    Command("other_half", ("o",), "Other half", "Walk on: call, dispatch, response", Group.GO, _RUN, "other_half(1)",
            Shown("other half", 32)),
    Command("other_half_back", ("O",), "Other half, back", "Walk back: response, dispatch, call", Group.GO, _RUN,
            "other_half(-1)"),
    Command("go_to", ("S", "ctrl+g"), "Go to event", "Go to an event by its number, id or time", Group.GO, _RUN),
)

_WHAT_IF: Final = (
    Command("what_if_earlier", ("left_square_bracket",), "What-if: one earlier", "End the prefix one event earlier",
            Group.WHAT_IF, _RUN, "what_if(-1)", Shown("what-if", 34, keys="[ ]")),
    Command("what_if_later", ("right_square_bracket",), "What-if: one later", "End the prefix one event later",
            Group.WHAT_IF, _RUN, "what_if(1)"),
    Command("flip_earlier", ("left_curly_bracket",), "What-if: flip before", "End it where the decision was another",
            Group.WHAT_IF, _RUN, "flip(-1)"),
    Command("flip_later", ("right_curly_bracket",), "What-if: flip after",
            "End it where the decision is another again", Group.WHAT_IF, _RUN, "flip(1)"),
    Command("real", ("0",), "The real ledger", "End the what-if: back to the real ledger", Group.WHAT_IF, _RUN),
    Command("expect", ("x",), "Expected high-water", "Say how many events the ledger must have", Group.WHAT_IF, _RUN),
)

_FIND: Final = (
    Command("search", ("slash",), "Search", "Search what is shown and the raw JSON", Group.FIND, _SEARCHED,
            footer=Shown("search", 36, keys="/")),
    Command("next_hit", ("n", "f3"), "Next hit", "Go to the next hit, round and round", Group.FIND, _SEARCHED,
            "hit(1)"),
    Command("previous_hit", ("N",), "Previous hit", "Go to the previous hit", Group.FIND, _SEARCHED, "hit(-1)"),
    Command("filter", ("f",), "Filter", "Show only what holds; ! turns a word round", Group.FIND, _BOTH,
            footer=Shown("filter", 45)),
    Command("clear", ("escape",), "Clear", "End search and filter, mark, zoom", Group.FIND, _SEARCHED,
            palette=False),
)

_SHOW: Final = (
    Command("sort", ("s",), "Sort", "Urgent first, newest first, or by session", Group.SHOW, _WORKSPACE,
            footer=Shown("sort", 46)),
    Command("copy", ("y",), "Copy", "Copy why, id, row, arguments or a link", Group.TAKE,
            frozenset({Context.RUN, Context.WORKSPACE, Context.PAGER}), footer=Shown("copy why", 48)),
    Command("page_why", ("1",), "Why", "Show why it is judged so", Group.SHOW, _RUN, "show_tab('Why')"),
    Command("page_event", ("2",), "Event", "Show every field of the event", Group.SHOW, _RUN, "show_tab('Event')"),
    Command("page_replay", ("3",), "Replay", "Show what the provider would be sent", Group.SHOW, _RUN,
            "show_tab('Replay')"),
    Command("page_run", ("4",), "Run", "Show header, other runs and storage", Group.SHOW, _RUN, "show_tab('Run')"),
    Command("page_raw", ("5",), "Raw", "Show the bytes of the row", Group.SHOW, _RUN, "show_tab('Raw')"),
    Command("wrap", ("w",), "Wrap", "Wrap long lines, or cut them", Group.SHOW,
            frozenset({Context.RUN, Context.PAGER}), footer=Shown("wrap", 90)),
    Command("zoom", ("z",), "Zoom", "Give the pane all the room, and back", Group.SHOW, _RUN),
    Command("times", ("t",), "Times", "Times in UTC, local, since the start, or ago", Group.SHOW, _BOTH),
    Command("follow", ("F",), "Follow", "Show what is written as it is written, or stop", Group.SHOW, _BOTH,
            footer=Shown("follow", 49)),
    Command("pause", ("equals_sign",), "Pause", "Hold what is followed as it is, or go on", Group.SHOW, _BOTH,
            footer=Shown("pause", 29, keys="=")),
    Command("mark", ("c",), "Mark, what changed", "Mark the prefix; once more: what changed since", Group.WHAT_IF,
            _RUN),
    Command("save", ("ctrl+s",), "Save", "Save a report, this screen, or a redacted repro", Group.TAKE, _BOTH),
    Command("remarks", ("i",), "Remarks", "Show every remark on the workspace as a whole", Group.SHOW, _WORKSPACE,
            footer=Shown("remarks", 38)),
    Command("next_pane", ("tab",), "Next pane", "Move the focus to the next pane", Group.GO, _SCREEN,
            footer=Shown("pane", 25, side="right")),
    Command("previous_pane", ("shift+tab",), "Previous pane", "Move the focus to the previous pane", Group.GO,
            _SCREEN),
)

_APPLICATION: Final = (
    Command("toggle_theme", (), "Dark or light", "Change between the dark and the light colours", Group.APP, _APP),
    Command("command_palette", ("ctrl+p",), "Commands", "Find a command, a call, an event or a run by name", Group.APP,
            _APP, palette=False, priority=True),
    Command("help", ("question_mark", "f1"), "Help", "Show the keys that work here, signs and codes", Group.APP, _APP,
            footer=Shown("help", 5, keys="?", side="right")),
    Command("back", ("q",), "Back", "Go back to the screen before; leave the first one", Group.APP, _SCREEN,
            footer=Shown("back", 10, side="right")),
    Command("look_up", ("slash",), "Look up", "Search the keys and the codes", Group.FIND, frozenset({Context.HELP}),
            footer=Shown("look up", 10, keys="/"), palette=False),
    Command("close", ("escape", "q"), "Close", "Close the dialog", Group.APP, frozenset({Context.DIALOG}),
            palette=False),
    Command("close_help", ("question_mark", "f1"), "Close the help", "Close the help by the key that opened it",
            Group.APP, frozenset({Context.HELP}), "close", palette=False),
    Command("submit", ("enter",), "Done", "Take what was typed", Group.FIND, _FIELD,
            footer=Shown("take it", 1, keys="enter"), palette=False),
    Command("cancel", ("escape",), "Never mind", "Leave the field as if nothing was typed", Group.FIND, _FIELD,
            footer=Shown("never mind", 2, keys="esc"), palette=False),
    Command("suspend_process", ("ctrl+z",), "Suspend", "Go to the shell; fg comes back", Group.APP, _APP,
            priority=True),
    Command("quit", ("ctrl+q",), "Quit", "Leave at once, from anywhere", Group.APP, _APP, priority=True),
    Command("interrupt", ("ctrl+c",), "Copy or quit", "Copy the selected text; leave if there is none", Group.APP,
            _APP, palette=False, priority=True),
)
# fmt: on

COMMANDS: Final[tuple[Command, ...]] = (*_MOVES, *_GO, *_WHAT_IF, *_FIND, *_SHOW, *_APPLICATION)
"""Every command, in the order in which the footer shows them."""

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
