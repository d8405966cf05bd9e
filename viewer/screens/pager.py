"""One long text with the whole screen to itself: read in a thread, drawn line by line, wrapped or not, searched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.getters import query_one
from textual.message import Message

from core import CoreError, Pattern

from ..command import Context
from ..commands import bindings_for
from ..copies import text_copy
from ..text_pages import TextPages
from ..widgets.bars import FooterBar, HeaderBar
from ..widgets.find_bar import FindBar
from ..widgets.pane import Pane
from ..widgets.problem import Problem
from ..widgets.rules import RuleHeading
from ..widgets.text_view import TextView
from .finding import FindingScreen

_LOOK_UP: Final = 1 << 20
"""Characters that are searched between two looks around."""


class TextRead(Message):
    """The text was read."""

    def __init__(self, text: str, pages: TextPages) -> None:
        super().__init__()
        self.text = text
        self.pages = pages


class TextFailed(Message):
    """The text could not be read."""

    def __init__(self, error: CoreError) -> None:
        super().__init__()
        self.error = error


class PagerScreen(FindingScreen):
    """Shows a text. Places are numbers of characters."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.PAGER)

    header = query_one(HeaderBar)
    heading = query_one(RuleHeading)
    view = query_one(TextView)

    def __init__(self, title: str, crumbs: tuple[str, ...], read: Callable[[], str]) -> None:
        """Prepare the screen; nothing is read yet.

        Args:
            title: what the text is.
            crumbs: where it is from.
            read: gives it; called in a thread, and may raise CoreError.

        """
        super().__init__()
        self._title = title
        self._crumbs = crumbs
        self._read = read
        self._text: str | None = None

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        signs = self.app.signs
        yield HeaderBar(signs=signs)
        yield Pane(RuleHeading(self._title, "reading it", signs=signs), TextView(signs=signs))
        yield FindBar(signs=signs)
        yield FooterBar(signs=signs)

    def on_mount(self) -> None:
        """Begin to read."""
        self.header.crumbs = self._crumbs
        self.view.focus()
        self.watch(self.view, "scroll_y", self._show_place, init=False)
        self._load()

    @work(thread=True, exclusive=True, exit_on_error=False, group="text", description="read a long text")
    def _load(self) -> None:
        try:
            text = self._read()
        except CoreError as error:
            self.post_message(TextFailed(error))
        else:
            self.post_message(TextRead(text, TextPages(text)))

    @on(TextRead)
    def _text_read(self, message: TextRead) -> None:
        self._text = message.text
        self.view.show(message.pages)
        lines, size = len(message.pages), len(message.text)
        many = f"{lines:,} line{'' if lines == 1 else 's'}, " if lines != 1 else ""
        self.heading.note = f"{many}{size:,} characters" if size else "empty"
        self._show_place()
        self.refresh_bindings()

    @on(TextFailed)
    def _text_failed(self, message: TextFailed) -> None:
        self.add_class("-failed")
        self.mount(Problem("This cannot be read", message.error, signs=self.app.signs), after=self.header)

    def _show_place(self) -> None:
        seen, count = self.view.seen, len(self.view.source)
        dash = self.app.signs.none
        self.heading.right = f"{seen.start + 1:,}{dash}{seen.stop:,} of {count:,}" if seen else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what there is: a text to search and to copy, and no other pane."""
        del parameters
        if action in ("next_pane", "previous_pane"):
            return False
        if action == "clear":
            return self.clearable
        return self._text is not None or action not in ("search", "hit", "wrap", "copy")

    def footer_label(self, command_id: str) -> str | None:
        """Say what is copied here."""
        return "copy it" if command_id == "copy" else super().footer_label(command_id)

    def action_wrap(self) -> None:
        """Wrap long lines, or cut them."""
        self.view.toggle_wrap()
        self._show_place()

    def action_copy(self) -> None:
        """Copy the text."""
        if self._text is not None:
            stem = self._title.partition(" ")[0] or "text"
            self.take_out(text_copy(self._title, "", self._text, stem))

    # Searching

    @property
    def here(self) -> int:
        """The hit under the cursor, else the first character of its line."""
        at = self.view.offset_at_cursor
        hit = self._at
        return hit if hit is not None and self.view.row_of(hit) == self.view.cursor else at

    _at: int | None = None

    def go(self, place: int) -> None:
        """Show the line that has a character."""
        self._at = place
        self.view.go_to_offset(place)

    def places_with(self, pattern: Pattern, start: int, stop: Callable[[], bool]) -> Iterator[int]:
        """Yield where the pattern stands, from `start` on first."""
        text = self.view.pages.text
        for begin, end in ((start, len(text)), (0, start)):
            for first in range(begin, end, _LOOK_UP):
                if stop():
                    return
                last = min(first + _LOOK_UP, end)
                # A hit may reach over the edge, but not begin behind it.
                for at, _ in pattern.spans(text[first : last + len(pattern.text) - 1]):
                    yield first + at

    def marks_changed(self) -> None:
        """Mark the hits."""
        self.view.mark(self.pattern)
