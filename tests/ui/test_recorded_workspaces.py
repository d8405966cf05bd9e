"""Workspaces whose writers were really killed, on the screen of all runs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import cast

from core import open_workspace, triage
from tests.support.aio import run
from tests.support.harbor import NOW_MS
from tests.support.shots import screen_lines
from tests.support.stillness import rest
from tests.support.workspaces import expectations, fingerprint
from viewer.app import ViewerApp
from viewer.opening import Opened, first_screen
from viewer.screens.workspace import WorkspaceScreen


def test_every_recorded_workspace_is_listed_whole(workspaces: Path) -> None:
    """The list counts what `core` decides, run by run, walks through all of it, and changes no file."""
    before = fingerprint(workspaces)

    async def look(root: Path) -> None:
        with open_workspace(root) as workspace:
            expected = Counter(str(summary.verdict) for summary in triage(workspace, NOW_MS))
            app = ViewerApp(lambda: first_screen(Opened(workspace)), now_ms=lambda: NOW_MS)
            async with app.run_test(size=(120, 30)) as pilot:
                await rest(pilot)
                await pilot.pause()
                screen = cast("WorkspaceScreen", app.screen)
                assert +Counter({str(name): count for name, count in screen.counts.counts.verdicts.items()}) == expected
                assert f"{expected.total()} of {expected.total()} runs read" in screen_lines(app)[0]
                for key in ("G", "g", "e", "E"):
                    await pilot.press(key)
                await pilot.pause()

    names = [found["workspace"] for found in expectations(workspaces)]
    assert len(names) == 10
    for name in names:
        run(look(workspaces / name))
    assert fingerprint(workspaces) == before
