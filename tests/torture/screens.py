"""Screens: a seeded monkey at the viewer, on every workspace, while files change underneath."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any, Final

from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from core import CoreError
from tests.support.run_samples import NOW
from tests.support.shots import screen_lines
from tests.support.workspaces import fingerprint
from tests.torture.monkey import make_move
from tests.torture.outcome import Hang, Outcome, deadline
from tests.torture.places import Maker, meddle, places
from tests.torture.terminals import CONTROLS
from viewer.app import ViewerApp
from viewer.memory import Memory
from viewer.opening import Opened, first_screen, open_target
from viewer.targets import Target

_STEPS: Final = 50
_FEW_STEPS: Final = 15
"""Steps of one sitting at full size, and where there are but few in all, so that they go to more workspaces."""
_MEDDLING: Final = 0.06
"""How often files change before a step."""
_SECONDS: Final = 40.0
"""A step has this long, workers included; far more than it ever takes."""
_LEAVING_SECONDS: Final = 1.0
_FULL: Final = 1000
"""From so many steps on the time that leaving takes is held to its limit."""


def run(cases: int, seed: int, progress: Callable[[int], None] = lambda done: None) -> Outcome:
    """Make that many steps, a sitting of some on each workspace in turn."""
    outcome = Outcome("screens")
    work = Path(tempfile.mkdtemp(prefix="torture-screens-"))
    leaving: list[float] = []
    most = _STEPS if cases >= _FULL else _FEW_STEPS
    try:
        found = list(places(work / "stock").items())
        Random(f"places {seed}").shuffle(found)
        with _own_folders(work):
            for sitting, begin in enumerate(range(0, cases, most)):
                name, make = found[sitting % len(found)]
                steps = min(most, cases - begin)
                one = Sitting(work / f"w{sitting}", make, Random(f"{seed}:{sitting}"), steps)
                outcome.cases += steps
                for law in one.held():
                    outcome.fail(f"screens {seed}:{sitting} {name}", f"{law}; last: {'; '.join(one.done)}")
                leaving.append(one.leaving)
                if cases >= _FULL and one.leaving > _LEAVING_SECONDS:
                    outcome.fail(f"screens {seed}:{sitting} {name}", f"leaving took {one.leaving:.2f} s")
                progress(outcome.cases)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    outcome.notes.append(
        f"{len(leaving)} sittings on {len(found)} workspaces; leaving took {max(leaving):.2f} s at most"
    )
    return outcome


class Sitting:
    """One person at one workspace, from opening it to leaving."""

    def __init__(self, root: Path, make: Maker, rng: Random, steps: int) -> None:
        """Prepare it; nothing is made yet."""
        self.root, self.make, self.rng, self.steps = root, make, rng, steps
        self.done: deque[str] = deque(maxlen=12)
        """The last steps, in words."""
        self.leaving = 0.0
        """Seconds from asking to leave until no thread is left."""
        self._asked = 0.0
        self._now = NOW
        self._told: list[str] = []
        self._before: dict[str, Any] = {}

    def held(self) -> Iterator[str]:
        """Sit down, leave again, and say which laws did not hold."""
        self.make(self.root)
        self._before = fingerprint(self.root)
        try:
            with deadline(_SECONDS * 3 + self.steps * 2):
                opened = open_target(Target(str(self.root)))
                asyncio.run(self._sit(opened))
                self.leaving = time.monotonic() - self._asked
                opened.workspace.close()
        except CoreError as error:
            self._told += [] if error.code in ("not_a_workspace", "workspace_missing") else [str(error)]
        except Hang as hang:
            self._told.append(str(hang))
        except Exception:
            # Any exception at all is the finding here.
            self._told.append(traceback.format_exc(limit=-6))
        self._look_at_files()
        self._told += (f"{path.name} holds a control character" for path in Path.cwd().iterdir() if _controls(path))
        for path in Path.cwd().iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.rmtree(self.root, ignore_errors=True)
        yield from self._told

    async def _sit(self, opened: Opened) -> None:
        size = self.rng.choice(((120, 36), (80, 24), (44, 14)))
        app = ViewerApp(
            lambda: first_screen(opened), now_ms=lambda: self._now, ascii_only=self.rng.random() < 0.2, memory=Memory()
        )
        async with app.run_test(size=size, tooltips=True, notifications=True) as pilot:
            for number in range(self.steps):
                await asyncio.wait_for(self._step(pilot), _SECONDS)
                if app._exit:
                    break
                if number % 5 == 0:
                    lines = screen_lines(app)
                    self._told += (f"{app.screen!r} shows {line!a}" for line in lines if CONTROLS.search(line))
                if number % 10 == 9 and self.rng.random() < 0.7:
                    with suppress(WorkerCancelled):
                        await asyncio.wait_for(app.workers.wait_for_complete(), _SECONDS)
            self._asked = time.monotonic()
            if not app._exit:
                await pilot.press("ctrl+q")
        if app.return_code != 0:
            self._told.append(f"left with {app.return_code}")

    async def _step(self, pilot: Pilot[Any]) -> None:
        if self.rng.random() < _MEDDLING:
            self._look_at_files()
            self.done.append(meddle(self.rng, self.root))
            self._before = fingerprint(self.root)
        if self.rng.random() < 0.1:
            self._now += self.rng.choice((1_000, 60_000, 1e9, -5_000))
        self.done.append(await make_move(self.rng, pilot))
        if self.rng.random() < 0.5:
            await pilot.pause()

    def _look_at_files(self) -> None:
        after = fingerprint(self.root)
        if after != self._before:
            changed = {name for name, _ in self._before.items() ^ after.items()}
            self._told.append(f"the viewer touched {sorted(changed)}")


def _controls(path: Path) -> bool:
    """Tell whether something that was saved for people holds what a terminal would obey."""
    return path.suffix in (".md", ".svg", ".html") and bool(CONTROLS.search(path.read_text("utf-8")))


@contextmanager
def _own_folders(work: Path) -> Iterator[None]:
    """Let all that is saved, copied and remembered lie in folders of ours."""
    here, before = Path.cwd(), os.environ.copy()
    for name in ("saved", "state", "home", "tmp"):
        (work / name).mkdir()
    os.environ |= {"XDG_STATE_HOME": str(work / "state"), "HOME": str(work / "home")}
    temporary, tempfile.tempdir = tempfile.tempdir, str(work / "tmp")
    os.chdir(work / "saved")
    try:
        yield
    finally:
        os.chdir(here)
        tempfile.tempdir = temporary
        os.environ.clear()
        os.environ |= before
