"""Where the viewer keeps what is its own: a folder of the person's, by the conventions of the system."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

NAME: Final = "maka-ledger"


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
