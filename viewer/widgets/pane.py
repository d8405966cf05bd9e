"""A pane: a heading and what stands below it. The heading is lit while the focus is inside."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget

from .rules import RuleHeading, TabHeading


class Pane(Vertical):
    """Keeps a heading in step with the focus, so that one always sees where the keys go."""

    DEFAULT_CSS = "Pane { width: 1fr; height: 1fr; }"

    def __init__(
        self,
        heading: RuleHeading | TabHeading,
        *body: Widget,
        id: str | None = None,  # noqa: A002 - Textual's own name
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.heading = heading
        """The line at the top."""
        self._body = body

    def compose(self) -> ComposeResult:
        """Put the heading on top."""
        yield self.heading
        yield from self._body

    def on_click(self, event: events.Click) -> None:
        """Take a click on the heading for a wish to be in the pane."""
        if event.widget is self.heading:
            target = next((widget for widget in self._body if widget.focusable), None)
            if target is not None:
                event.stop()
                target.focus()

    def on_descendant_focus(self) -> None:
        """Light the heading."""
        self.heading.lit = True

    def on_descendant_blur(self) -> None:
        """Calm it down."""
        self.heading.lit = False
