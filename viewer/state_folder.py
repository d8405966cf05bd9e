"""Where the viewer keeps what is its own: a folder of the person's, by the conventions of the system."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

NAME: Final = "maka-ledger"

_NOWHERE: Final = Path(os.path.abspath(os.devnull), "nowhere")  # noqa: PTH100  resolving might follow links
"""Below what is no folder: nothing is there, and nobody can make anything there."""


def home_folder() -> Path:
    """Return the person's home folder; where the system knows none, as in a container, a place where nothing can be."""
    try:
        home = Path.home()
    except RuntimeError:
        return _NOWHERE
    return home if home.is_absolute() else _NOWHERE


def current_folder() -> Path:
    """Return the current folder; where it is gone, a place where nothing can be."""
    try:
        return Path.cwd()
    except OSError:
        return _NOWHERE


def tilde(path: str, home: str) -> str:
    """Write a path as people do who live below that home."""
    home = home.rstrip("/\\")
    if home and path == home:
        return "~"
    for separator in ("/", os.sep):
        if home and path.startswith(home + separator):
            return "~" + path[len(home) :]
    return path


def absolute(path: Path) -> Path:
    """Return a path from the root on; as it is where the current folder is gone."""
    return path if path.is_absolute() else current_folder() / path


def state_folder(platform: str, environ: Mapping[str, str], home: Path) -> Path:
    """Return the folder, whether it is there or not.

    `platform` is in the spelling of `sys.platform`. XDG_STATE_HOME counts on every system, where it is absolute.
    """
    wanted = Path(environ.get("XDG_STATE_HOME") or ".")
    if wanted.is_absolute():
        return wanted / NAME
    if platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / NAME
    if platform == "darwin":
        return home / "Library" / "Application Support" / NAME
    return home / ".local" / "state" / NAME
