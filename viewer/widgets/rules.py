"""Rules with words on them: they separate panes and name them, where others draw boxes."""

from __future__ import annotations

from collections.abc import Mapping

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from core import printable

from ..cells import cut
from ..styles import UNICODE, Signs


class RuleHeading(Widget):
    """A pane's name on a rule, a note beside it, another at the right end."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "RuleHeading { height: 1; color: $rule; }"

    title: reactive[str] = reactive("", layout=False)
    """The name; any text."""
    note: reactive[str] = reactive("", layout=False)
    """What is said about it, quietly; any text."""
    right: reactive[str] = reactive("", layout=False)
    """The note at the right end, the first to give way; any text."""
    lit: reactive[bool] = reactive(False, layout=False)
    """Whether the pane has the focus."""

    def __init__(
        self,
        title: str = "",
        note: str = "",
        *,
        right: str = "",
        signs: Signs = UNICODE,
        gap: str = "  ",
        id: str | None = None,  # noqa: A002 - Textual's own name
    ) -> None:
        super().__init__(id=id)
        self._signs = signs
        self._gap = gap
        self.set_reactive(RuleHeading.title, title)
        self.set_reactive(RuleHeading.note, note)
        self.set_reactive(RuleHeading.right, right)

    def render(self) -> Content:
        """Lay the line out for the present width."""
        width = self.size.width
        rule = self._signs.rule
        if not self.title:
            return Content(rule * width)
        more = self._signs.ellipsis
        title = cut(printable(self.title, limit=width), width - 4, more)
        room = width - cell_len(title) - 4
        right = printable(self.right, limit=width)
        note = printable(self.note, limit=width)
        if cell_len(right) + cell_len(note) + 5 > room:
            right = ""
        note = cut(note, room - 2, more) if room > 4 else ""
        head = Content.assemble(
            (rule, "$rule"),
            " ",
            (title, "bold $accent" if self.lit else "bold $ink"),
            f"{self._gap}{note} " if note else " ",
        ).stylize_before("$muted")
        end = Content.assemble(f" {right} ", (rule, "$rule")).stylize_before("$muted") if right else Content("")
        line = rule * max(0, width - head.cell_length - end.cell_length)
        return Content.assemble(head, (line, "$rule"), end)


class UprightRule(Widget):
    """A line between two panes, with joints where rules meet it."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "UprightRule { width: 1; height: 1fr; color: $rule; }"

    joints: reactive[Mapping[int, str]] = reactive({}, layout=False)
    """Line number from 0, or from the end if negative -> the sign that stands there."""

    def __init__(
        self,
        joints: Mapping[int, str] | None = None,
        *,
        signs: Signs = UNICODE,
        id: str | None = None,  # noqa: A002 - Textual's own name
    ) -> None:
        super().__init__(id=id)
        self._signs = signs
        self.set_reactive(UprightRule.joints, joints or {})

    def render(self) -> Content:
        """Draw the whole height."""
        height = self.size.height
        at = (
            {index % height: sign for index, sign in self.joints.items() if -height <= index < height} if height else {}
        )
        return Content("\n".join(at.get(y, self._signs.upright) for y in range(height)))


class TabHeading(Widget):
    """The names of a pane's pages on a rule, the open one in brackets: `─[Why]─ Event ─ Replay ───`."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "TabHeading { height: 1; color: $rule; }"

    open: reactive[str] = reactive("", layout=False)
    """The page that is open."""
    lit: reactive[bool] = reactive(False, layout=False)
    """Whether the pane has the focus."""
    joint: reactive[int | None] = reactive(None, layout=False)
    """Column at which an upright rule ends on this one."""

    class Changed(Message):
        """A page was asked for by a click."""

        def __init__(self, heading: TabHeading, page: str) -> None:
            super().__init__()
            self.heading = heading
            self.page = page

        @property
        def control(self) -> TabHeading:
            """The heading, for `on(..., selector)`."""
            return self.heading

    def __init__(
        self,
        pages: tuple[str, ...],
        *,
        signs: Signs = UNICODE,
        id: str | None = None,  # noqa: A002 - Textual's own name
    ) -> None:
        super().__init__(id=id)
        self.pages = pages
        """Every page, in order."""
        self._signs = signs
        self._spots: list[tuple[range, str]] = []
        self.set_reactive(TabHeading.open, pages[0])

    def validate_open(self, page: str) -> str:
        """Stay where we are if there is no such page."""
        return page if page in self.pages else self.open

    def step(self, steps: int) -> None:
        """Open the next or the previous page, round and round."""
        self.open = self.pages[(self.pages.index(self.open) + steps) % len(self.pages)]

    def render(self) -> Content:
        """Lay the line out for the present width; where it is too narrow, pages far from the open one give way."""
        width = self.size.width
        rule = self._signs.rule
        pages = list(self.pages)
        while len(pages) > 1 and sum(cell_len(page) + 3 for page in pages) + 1 > width:
            pages.pop(0 if 2 * pages.index(self.open) >= len(pages) else -1)
        self._spots.clear()
        parts: list[str | tuple[str, str]] = [rule]
        x = 1
        for page in pages:
            self._spots.append((range(x, x + cell_len(page) + 2), page))
            if page == self.open:
                parts.append((f"[{page}]", "bold $accent" if self.lit else "bold $ink"))
            else:
                parts.append((f" {page} ", "$muted"))
            parts.append(rule)
            x += cell_len(page) + 3
        rest = rule * max(0, width - x)
        if self.joint is not None and x <= self.joint < width:
            rest = rest[: self.joint - x] + self._signs.joint_up + rest[self.joint - x + 1 :]
        return Content.assemble(*parts, rest)

    def on_click(self, event: events.Click) -> None:
        """Ask for the page that was clicked."""
        for spot, page in self._spots:
            if event.x in spot:
                event.stop()
                self.open = page
                self.post_message(self.Changed(self, page))
