"""Unfinished streams: text, thinking or a tool's sign of life whose final row was never committed.

They are shown, never counted: a snapshot is no fact of the ledger (format: partial snapshots). What lies in the files
is not validated against any shape; a snapshot that cannot be read is skipped and never makes a run unreadable.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Final

from msgspec import Struct

from ..errors import CoreError
from ..records.collation import CollationKey, collation_key
from ..records.events import RuntimeEvent
from ..records.json_text import JsonError, parse
from .files import ReadFailed, file_state, is_link, listing, read_whole
from .stream_keys import completed_key, document_stream_key

PARTIAL_LIMIT: Final = 128 << 20
"""Bytes. A longer snapshot is skipped: it is evidence beside the ledger, not part of it."""

PARTIALS_LIMIT: Final = 256 << 20
"""Bytes of all snapshots of a run that are read."""

_STREAMED: Final = ("text", "thinking")


class PartialSnapshot(Struct, frozen=True):
    """One unfinished stream, as far as it got."""

    name: str
    """The file's name, or the stream key in a database."""
    document: Mapping[str, object]
    """The event as plain JSON types, with all text received so far; of its shape only `partial` is known."""
    after_event_id: object = None
    """Id of the ledger row after which the stream began; None or empty for before the first. Not always a string."""
    key: str | None = None
    """The stream's key; None where the event is no stream event, and so can never be completed."""

    @property
    def id(self) -> str | None:
        """Id of the first event of the stream, where it has one."""
        return _text(self.document.get("id"))

    @property
    def ts(self) -> float | None:
        """Milliseconds since 1970 of the first event of the stream, where it has a time."""
        ts = self.document.get("ts")
        return float(ts) if isinstance(ts, int | float) and not isinstance(ts, bool) and isfinite(ts) else None

    @property
    def kind(self) -> str | None:
        """Kind of the content; None for a sign of life, which has no content."""
        content = self.document.get("content")
        return _text(content.get("kind")) if isinstance(content, Mapping) else None

    @property
    def text(self) -> str | None:
        """What was streamed so far; None where the stream is not of text."""
        content = self.document.get("content")
        return _text(content.get("text")) if isinstance(content, Mapping) and self.kind in _STREAMED else None

    @property
    def tool_call_id(self) -> str | None:
        """The tool call that a sign of life belongs to."""
        refs = self.document.get("refs")
        return _text(refs.get("toolCallId")) if isinstance(refs, Mapping) else None

    def as_document(self) -> dict[str, object]:
        """Return plain JSON types; absent facts are absent keys."""
        facts = {"name": self.name, "event": dict(self.document), "afterEventId": self.after_event_id, "key": self.key}
        return {key: value for key, value in facts.items() if value is not None}


def read_partials(folder: Path) -> tuple[PartialSnapshot, ...]:
    """Read every snapshot of a `runtime-partials` folder, in byte order of names; a missing folder holds none.

    Links are not followed, neither in the folder nor in its place. Behind `PARTIALS_LIMIT` bytes no more are read.
    """
    if is_link(folder):
        return ()
    try:
        with listing(folder) as entries:
            files = [folder / entry.name for entry in entries if entry.name.endswith(".partial")]
    except OSError:
        return ()
    read: list[PartialSnapshot] = []
    left = PARTIALS_LIMIT
    for path in sorted(files, key=lambda path: os.fsencode(path.name)):
        state = file_state(path, follow=False)
        left -= state.size if state is not None else 0
        if left < 0:
            break
        if (snapshot := _read_snapshot(path)) is not None:
            read.append(snapshot)
    return tuple(read)


def parse_partial(name: str, payload: bytes) -> PartialSnapshot | None:
    """Read one snapshot from its bytes: a JSON line, then the raw text. None where they are no snapshot."""
    line, line_feed, streamed = payload.decode("utf-8", "replace").partition("\n")
    if not line_feed:
        return None
    try:
        head = parse(line)
    except (JsonError, CoreError):
        return None
    if not isinstance(head, dict) or not _is_one(head.get("version")):
        return None
    return make_snapshot(name, head.get("event"), streamed, head.get("afterEventId"))


