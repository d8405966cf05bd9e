"""Which event payloads of a database are damaged, whatever run they belong to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from ..errors import EventDecodeError
from ..records.codec import FAST_EVENTS, REFUSALS, decode_event
from ..storage.findings import Finding
from .database import Database
from .events import COLUMNS, as_row, damaged_payload, place_of
from .reading import EVENT_TABLE, Lost, Selection, Values, read_batches, text

_DECODE: Final = FAST_EVENTS.decode


def damaged_payloads(database: Database) -> list[Finding]:
    """Decode every payload and say which are no event, or name other ids than their columns.

    Rows that cannot be fetched are the matter of `damaged_tables`. Raises ReadStopped.
    """
    found: list[Finding] = []
    for batch in read_batches(database, Selection(EVENT_TABLE, ("session_id", "run_id", *COLUMNS))):
        if not isinstance(batch, Lost) and not _all_sound(batch):
            found += _damaged(batch, database.path)
    return found


def _all_sound(batch: list[Values]) -> bool:
    """Tell quickly that nothing is wrong; False where something may be."""
    if not batch:
        return True
    sessions, runs, ids, invocations, turns, _, stored, payloads = list(zip(*batch, strict=True))[1:]
    if set(stored) != {b"text"}:
        return False
    try:
        events = list(map(_DECODE, payloads))
        for payload in payloads:
            if not payload.isascii():
                str(payload, "utf-8")
    except REFUSALS:
        return False
    return all(
        (event.id, event.session_id, event.run_id, event.invocation_id, event.turn_id) == tuple(map(text, columns))
        for event, columns in zip(events, zip(ids, sessions, runs, invocations, turns, strict=True), strict=True)
    )


def _damaged(batch: list[Values], path: str) -> Iterator[Finding]:
    for values in batch:
        row = as_row((values[0], *values[3:]), text(values[1]), text(values[2]))
        wrong = damaged_payload(row)
        if wrong is None:
            try:
                wrong = damaged_payload(row, decode_event(row.payload))
            except EventDecodeError as error:
                said = f"the payload is damaged: {error.message}"
                wrong = Finding("payload_damaged", said, field=error.field)
        if wrong is not None:
            yield replace(wrong, detail=place_of(row), path=path)
