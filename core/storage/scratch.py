"""Folders for temporary files, found without a trace: Python tries each by making a file in it.

A person's TMPDIR may lie in the very workspace that is inspected, and then even a file that is gone at once has
changed the folder's time.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

_VARIABLES: Final = ("TMPDIR", "TEMP", "TMP")


def temporary_folder_at(
    allowed: Callable[[Path], bool], environ: Mapping[str, str] | None = None, platform: str = sys.platform
) -> Path | None:
    """Return the first of the system's folders for temporary files that can be written to and is `allowed`, or None.

    `allowed` is asked before anything is written there. `environ` is by default that of the process.
    """
    for folder in _folders(os.environ if environ is None else environ, platform):
        if folder.is_absolute() and os.access(folder, os.W_OK | os.X_OK) and folder.is_dir() and allowed(folder):
            return folder
    return None


def _folders(environ: Mapping[str, str], platform: str) -> list[Path]:
    """Return the folders that Python would try, the best first; the one alone that it was told or has found."""
    if tempfile.tempdir is not None:
        return [Path(os.fsdecode(tempfile.tempdir))]
    named = [environ[name] for name in _VARIABLES if environ.get(name)]
    if platform != "win32":
        return list(map(Path, (*named, "/tmp", "/var/tmp", "/usr/tmp")))
    usual = (
        os.path.expandvars(r"%LOCALAPPDATA%\Temp"),
        os.path.expandvars(r"%SYSTEMROOT%\Temp"),
        r"C:\Temp",
        r"C:\Tmp",
    )
    return list(map(Path, (*named, *usual)))
