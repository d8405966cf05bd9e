"""Getting names, not only bytes, to stable storage: directories are synced from a file's own up to the state root."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import DurabilityError


def sync_folders(folder: Path, root: Path | None) -> None:
    """Sync `folder` and every folder above it up to `root`, that one included (format: durable append).

    Systems that cannot open a folder at all, Windows above all, have no such sync; there the call does nothing.
    Raises DurabilityError where `root` is missing or does not hold `folder`, and OSError where a sync fails.
    """
    if root is None:
        raise DurabilityError("no root was given up to which folders are to be synced", path=str(folder))
    lowest, highest = folder.resolve(), root.resolve()
    if not lowest.is_relative_to(highest):
        raise DurabilityError(f"the folder does not lie in {highest}", path=str(lowest))
    for level in (lowest, *lowest.parents):
        _sync_folder(level)
        if level == highest:
            return


def _sync_folder(folder: Path) -> None:
    try:
        descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0))
    except PermissionError:
        if os.access(folder, os.R_OK):
            return
        raise
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
