"""Screens that things can be taken out of: choose, offer to the clipboard, write to a file, and say what was tried."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work

from core import CoreError, Workspace, is_outside, printable

from ..copies import CLIPBOARD_AT_MOST, Copy, copies_folder, write_copy
from ..state_folder import home_folder, tilde
from .base import BaseScreen

if TYPE_CHECKING:
    from ..app import ViewerApp


class TakingScreen(BaseScreen[None]):
    """Copies what a person chooses."""

    app: ViewerApp
    read_workspace: Workspace | None = None
    """The workspace that is read: no copy is written into it."""

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Tell something that needs no answer."""
        self.notify(printable(text, limit=600), markup=False, severity="warning" if wrong else "information")

    def offer(self, copies: Sequence[Copy]) -> None:
        """Let the person choose what to copy."""
        from .copy import CopyScreen

        self.app.push_screen(CopyScreen(copies, signs=self.app.signs), self._chosen)

    def _chosen(self, copy: Copy | None) -> None:
        if copy is not None:
            self.take_out(copy)

    @work(thread=True, exit_on_error=False, group="copy", description="write a copy")
    def take_out(self, copy: Copy) -> None:
        """Offer a copy to the terminal's clipboard and write it to a file."""
        home = home_folder()
        try:
            payload = copy.read()
        except CoreError as error:
            self.app.call_from_thread(self.say, f"{copy.name}: {error.message}", wrong=True)
            return
        try:
            folder = copies_folder(sys.platform, os.environ, home)
            path = write_copy(folder, copy, payload, allowed=self._may_write)
            said = f"written to {tilde(str(path), str(home))}"
        except OSError as error:
            said = f"no file could be written: {error.strerror or type(error).__name__}"
        self.app.call_from_thread(self._taken, copy.name, payload, said)

    def _may_write(self, folder: Path) -> bool:
        return self.read_workspace is None or is_outside(folder, self.read_workspace)

    def _taken(self, name: str, payload: bytes, said: str) -> None:
        if len(payload) > CLIPBOARD_AT_MOST:
            self.say(f"{name}: {said}. At {len(payload):,} bytes it is too long for the terminal's clipboard.")
            return
        self.app.copy_to_clipboard(payload.decode("utf-8", "replace"))
        self.say(f"{name}: offered to the terminal's clipboard (OSC 52), and {said}")
