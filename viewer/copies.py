"""Copies that a person takes out: offered to the terminal's clipboard, and always written to a file of their own.

The file is private, new, and lies in the person's own state folder: never in the workspace that is read.
"""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from core import temporary_folder_at

from .state_folder import state_folder

CLIPBOARD_AT_MOST: Final = 64 << 10
"""Bytes that are offered to the terminal: many drop a longer sequence without a word."""

_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_TRIES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Copy:
    """Something that can be taken out, as the ledger has it."""

    name: str
    """How it is called in a list."""
    what: str
    """What it is; hostile until it is printed safely."""
    read: Callable[[], bytes] = field(repr=False, compare=False)
    """Gives its bytes; may take long, and may raise CoreError where the storage changed."""
    stem: str
    """Name of its file, before the number that makes it a new one."""
    suffix: str


def text_copy(name: str, what: str, text: str, stem: str, suffix: str = ".txt") -> Copy:
    """Offer a text that is at hand."""
    return Copy(name, what, lambda: text.encode("utf-8", "surrogatepass"), stem, suffix)


def copies_folder(platform: str, environ: Mapping[str, str], home: Path) -> Path:
    """Say where copies go, by the conventions of the system."""
    return state_folder(platform, environ, home) / "copies"


def write_copy(
    folder: Path, copy: Copy, payload: bytes, *, allowed: Callable[[Path], bool] = lambda folder: True
) -> Path:
    """Write a copy to a new file and return its path.

    It lies in a temporary folder where the folder cannot be written to, or may not be by the word of `allowed`. Raises
    OSError where nothing can be written at all.
    """
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", copy.stem)[:80].strip("-") or "copy"
    try:
        if allowed(folder):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return _write_new(folder, stem, copy.suffix, payload)
    except OSError:
        pass  # the next place may take it, and its error is told if it does not
    other = temporary_folder_at(allowed)
    if other is None:
        raise OSError(errno.EROFS, "no temporary folder outside of the workspace can be written to")
    return _write_new(Path(tempfile.mkdtemp(prefix="maka-ledger-", dir=other)), stem, copy.suffix, payload)


def _write_new(folder: Path, stem: str, suffix: str, payload: bytes) -> Path:
    for number in range(1, _TRIES):
        path = folder / (f"{stem}{suffix}" if number == 1 else f"{stem}-{number}{suffix}")
        try:
            descriptor = os.open(path, _FLAGS, 0o600)
        except FileExistsError:
            continue
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(payload)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path
    raise FileExistsError(str(folder))
