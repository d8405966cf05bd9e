"""Where Maka keeps its state by default, and which state roots are there (format: where the file is).

The places follow from the environment alone; looking for what lies there is a step of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Final

PROFILES: Final = ("Maka", "Maka Dev")
"""Folders of the released application and of one built from source, in that order."""

DATABASE: Final = "runtime.sqlite"
DEFAULT_WORKSPACE: Final = "default"


def profile_folders(platform: str, environ: Mapping[str, str], home: str) -> tuple[PurePath, ...]:
    """Return the folder of every profile, the released application's first.

    `platform` is in the spelling of `sys.platform`, `home` is the user's home folder. On Linux XDG_CONFIG_HOME counts
    only where it is absolute; on Windows APPDATA falls back to its usual place below USERPROFILE.
    """
    base: PurePath
    if platform == "win32":
        roaming = environ.get("APPDATA")
        profile = PureWindowsPath(environ.get("USERPROFILE") or home)
        base = PureWindowsPath(roaming) if roaming else profile / "AppData" / "Roaming"
    elif platform == "darwin":
        base = PurePosixPath(home) / "Library" / "Application Support"
    else:
        configured = PurePosixPath(environ.get("XDG_CONFIG_HOME", ""))
        base = configured if configured.is_absolute() else PurePosixPath(home) / ".config"
    return tuple(base / name for name in PROFILES)


def default_state_root(platform: str, environ: Mapping[str, str], home: str) -> PurePath:
    """Return where the released application keeps its state, whether it is there or not."""
    return profile_folders(platform, environ, home)[0] / "workspaces" / DEFAULT_WORKSPACE


def find_state_roots(platform: str, environ: Mapping[str, str], home: str) -> tuple[Path, ...]:
    """Return the state roots that are there: by profile, the default one first, then by name.

    A state root holds a database, or sessions of the time before it. What cannot be listed is left out.
    """
    roots: list[Path] = []
    for profile in profile_folders(platform, environ, home):
        try:
            found = [folder for folder in (Path(profile) / "workspaces").iterdir() if is_state_root(folder)]
        except OSError:
            continue
        roots += sorted(found, key=lambda folder: (folder.name != DEFAULT_WORKSPACE, folder.name))
    return tuple(roots)


def is_state_root(folder: Path) -> bool:
    """Tell whether a folder holds a database or sessions."""
    try:
        return (folder / DATABASE).is_file() or (folder / "sessions").is_dir()
    except OSError:
        return False
