"""The profile of an additional-permissions request: which paths, and the network."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from .scalars import OnlyTrue, Record


class FileEntry(Record):
    """Access to one absolute path, or to all below it."""

    path: str
    access: Literal["read", "write"]
    scope: Literal["exact", "subtree"]


class FileSystemProfile(Record):
    """The paths asked for."""

    entries: Annotated[list[FileEntry], Meta(max_length=32)]


class NetworkProfile(Record):
    """The network is asked for."""

    enabled: OnlyTrue


class PermissionProfile(Record):
    """What a tool asks for beyond its sandbox."""

    file_system: FileSystemProfile | UnsetType = UNSET
    network: NetworkProfile | UnsetType = UNSET
