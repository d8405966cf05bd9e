"""What every full screen has: its keys, and a sentence where the terminal is too small for a layout."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events, on
from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.widget import Widget

from ..command import Context
from ..commands import bindings_for

LEAST_WIDTH = 40
LEAST_HEIGHT = 10

_WIDTHS = [(0, "-no-width"), (LEAST_WIDTH, "-narrow"), (80, "-medium"), (100, "-wide")]
_HEIGHTS = [(0, "-no-height"), (LEAST_HEIGHT, "-low"), (24, "-medium-height"), (32, "-high")]


def _class_for(cells: int, breakpoints: list[tuple[int, str]]) -> str:
    return next(name for least, name in reversed(breakpoints) if cells >= least)


class TooSmall(Widget):
    """Covers a screen that has no room, and says so."""

    def render(self) -> Content:
        """Say what is needed and what there is."""
        width, height = self.app.size
        said = f"maka-ledger needs {LEAST_WIDTH} columns and {LEAST_HEIGHT} lines; here are {width} and {height}."
        # Words take their room: where the sentence may not fit, the sizes alone do.
        return Content(
            said if len(said) <= width * height // 2 else f"{width}x{height}, needs {LEAST_WIDTH}x{LEAST_HEIGHT}"
        )


def is_on_top(screen: Screen[Any]) -> bool:
    """Tell whether a screen is the one that gets the keys.

    Where it is not, what it was asked to close is gone already: the second click of two may come late.
    """
    return screen.app.screen is screen


class BaseScreen(Screen[ScreenResultType]):
    """A full screen. Keys work the same under `TooSmall`: leaving is always possible."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.SCREEN)
    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS

    _covered = False
    _seen = False

    def on_compose(self) -> None:
        """Be of the terminal's size from the start: Textual tells it late, and all would be styled and drawn again."""
        width, height = self.app.size
        self.add_class(_class_for(width, _WIDTHS), _class_for(height, _HEIGHTS))

    def on_mount(self) -> None:
        """Lay the sentence over the screen where there is no room."""
        self._lay_over()

    def on_resize(self) -> None:
        """Lay it there once it is needed; from then on the style sheet shows and hides it."""
        self._lay_over()

    @on(events.ScreenResume)
    def _resumed(self, event: events.ScreenResume) -> None:
        """Take the styles as they are when the screen is first seen: all were just found. Later they may be old."""
        event.refresh_styles = event.refresh_styles and self._seen
        self._seen = True

    def _lay_over(self) -> None:
        width, height = self.app.size
        if not self._covered and (width < LEAST_WIDTH or height < LEAST_HEIGHT):
            self._covered = True
            self.mount(TooSmall())

    def footer_label(self, command_id: str) -> str | None:
        """Give the footer another word for a command than the table has; None for that one, nothing to leave it out."""
        return "quit" if command_id == "back" and self.is_first else None

    passing: ClassVar[bool] = False
    """Whether nobody wants to go back to this screen once it has opened another one."""

    @property
    def is_first(self) -> bool:
        """Whether there is nothing to go back to."""
        stay = [screen for screen in self.app.screen_stack if screen is self or not getattr(screen, "passing", False)]
        return stay[0] is self

    def action_next_pane(self) -> None:
        """Move the focus on."""
        self.focus_next()

    def action_previous_pane(self) -> None:
        """Move the focus back."""
        self.focus_previous()

    def action_back(self) -> None:
        """Go to the screen before; from the first one there is only the way out."""
        if not is_on_top(self):
            return
        if self.is_first:
            self.app.exit()
        else:
            self.app.pop_screen()

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close it with an answer; never the screen below it."""
        return super().dismiss(result) if is_on_top(self) else AwaitComplete()


class Dialog(ModalScreen[ScreenResultType]):
    """A screen laid over another one, closed by escape."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.DIALOG)

    def action_close(self) -> None:
        """Close without an answer."""
        self.dismiss(None)

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close it with an answer; never the screen below it."""
        return super().dismiss(result) if is_on_top(self) else AwaitComplete()
