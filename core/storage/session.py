"""One session of a workspace: its name, what was said last, and its runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final

from ..text import ELLIPSIS
from .run import Run

LONGEST_TITLE: Final = 1 << 12
"""Characters of a name that are kept: every run of every session is listed with it, and a name may be megabytes."""


def as_title(name: str) -> str:
    """Return a name as far as it is kept."""
    return name if len(name) <= LONGEST_TITLE else name[: LONGEST_TITLE - 1] + ELLIPSIS


class Session:
    """A session and its runs."""

    def __init__(
        self,
        session_id: str,
        title: Callable[[], str | None],
        runs: tuple[Run, ...],
        *,
        preview: str | None = None,
        parent_session_id: str | None = None,
        event_order: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        self.session_id = session_id
        self.runs = runs
        self.preview = preview
        """The beginning of its last message, where the storage keeps one."""
        self.parent_session_id = parent_session_id
        """The session whose run started this one."""
        self._read_title = title
        self._read_event_order = event_order

    def __repr__(self) -> str:
        return f"Session({self.session_id!r}, {len(self.runs)} runs)"

    @cached_property
    def title(self) -> str | None:
        """The session's name, or the beginning of a very long one; None where none is recorded."""
        name = self._read_title()
        return None if name is None else as_title(name)

    @cached_property
    def event_order(self) -> tuple[str, ...]:
        """Ids of the events of all its runs in the order in which they were written; empty where nothing records it."""
        return self._read_event_order()
