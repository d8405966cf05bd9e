"""The line that searches and filters: a field while something is typed, then what was found and kept."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from msgspec import Struct
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, Static

from core import printable

from ..cells import cut
from ..styles import UNICODE, Signs
from .field import Field


class Finding(StrEnum):
    """What is typed."""

    SEARCH = "search"
    FILTER = "filter"

    @property
    def key(self) -> str:
        """The key that begins it."""
        return "/" if self is Finding.SEARCH else "f"


class Found(Struct, frozen=True):
    """What holds now; any text. Empty where nothing is searched or filtered."""

    pattern: str = ""
    hits: str = ""
    filter: str = ""
    kept: str = ""

    def __bool__(self) -> bool:
        return bool(self.pattern or self.filter)


class Told(Widget):
    """A line of text, cut to its width."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "Told { height: 1; width: auto; color: $muted; }"

    said: reactive[str] = reactive("", layout=True)
    """Any text."""
    wrong: reactive[bool] = reactive(False)
    """Whether it says what is wrong."""

    def render(self) -> Content:
        """Cut the text to the width."""
        said = cut(printable(self.said, limit=400), self.size.width or self.app.size.width)
        return Content.styled(said, "$evidence" if self.wrong else "$muted")


class FindLine(Widget):
    """What was found and kept. A click on a part does what its key does."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "FindLine { height: 1; background: $bar; color: $muted; }"

    found: reactive[Found] = reactive(Found(), layout=False)

    def __init__(self, *, signs: Signs = UNICODE) -> None:
        super().__init__()
        self._signs = signs
        self._spots: list[tuple[range, str]] = []

    def render(self) -> Content:
        """Lay the line out: the way out gives way first, then the longer text is cut."""
        width, found = self.size.width, self.found
        parts = []
        if found.pattern:
            more = ", n next" if found.hits[:1].isdigit() else ""
            parts.append(("slash", _part("/", found.pattern, found.hits + more)))
        if found.filter:
            parts.append(("f", _part("f", "", found.kept or found.filter)))
        line, self._spots = Content(" "), []
        for key, part in parts:
            start = line.cell_length
            line = Content.assemble(line, part, _GAP)
            self._spots.append((range(start, line.cell_length), key))
        out = Content.assemble(("esc", "$accent"), " clears ")
        if line.cell_length + out.cell_length <= width:
            self._spots.append((range(width - out.cell_length, width), "escape"))
            return Content.assemble(line, " " * (width - line.cell_length - out.cell_length), out)
        more = self._signs.ellipsis
        return line if line.cell_length < width else Content.assemble(line.truncate(width - 1 - len(more)), more)

    def on_click(self, event: events.Click) -> None:
        """Do what the key of the clicked part would do."""
        for spot, key in self._spots:
            if event.x in spot:
                event.stop()
                self.app.simulate_key(key)
                return


_GAP: Final = "    "


def _part(key: str, typed: str, said: str) -> Content:
    shown = cut(printable(typed, limit=80), 40)
    gap = "  " if typed and said else ""
    return Content.assemble((key, "$accent"), " ", (shown, "bold $ink"), gap, (printable(said, limit=300), "$ink"))


class FindBar(Vertical):
    """Begins as nothing. `edit` opens the field; messages tell of every change, of the end, and of a change of mind."""

    DEFAULT_CSS = """
    FindBar {
        height: auto;
        display: none;
        background: $bar;
        &.-shown, &.-editing { display: block; }
        & > Horizontal { height: 1; display: none; }
        & > #find-hint { display: none; height: auto; max-height: 3; padding: 0 1; color: $muted; }
        &.-editing > Horizontal { display: block; }
        &.-editing.-hinted > #find-hint { display: block; }
        &.-editing > FindLine { display: none; }
        #find-label { padding: 0 1; }
        #find-told { padding: 0 1; max-width: 60%; }
        Field { width: 1fr; }
    }
    """

    line = query_one(FindLine)
    field = query_one(Field)
    label = query_one("#find-label", Told)
    told = query_one("#find-told", Told)
    hint = query_one("#find-hint", Static)

    class Typed(Message):
        """The text changed."""

        def __init__(self, finding: Finding, text: str) -> None:
            super().__init__()
            self.finding = finding
            self.text = text

    class Ended(Message):
        """The text shall hold."""

        def __init__(self, finding: Finding, text: str) -> None:
            super().__init__()
            self.finding = finding
            self.text = text

    class Dropped(Message):
        """The text shall not hold."""

        def __init__(self, finding: Finding) -> None:
            super().__init__()
            self.finding = finding

    def __init__(self, *, signs: Signs = UNICODE) -> None:
        super().__init__()
        self._signs = signs
        self._finding = Finding.SEARCH
        self._before = ""

    def compose(self) -> ComposeResult:
        """Put the line and the field there; one of them is seen at most."""
        yield FindLine(signs=self._signs)
        with Horizontal():
            yield Told(id="find-label")
            yield Field(id="find-field")
            yield Told(id="find-told")
        yield Static(id="find-hint", markup=False)

    @property
    def editing(self) -> bool:
        """Whether the field is open."""
        return self.has_class("-editing")

    def edit(self, finding: Finding, text: str, *, hint: str = "") -> None:
        """Open the field with a text, all of it selected, so that typing replaces it."""
        self._finding = finding
        self._before = text
        self.label.said = "search" if finding is Finding.SEARCH else "filter"
        self._hint(hint)
        self.told.said = ""
        self.set_class(bool(hint), "-hinted")
        self.add_class("-editing")
        with self.prevent(Input.Changed):
            self.field.value = text
        self.field.focus()
        self.field.action_select_all()

    def tell(self, found: Found) -> None:
        """Show what holds now."""
        self.line.found = found
        self.set_class(bool(found), "-shown")
        if self.editing:
            searching = self._finding is Finding.SEARCH
            self.told.said = found.hits if searching else ""
            if not searching and found.kept:
                self._hint(found.kept)

    def refuse(self, said: str) -> None:
        """Say what is wrong with the text."""
        self._hint(said, "$evidence")
        self.add_class("-hinted")

    def _hint(self, said: str, style: str = "$muted") -> None:
        self.hint.update(Content.styled(printable(said, limit=400), style))

    def close(self) -> None:
        """Close the field."""
        self.remove_class("-editing", "-hinted")

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.editing:
            self.post_message(self.Typed(self._finding, event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Ended(self._finding, event.value))

    @on(Field.Cancelled)
    def _cancelled(self, event: Field.Cancelled) -> None:
        event.stop()
        self.post_message(self.Dropped(self._finding))

    def on_descendant_blur(self) -> None:
        """Take going elsewhere for an end."""
        if self.editing:
            self.post_message(self.Ended(self._finding, self.field.value))
