"""Where a person was: kept in the person's own state folder by the ids of session, run and event, never by a path.

So it holds for a workspace that was moved or copied, and never lies in one. A file that is damaged counts as none; one
that another version wrote is left alone.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Container
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from core import RunOrder, TimeMode

SCHEMA: Final = "maka-ledger/places@1"
FILE: Final = "places.json"

_LARGEST: Final = 1 << 20
"""Bytes of a file that is read at all."""
_KEPT: Final = 500
"""Runs, and lists, that are remembered; those left longest ago are forgotten first."""


class RunPlace(msgspec.Struct, frozen=True):
    """Where somebody was in a run."""

    session: str
    run: str
    event: str
    """Id of the event under the cursor."""
    number: int
    """Its 1-based number."""
    events: int
    """Committed events that the ledger had then."""
    page: str = ""
    """The page of the lower pane that was open."""


class ListPlace(msgspec.Struct, frozen=True):
    """Where somebody was in a list of runs."""

    session: str
    run: str
    """The run under the cursor."""
    order: RunOrder = RunOrder.URGENT


class Places(msgspec.Struct, frozen=True):
    """Everything that is remembered, the newest first."""

    schema: str = SCHEMA
    times: TimeMode = TimeMode.UTC
    runs: tuple[RunPlace, ...] = ()
    lists: tuple[ListPlace, ...] = ()


P = TypeVar("P", RunPlace, ListPlace)


class Memory:
    """Remembers places. Without a file it remembers them until the program ends."""

    def __init__(self, path: Path | None = None, *, allowed: Callable[[], bool] = lambda: True) -> None:
        """Read what is remembered.

        Args:
            path: the file; it need not be there.
            allowed: whether it may be written to, asked each time.

        """
        self._path = path
        self._allowed = allowed
        read = _read(path) if path is not None else Places()
        self._foreign = read is None
        self._places = read or Places()

    @property
    def times(self) -> TimeMode:
        """How times were last written."""
        return self._places.times

    def run(self, session_id: str, run_id: str) -> RunPlace | None:
        """Return where somebody was in a run."""
        return next((place for place in self._places.runs if (place.session, place.run) == (session_id, run_id)), None)

    def list_among(self, runs: Container[tuple[str, str]]) -> ListPlace | None:
        """Return where somebody was last in a list that held one of these runs."""
        return next((place for place in self._places.lists if (place.session, place.run) in runs), None)

    def keep(
        self, *, times: TimeMode | None = None, run: RunPlace | None = None, runs: ListPlace | None = None
    ) -> None:
        """Remember something, and write it down as far as that is possible; what another viewer wrote is kept."""
        written = _read(self._path) if self._path is not None and not self._foreign else None
        places = written if written is not None and written.runs + written.lists else self._places
        self._places = Places(
            times=times or self.times,
            runs=_first(run, places.runs) if run else places.runs,
            lists=_first(runs, places.lists) if runs else places.lists,
        )
        if self._path is not None and not self._foreign and self._allowed():
            with contextlib.suppress(OSError):
                _write(self._path, msgspec.json.encode(self._places))


def _first(place: P, places: tuple[P, ...]) -> tuple[P, ...]:
    newest: list[P] = [place]
    newest += (other for other in places if (other.session, other.run) != (place.session, place.run))
    return tuple(newest[:_KEPT])


def _read(path: Path) -> Places | None:
    """Read the file: no place where it is missing or damaged, None where it is of another kind."""
    try:
        with path.open("rb") as file:
            payload = file.read(_LARGEST + 1)
        head = msgspec.json.decode(payload)
    except (OSError, ValueError):
        return Places()
    if isinstance(head, dict) and isinstance(head.get("schema"), str) and head["schema"] != SCHEMA:
        return None
    try:
        return msgspec.convert(head, Places) if len(payload) <= _LARGEST else Places()
    except ValueError:
        return Places()


def _write(path: Path, payload: bytes) -> None:
    """Put a private file in the place of the old one, whole or not at all."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(payload)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
