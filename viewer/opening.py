"""Opens a workspace and shows it. Opening is quick; where it is not, a screen says so and no key is lost."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from textual.screen import Screen

from core import CoreError

from .app import ViewerApp
from .collecting import collect_again
from .leaving import orderly_end
from .memory import FILE, Memory
from .reading_apart import Helpers, is_one_run
from .state_folder import home_folder, state_folder
from .targets import Target, exit_code_of, only_run, parse_target, title_of
from .themes import LIGHT

if TYPE_CHECKING:
    from core import Helper, Run, Workspace

PATIENCE_SECONDS: Final = 0.5
"""An opening that takes no longer needs no screen of its own, and its error is one line of the command line."""


class Opened(Struct, frozen=True):
    """A workspace, and the run to begin with where there is no choice."""

    workspace: Workspace
    run: Run | None = None
    title: str | None = None
    event_id: str | None = None


def open_target(target: Target, stop: Callable[[], bool] = lambda: False, *, one_run: bool = False) -> Opened:
    """Open what a person gave. Raises CoreError; a workspace that was opened in vain is closed.

    `stop` is asked often while a database is read, now and later; `one_run` refuses a choice of several.
    """
    from core import open_workspace  # loads what reads and decides, for which the first frame may not have to wait

    workspace = open_workspace(target.path, stop=stop)
    try:
        runs = workspace.runs()
        if target.run_id is None and len(runs) != 1 and not one_run:
            return Opened(workspace)
        run = only_run(workspace, target.run_id)
        return Opened(workspace, run, title_of(workspace, run), target.event_id)
    except BaseException:
        workspace.close()
        raise


class Opening:
    """An opening, once it is begun in a thread that nobody has to wait for."""

    def __init__(self, opener: Callable[[], Opened]) -> None:
        self.future: Future[Opened] = Future()
        self._opener = opener

    def begin(self) -> None:
        """Set it on its way, once."""
        threading.Thread(target=self._run, name="opening", daemon=True).start()

    def _run(self) -> None:
        # From here on it cannot be cancelled: who stops waiting does not take the answer away from `close`.
        self.future.set_running_or_notify_cancel()
        try:
            self.future.set_result(self._opener())
        except CoreError as error:
            self.future.set_exception(error)
        except Exception as error:  # a thread has nobody above it, and whoever waits must hear of it
            said = f"a fault of maka-ledger's own: {type(error).__name__}: {error}"
            self.future.set_exception(CoreError(said, code="tool_fault"))

    def early(self, seconds: float) -> Opened | None:
        """Return what was opened, None if that takes longer. Raises what the opening raised."""
        try:
            return self.future.result(seconds)
        except TimeoutError:
            if self.future.done():
                raise
            return None

    @property
    def error(self) -> CoreError | None:
        """Why it failed, if it did."""
        failure = self.future.exception() if self.future.done() else None
        return failure if isinstance(failure, CoreError) else None

    def close(self) -> None:
        """Close what was opened."""
        if self.future.done() and self.future.exception() is None:
            self.future.result().workspace.close()


def open_viewer(
    path: str,
    *,
    now_ms: Callable[[], float],
    ascii_only: bool = False,
    mouse: bool = True,
    light: bool = False,
    no_color: bool = False,
    encodings: Iterable[str] = (),
    expected_high_water: int | None = None,
    patience: float = PATIENCE_SECONDS,
    ahead: Helper | None = None,
) -> int:
    """Show a workspace until the person leaves, and return the exit code.

    Args:
        path: a path, or a link into a workspace.
        now_ms: the clock, milliseconds since 1970.
        ascii_only: draw with ASCII alone.
        mouse: listen to the mouse.
        light: light colours.
        no_color: no colours.
        encodings: of the streams that lead to the terminal.
        expected_high_water: how many committed events a run must have.
        patience: seconds for which the terminal may stay as it is before there is a screen.
        ahead: a process that was started ahead to read for us; it is ended here.

    Raises CoreError if the path cannot be opened and that shows within the patience.

    """
    leaving, helpers = threading.Event(), Helpers(ahead)
    one_run, target = expected_high_water is not None, parse_target(path)
    show = partial(first_screen, expected_high_water=expected_high_water)
    opener = partial(open_target, target, leaving.is_set, one_run=one_run)
    # What takes long to read is seen to open: the first frame waits for nothing that reads.
    at_once = ahead is not None and target.run_id is None and is_one_run(target.path)
    opening = Opening(partial(_open_and_load, opener) if at_once else opener)
    try:
        first: Callable[[], Screen[Any]]
        if at_once:
            first = partial(_opening_run, path, opening, show)
        else:
            opening.begin()
            opened = opening.early(patience)
            first = partial(show, opened) if opened else partial(_opening_screen, path, opening, show)
        app = ViewerApp(
            first,
            now_ms=now_ms,
            theme=LIGHT if light else None,
            ascii_only=ascii_only,
            no_color=no_color,
            mouse=mouse,
            encodings=encodings,
            leaving=leaving,
            memory=_memory(opening),
            helpers=helpers,
            ready=collect_again,
        )
        # A terminal that nobody puts back would show the shell over the last screen, without its cursor.
        with orderly_end(app.leave_soon):
            code = app.show()
        return exit_code_of(opening.error) if opening.error else code
    finally:
        leaving.set()
        helpers.close()
        opening.close()


def _opening_screen(path: str, opening: Opening, show: Callable[[Opened], Screen[Any]]) -> Screen[Any]:
    from .screens.opening import OpeningScreen

    return OpeningScreen(path, opening.future, show)


def _opening_run(path: str, opening: Opening, show: Callable[[Opened], Screen[Any]]) -> Screen[Any]:
    from .screens.opening_run import OpeningRunScreen

    return OpeningRunScreen(path, opening.future, show, opening.begin)


def _open_and_load(opener: Callable[[], Opened]) -> Opened:
    """Open, and load the screen that will show it: that would else be done while keys wait."""
    opened = opener()
    import_module(".screens.run", __package__)
    return opened


def first_screen(opened: Opened, *, expected_high_water: int | None = None) -> Screen[Any]:
    """Make the screen to begin with: the run where there is one, the list where there are several."""
    # Each screen is loaded when it is shown.
    from .words import place_of

    place = place_of(opened.workspace)
    if opened.run is not None:
        from .screens.run import RunScreen

        return RunScreen(
            opened.run,
            title=opened.title,
            place=place,
            workspace=opened.workspace,
            expected_high_water=expected_high_water,
            at=opened.event_id,
        )
    from .screens.workspace import WorkspaceScreen

    def show_run(run: Run, title: str | None) -> Screen[Any]:
        from .screens.run import RunScreen

        return RunScreen(run, title=title, place=place, workspace=opened.workspace)

    return WorkspaceScreen(opened.workspace, show_run)


def _memory(opening: Opening) -> Memory:
    """Remember places in the person's state folder, unless that lies in the workspace itself."""
    path = state_folder(sys.platform, os.environ, home_folder()) / FILE

    def allowed() -> bool:
        from core import is_outside

        done = opening.future.done() and opening.future.exception() is None
        return done and is_outside(path, opening.future.result().workspace)

    return Memory(path, allowed=allowed)
