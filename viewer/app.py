"""The application: colours, the keys that work everywhere, and an orderly end. Screens do the rest."""

from __future__ import annotations

import sys
from asyncio import AbstractEventLoop, get_running_loop
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from threading import Event
from typing import TYPE_CHECKING, ClassVar

from rich.console import RenderableType
from rich.text import Text
from textual import events, on
from textual.app import App
from textual.binding import BindingType
from textual.command import Provider
from textual.driver import Driver
from textual.filter import LineFilter, NoColor
from textual.screen import Screen
from textual.widgets import Input

from core import CoreError, TimeMode, printable

from .command import Context
from .commands import bindings_for
from .drivers import patient
from .held_text import HeldText
from .leaving import woken_by_signals
from .memory import Memory
from .reading_apart import Helpers
from .styles import ASCII, UNICODE, Signs
from .themes import DARK, LIGHT, TERMINAL, THEMES

if TYPE_CHECKING:
    from core import Entry


def _table_commands() -> type[Provider]:
    from .palette import TableCommands  # loaded when somebody opens it

    return TableCommands


def _places_of_the_screen() -> type[Provider]:
    from .palette import PlacesOfTheScreen

    return PlacesOfTheScreen


class ViewerApp(App[int]):
    """Shows one first screen and whatever it opens. Its return value is the exit code."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.APP)
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_table_commands, _places_of_the_screen}
    CSS_PATH = ["viewer.tcss", "screens/run.tcss"]  # noqa: RUF012 - the type that Textual gives it
    TITLE = "maka-ledger"
    ENABLE_COMMAND_PALETTE = True

    def __init__(
        self,
        first: Callable[[], Screen[None]],
        *,
        now_ms: Callable[[], float],
        theme: str | None = None,
        ascii_only: bool = False,
        no_color: bool = False,
        mouse: bool = True,
        encodings: Iterable[str] = (),
        leaving: Event | None = None,
        memory: Memory | None = None,
        helpers: Helpers | None = None,
        ready: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare the application; nothing is drawn yet.

        Args:
            first: makes the screen to start with.
            now_ms: the clock, in milliseconds since 1970; the only one that screens look at.
            theme: name of a theme; by itself dark, or the terminal's own colours where it has but sixteen or none.
            ascii_only: draw with ASCII alone.
            no_color: draw without colour, as the variable NO_COLOR asks too; it beats any theme.
            mouse: listen to the mouse.
            encodings: of the streams that lead to the terminal; UTF-8 by themselves.
            memory: remembers where the person was; by itself until the end of the program.
            leaving: set as soon as the person leaves, so that threads that nobody waits for stop.
            helpers: processes that read for the screens; by itself none is started ahead.
            ready: called once, when the first frame is there.

        """
        super().__init__()
        self.no_color = self.no_color or no_color
        self.first = first
        self.now_ms = now_ms
        self.signs: Signs = ASCII if ascii_only else UNICODE
        self.mouse = mouse
        self.held_text = HeldText(encodings)
        self.loop: AbstractEventLoop | None = None
        """The loop that runs the application, until it is told to end."""
        self.leaving = leaving or Event()
        self.memory = memory or Memory()
        self.helpers = helpers or Helpers()
        self._shown: ExitStack | None = None
        self._when_ready = ready
        self.times: TimeMode = self.memory.times
        """How times are written, on every screen."""
        self.last_pattern = ""
        """What was searched last: the next search begins with it."""
        self.last_filter = ""
        """What rows were filtered by last."""
        for known in THEMES:
            self.register_theme(known)
        self.theme = self._fitting_theme(theme)
        self._theme_read = self.theme
        """The theme whose colours the style sheets have."""
        self.stylesheet.set_variables(self.get_css_variables())

    def _fitting_theme(self, wanted: str | None) -> str:
        if self.no_color:
            return TERMINAL
        few = self.console.color_system in (None, "standard", "windows")
        return wanted or (TERMINAL if few else DARK)

    def on_ready(self) -> None:
        """Tell that the first frame is there."""
        self._when_ready()

    async def on_event(self, event: events.Event) -> None:
        """Let nothing that is pasted reach the terminal as it is, in the fields of Textual neither."""
        if isinstance(event, events.Paste):
            from .widgets.field import LONGEST

            event.text = printable("".join(event.text.splitlines()[:1]), limit=LONGEST)
        await super().on_event(event)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Send no colour at all where none is wanted; greys of our own could vanish on the terminal's ground."""
        filters = [NoColor()] if self.no_color else super().get_line_filters()
        return [*filters, self.held_text] if self.held_text.enabled else filters

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer other colours only where there are colours, and to suspend only where the system can."""
        del parameters
        if action == "suspend_process":
            return sys.platform != "win32" and self._driver is not None and self._driver.can_suspend
        return not (action == "toggle_theme" and self.no_color)

    def get_default_screen(self) -> Screen[None]:
        """Start with the first screen, with nothing below it."""
        return self.first()

    def refresh_css(self, animate: bool = True) -> None:
        """Read the style sheets anew only for other colours; Textual does it at every start, for the same ones."""
        if self.theme == self._theme_read:
            self.stylesheet.update(self, animate=animate)
            return
        self._theme_read = self.theme
        super().refresh_css(animate)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Let our style sheet resolve under any theme."""
        return dict(THEMES[0].variables)

    def exit(self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Leave, and let every thread know it."""
        self.leaving.set()
        self.helpers.close()
        super().exit(result, return_code, message)

    def on_load(self) -> None:
        """Remember the loop, which signals have to reach."""
        self.loop = get_running_loop()
        if self._shown is not None:
            self._shown.enter_context(woken_by_signals(self.loop))

    @on(Driver.SignalResume)
    def draw_again(self) -> None:
        """Draw all of it: the terminal was somebody else's meanwhile, and keeps nothing of a screen that was left."""
        self.refresh(layout=True)

    def leave_soon(self, code: int) -> bool:
        """Leave with an exit code when the loop comes to it; False where no loop runs, or it was asked before.

        A signal that raised in the middle of the loop could leave the terminal as it is, or never end.
        """
        if self.loop is None or self.loop.is_closed():
            return False
        self.loop.call_soon_threadsafe(self.exit, None, code)
        self.loop = None
        return True

    def show(self) -> int:
        """Run until the person leaves; the exit code, 1 if the viewer failed."""
        with ExitStack() as self._shown:
            answer = self.run(mouse=self.mouse)
        return answer or self.return_code or 0

    def action_toggle_theme(self) -> None:
        """Change between dark and light."""
        self.theme = LIGHT if self.current_theme.dark else DARK

    def action_command_palette(self) -> None:
        """Open the palette."""
        from .palette import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(id="--command-palette"))

    def action_help(self) -> None:
        """Explain the keys that work on the present screen."""
        from .screens.help import HelpScreen

        ids = [active.binding.id for active in self.screen.active_bindings.values() if active.binding.id]
        codes: Sequence[Entry] = getattr(self.screen, "codes_on_screen", ())
        self.push_screen(HelpScreen(ids, signs=self.signs, codes=codes))

    def action_interrupt(self) -> None:
        """Copy what is selected; leave if nothing is, since there is nothing to lose."""
        focused = self.screen.focused
        selected = self.screen.get_selected_text() or (focused.selected_text if isinstance(focused, Input) else "")
        if selected:
            self.copy_to_clipboard(selected)
        else:
            self.exit()

    def _handle_exception(self, error: Exception) -> None:
        """Fail; but once the person has left, screens are half taken down, and what misses the rest is no fault."""
        if self.leaving.is_set():
            self._close_messages_no_wait()
        else:
            super()._handle_exception(error)

    def get_driver_class(self) -> type[Driver]:
        """Hear the terminal so that noise does not end the viewer."""
        return patient(super().get_driver_class())

    def panic(self, *renderables: RenderableType) -> None:
        """End with one line where the toolkit itself failed, for the same reasons."""
        if "debug" in self.features:
            super().panic(*renderables)
            return
        # A thread of Textual hands over the traceback that it would print, anything else the error itself.
        stacks = [stack for found in renderables for stack in getattr(getattr(found, "trace", None), "stacks", ())]
        told = _fault(stacks[0].exc_type, stacks[0].exc_value) if stacks else _last_words(self._exception)
        self.exit(return_code=1, message=Text(told))

    def _fatal_error(self) -> None:
        """End with one line for a person; a traceback would bury it, and could hold text of the ledger."""
        if "debug" in self.features:
            super()._fatal_error()
            return
        self._exit_renderables.append(Text(_last_words(self._exception)))
        self._close_messages_no_wait()


def _last_words(error: Exception | None) -> str:
    if isinstance(error, CoreError):
        hint = f" {error.hint}" if error.hint else ""
        return printable(f"maka-ledger: {error}{hint}", limit=2000)
    return _fault(type(error).__name__, str(error))


def _fault(kind: str, said: str) -> str:
    told = ": ".join(filter(None, (kind, printable(said, limit=500))))
    return f"maka-ledger stopped on a fault of its own: {told}. The workspace was only read."
