"""Writing what we make: new files and folders only, never over something, never into the workspace that is read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from ..errors import RequestError
from ..storage.files import describe
from ..workspace import Workspace

_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
"""Exclusive: where something lies already, be it a link to nowhere, the system refuses."""

_PRIVATE: Final = 0o600
"""Mode of a new file: what is taken out of a ledger is the reader's alone until they say otherwise."""


class OutputRefused(RequestError):
    """The output may not, or cannot, be written where it was asked for; nothing was changed."""

    code = "output_refused"


def write_new_file(path: Path, payload: bytes, source: Workspace) -> None:
    """Write a file that does not exist yet. Raises OutputRefused."""
    check_outside(path, source)
    _write(path, payload)


def write_new_folder(
    path: Path, files: Mapping[str, bytes], source: Workspace, modified_ms: float | None = None
) -> None:
    """Make a folder that does not exist yet and write files into it. Raises OutputRefused; a half is taken away.

    `modified_ms` is the time of last writing that the files shall have, milliseconds since 1970.
    """
    check_outside(path, source)
    try:
        path.mkdir(mode=0o700)
    except OSError as error:
        raise _refused(error, path) from error
    try:
        for name, payload in files.items():
            _write(path / name, payload)
            if modified_ms is not None:
                os.utime(path / name, (modified_ms / 1000, modified_ms / 1000))
    except BaseException:
        for name in files:
            (path / name).unlink(missing_ok=True)
        path.rmdir()
        raise


def check_outside(path: Path, source: Workspace) -> None:
    """Raise OutputRefused where a path lies inside the workspace that is read, also by way of links."""
    try:
        inside = lies_around(path, source.root)
    except (OSError, ValueError) as error:
        raise _refused(error, path) from error
    if inside:
        raise OutputRefused(
            "this place lies inside the workspace that is read, and nothing is ever written there",
            path=str(path),
            hint="name a place outside of it",
        )


def lies_around(path: Path, opened: Path) -> bool:
    """Tell whether a path lies inside the state root around what was opened, also by way of links."""
    protected = _state_root(opened)
    return any(_same(folder, protected) for folder in _ancestors(path))


def is_outside(path: Path, source: Workspace) -> bool:
    """Tell whether a path lies outside of the workspace that is read, also by way of links."""
    try:
        check_outside(path, source)
    except OutputRefused:
        return False
    return True


def _state_root(opened: Path) -> Path:
    """Return the folder that nothing may be written to: the state root around what was opened, or that itself."""
    real = Path(os.path.realpath(opened))
    folder = real if real.is_dir() else real.parent
    session = folder.parent.parent if folder.parent.name == "runs" else folder
    if session.parent.name == "sessions":
        return session.parent.parent
    return folder.parent if folder.name == "sessions" else folder


def _ancestors(path: Path) -> Iterator[Path]:
    real = Path(os.path.realpath(path.absolute().parent)) / path.name
    yield from (real, *real.parents)


def _same(folder: Path, other: Path) -> bool:
    try:
        return folder.samefile(other)
    except OSError:
        return folder == other


def _write(path: Path, payload: bytes) -> None:
    try:
        descriptor = os.open(path, _FLAGS, _PRIVATE)
    except (OSError, ValueError) as error:
        raise _refused(error, path) from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(payload)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _refused(error, path) from error
        raise


def _refused(error: Exception, path: Path) -> OutputRefused:
    if isinstance(error, FileExistsError):
        return OutputRefused(
            "this exists already, and nothing is ever overwritten", path=str(path), hint="name a new file"
        )
    said = describe(error) if isinstance(error, OSError) else str(error)
    return OutputRefused(f"it cannot be written: {said}", path=str(path))
