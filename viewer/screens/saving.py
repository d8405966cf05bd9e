"""Screens from which something can be saved: a report, the screen itself, a repro without what was said."""

from __future__ import annotations

import os
import sys
from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING

from core import Workspace

from ..state_folder import current_folder, home_folder
from .taking import TakingScreen

if TYPE_CHECKING:
    from ..saves import Save


class SavingScreen(TakingScreen):
    """Offers what there is to save."""

    @abstractmethod
    def saves(self, workspace: Workspace) -> Iterator[Save]:
        """Give what can be saved, beside the screen."""

    @property
    @abstractmethod
    def save_name(self) -> str:
        """What the picture of the screen is called."""

    def action_save(self) -> None:
        """Choose what to save, and where."""
        # Reports are for few: what writes them is loaded when somebody asks, not when a screen opens.
        from ..saves import screen_save, usual_folder
        from .save import SaveScreen

        workspace = self.read_workspace
        if workspace is None:
            return
        svg = self.app.export_screenshot(title="maka-ledger", simplify=True)
        offers = [*self.saves(workspace), screen_save(workspace, svg, self.save_name)]
        folder, why = usual_folder(workspace, sys.platform, os.environ, home_folder(), current_folder())
        self.app.push_screen(SaveScreen(offers, folder, why, signs=self.app.signs), self._saved)

    def _saved(self, said: str | None) -> None:
        if said is not None:
            self.say(said)
