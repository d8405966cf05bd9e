"""A folder that a command is asked to keep what it makes in; nothing that is there already is ever touched."""

from __future__ import annotations

from pathlib import Path

from core import RequestError


def new_folder(path: str) -> Path:
    """Make a folder for its owner alone, or take an empty one as it is.

    Raises RequestError where something is in the folder, where it is none, or where it cannot be made.
    """
    folder = Path(path)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise RequestError(f"the folder to keep cannot be made: {reason}", path=path) from error
    if taken:
        raise RequestError("the folder to keep is not empty", path=path, hint="name a new folder")
    return folder
