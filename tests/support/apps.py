"""Small screens to try widgets on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget

from core.text import printable
from viewer.app import ViewerApp
from viewer.screens.base import BaseScreen
from viewer.widgets.bars import FooterBar
from viewer.widgets.virtual_list import VirtualList


class Numbered:
    """As many rows as asked for; counts those that were drawn, and draws the text of each."""

    def __init__(self, count: int, text: str = "") -> None:
        self.count = count
        self.text = text
        self.drawn: list[int] = []

    def __len__(self) -> int:
        return self.count

    def row(self, index: int, width: int) -> Content:
        """Draw the number of the row, and the text."""
        del width
        self.drawn.append(index)
        return Content.assemble((f"row {index}", "$ink"), " ", printable(self.text))


class Named:
    """Rows that have names; some of them headings, written in capitals."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)

    def __len__(self) -> int:
        return len(self.names)

    def row(self, index: int, width: int) -> Content:
        """Draw the name."""
        del width
        return Content(self.names[index])

    def key(self, index: int) -> Hashable:
        """Name the row."""
        return self.names[index]

    def find(self, key: Hashable) -> int | None:
        """Find a row by its name."""
        return self.names.index(str(key)) if key in self.names else None

    def skips(self, index: int) -> bool:
        """Pass over headings."""
        return self.names[index].isupper()


class WidgetScreen(BaseScreen[None]):
    """Widgets one below the other, and a footer; remembers what lists say."""

    def __init__(self, widgets: Sequence[Widget]) -> None:
        super().__init__()
        self.widgets = widgets
        self.heard: list[tuple[str, int]] = []

    def compose(self) -> ComposeResult:
        """Lay the widgets out."""
        yield from self.widgets
        yield FooterBar(signs=self.app.signs)

    def on_virtual_list_highlighted(self, message: VirtualList.Highlighted) -> None:
        """Remember it."""
        self.heard.append(("highlighted", message.index))

    def on_virtual_list_selected(self, message: VirtualList.Selected) -> None:
        """Remember it."""
        self.heard.append(("selected", message.index))


def viewer_app(*widgets: Widget, screen: Callable[[], Any] | None = None, **options: Any) -> ViewerApp:
    """Make an app over some widgets, at a fixed time."""
    return ViewerApp(screen or (lambda: WidgetScreen(widgets)), now_ms=lambda: 1_796_000_000_000.0, **options)