def make_snapshot(name: str, event: object, streamed: str, after_event_id: object) -> PartialSnapshot | None:
    """Join a stream's first event and its text. None where the event is not a partial one."""
    if not isinstance(event, Mapping) or not _truthy(event.get("partial")):
        return None
    document = dict(event)
    content = document.get("content")
    if isinstance(content, Mapping) and content.get("kind") in _STREAMED:
        document["content"] = {**content, "text": streamed}
    return PartialSnapshot(name, document, after_event_id, document_stream_key(document))


def completed_streams(events: Iterable[RuntimeEvent]) -> frozenset[str]:
    """Return the keys of all streams that the ledger completes."""
    return frozenset(key for event in events if (key := completed_key(event)) is not None)


def shown_partials(snapshots: Sequence[PartialSnapshot], events: Iterable[RuntimeEvent]) -> tuple[PartialSnapshot, ...]:
    """Leave out the snapshots whose stream has its final row in the ledger (format: suppression)."""
    if not any(snapshot.key for snapshot in snapshots):
        return tuple(snapshots)
    completed = completed_streams(events)
    return tuple(snapshot for snapshot in snapshots if snapshot.key not in completed)


def place_partials(
    snapshots: Iterable[PartialSnapshot], count: int, position_of: Callable[[str], int | None]
) -> tuple[tuple[int, PartialSnapshot], ...]:
    """Say where snapshots stand among the rows of a ledger of `count` events, in display order.

    Each comes with the number of rows before it. `position_of` gives the 0-based position of the first row that has an
    id. Snapshots without an anchor come first, those whose anchor is missing come last, grouped by anchor.
    """
    groups: dict[object, list[PartialSnapshot]] = {}
    for snapshot in snapshots:
        groups.setdefault(_anchor(snapshot.after_event_id), []).append(snapshot)
    placed: list[tuple[int, PartialSnapshot]] = []
    for anchor, group in groups.items():
        place = _place(anchor, count, position_of)
        placed.extend((place, snapshot) for snapshot in sorted(group, key=_order))
    return tuple(sorted(placed, key=lambda pair: pair[0]))


def merge_partials(
    events: Sequence[RuntimeEvent], snapshots: Sequence[PartialSnapshot]
) -> tuple[RuntimeEvent | PartialSnapshot, ...]:
    """Return rows and shown snapshots in display order (format: suppression and merge)."""
    positions: dict[str, int] = {}
    for position, event in enumerate(events):
        positions.setdefault(event.id, position)
    merged: list[RuntimeEvent | PartialSnapshot] = []
    done = 0
    for place, snapshot in place_partials(shown_partials(snapshots, events), len(events), positions.get):
        merged.extend(events[done:place])
        merged.append(snapshot)
        done = place
    return (*merged, *events[done:])


def _read_snapshot(path: Path) -> PartialSnapshot | None:
    try:
        return parse_partial(path.name, read_whole(path, PARTIAL_LIMIT, follow=False))
    except ReadFailed:
        return None


def _place(anchor: object, count: int, position_of: Callable[[str], int | None]) -> int:
    if anchor is None:
        return 0
    position = position_of(anchor) if isinstance(anchor, str) else None
    # One more than all rows: behind what is anchored at the last row.
    return count + 1 if position is None else position + 1


def _anchor(value: object) -> object:
    """Return what groups snapshots: None for the beginning, text as it is, anything else by kind and value."""
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else (type(value).__name__, repr(value))


def _order(snapshot: PartialSnapshot) -> tuple[float, CollationKey]:
    return snapshot.ts or 0.0, collation_key(snapshot.id or "")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _is_one(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and value == 1


def _truthy(value: object) -> bool:
    """Tell what JavaScript would: empty arrays and objects are true."""
    return isinstance(value, list | dict) or (bool(value) and value == value)
