"""The profile of an additional-permissions request: which paths, and the network."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, UnsetType

from .json_write import canonical_json
from .scalars import OnlyTrue, Record, units

_LONGEST_PATH: Final = 4096
_LONGEST_PROFILE: Final = 65536
_WINDOWS_ROOT: Final = re.compile(r"[A-Za-z]:\\")
_NO_SEGMENTS: Final = frozenset({"", ".", ".."})


class FileEntry(Record, frozen=True):
    """Access to one absolute path, or to all below it."""

    path: str
    access: Literal["read", "write"]
    scope: Literal["exact", "subtree"]

    def __post_init__(self) -> None:
        """Hold the path to an absolute one in its plainest spelling."""
        if units(self.path) > _LONGEST_PATH or not (_is_posix(self.path) or _is_windows(self.path)):
            raise ValueError("path is no plain absolute path")

    def covers(self, other: FileEntry) -> bool:
        """Whether this entry grants all that the other one does."""
        if self.access == "read" and other.access == "write":
            return False
        mine, theirs = _comparable(self.path), _comparable(other.path)
        if self.scope == "exact":
            return mine == theirs and other.scope == "exact"
        return theirs == mine or theirs.startswith(mine.rstrip("/\\") + ("\\" if "\\" in mine else "/"))


def _is_posix(path: str) -> bool:
    return path[:1] == "/" and "\0" not in path and "\\" not in path and _NO_SEGMENTS.isdisjoint(path[1:].split("/"))


def _is_windows(path: str) -> bool:
    rest = path[3:]
    if not _WINDOWS_ROOT.match(path) or not {"/", "\0", ":"}.isdisjoint(rest):
        return False
    return not rest or _NO_SEGMENTS.isdisjoint(rest.split("\\"))


def _comparable(path: str) -> str:
    return path.lower() if _WINDOWS_ROOT.match(path) else path


class FileSystemProfile(Record, frozen=True):
    """The paths asked for."""

    entries: Annotated[tuple[FileEntry, ...], Meta(max_length=32)]


class NetworkProfile(Record, frozen=True):
    """The network is asked for."""

    enabled: OnlyTrue


class PermissionProfile(Record, frozen=True):
    """What a tool asks for beyond its sandbox: at least one path, or the network."""

    file_system: FileSystemProfile | UnsetType = UNSET
    network: NetworkProfile | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Hold the profile to asking for something, at a length that can be shown."""
        entries = self.file_system.entries if self.file_system else ()
        if not entries and not self.network:
            raise ValueError("the profile asks for nothing")
        document: dict[str, object] = {"network": {"enabled": True}} if self.network else {}
        if self.file_system:
            document["fileSystem"] = {
                "entries": [{"access": e.access, "path": e.path, "scope": e.scope} for e in _not_covered(entries)]
            }
        if len(canonical_json(document).encode()) > _LONGEST_PROFILE:
            raise ValueError("the profile is too long")


def _not_covered(entries: tuple[FileEntry, ...]) -> list[FileEntry]:
    """Return the entries that no other covers; of equal ones, the first."""
    kept: list[FileEntry] = []
    for entry in entries:
        if not any(other.covers(entry) for other in kept):
            kept = [other for other in kept if not entry.covers(other)] + [entry]
    return kept
