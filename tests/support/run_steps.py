"""Takes some steps on the screen of a sample, and says what is there."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from tests.support.aio import run
from tests.support.run_screens import screen_of, settle, show_sample
from tests.support.shots import screen_lines
from viewer.app import ViewerApp
from viewer.screens.run import RunScreen

WIDE = (120, 36)
Steps = Callable[[RunScreen, Pilot[Any]], Coroutine[Any, Any, None]]


def on_sample(root: Path, name: str, steps: Steps, size: tuple[int, int] = WIDE, **options: Any) -> ViewerApp:
    """Open a sample and take some steps on its screen."""
    app = show_sample(root, name, **options)

    async def body() -> None:
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            await steps(screen_of(app), pilot)

    run(body())
    return app


def row(screen: RunScreen) -> int | None:
    """Give the 1-based number of the event under the cursor of the timeline."""
    chosen = screen.chosen
    return None if chosen is None or chosen.row is None else chosen.row + 1


def notices(screen: RunScreen) -> list[str]:
    """Give what was told by the way, the newest last."""
    return [notice.message for notice in screen.app._notifications]


def text(screen: RunScreen) -> str:
    """Give the screen as text."""
    return "\n".join(screen_lines(screen.app))
