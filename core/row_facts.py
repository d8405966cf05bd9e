"""Everything that one row says, in named values for a person to read; big values are cut and their size is told.

The text is the ledger's own: hostile until it is printed safely.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from .codec import event_document
from .events import RuntimeEvent
from .explain import absolute_time, ago
from .json_write import plain_json
from .ledger import Ledger, LedgerChanged
from .partials import PartialSnapshot
from .rows import Row, RowKind
from .summary import size_text
from .witnesses import torn_fragment

DECODED_AT_MOST: Final = 4 << 20
"""Bytes. A longer row is shown by its beginning instead of being decoded."""

SHOWN_AT_MOST: Final = 64 << 10
"""Characters of one value."""

_RAW_AT_MOST: Final = 4096
"""Bytes of a row that is shown undecoded."""

_PLAIN: Final = ("id", "role", "author", "status", "partial", "modelVisibility", "origin", "branch")
_RENAMED: Final = {"kind": "content", "id": "call id"}
"""Names that would be read as the event's own."""

_IDS: Final = ("runId", "sessionId", "turnId", "invocationId")


@dataclass(frozen=True, slots=True)
class RowFact:
    """One named value."""

    name: str
    text: str
    block: bool = False
    """Whether it may have many lines and stands below its name."""
    left_out: str = ""
    """How much is not shown; empty where all of it is."""


def row_facts(ledger: Ledger, index: int, now_ms: float | None = None) -> tuple[RowFact, ...]:
    """Read one row, whatever it is. Raises LedgerChanged where it is gone."""
    row = ledger.rows[index]
    if row.finding is not None:
        return tuple(_damaged(ledger, row))
    if row.length > DECODED_AT_MOST:
        return tuple(_undecoded(ledger, row))
    event = ledger.event_at(row)
    if event is None:
        raise LedgerChanged("the row no longer decodes", path=ledger.path, line=row.line, offset=row.offset)
    return tuple(_event(row, event, now_ms))


def partial_facts(snapshot: PartialSnapshot) -> tuple[RowFact, ...]:
    """Read an unfinished stream."""
    facts = [RowFact("partial", "an unfinished stream: not an event, not counted"), RowFact("file", snapshot.name)]
    if snapshot.ts is not None:
        facts.append(RowFact("time", absolute_time(snapshot.ts)))
    document = dict(snapshot.document)
    if snapshot.text is not None:
        facts.append(_block("text so far", snapshot.text))
        document.pop("content", None)
    return (*facts, _block("event", json_text(document)))


def json_text(value: Any) -> str:
    """Write any JSON value with indentation, or on one line where it is nested too deeply for that."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=2)
    except RecursionError:
        return plain_json(value)


def _place(row: Row) -> Iterator[RowFact]:
    number = f"event {row.number:,}, " if row.number is not None else "not counted, "
    yield RowFact("row", f"{number}line {row.line:,}, byte {row.offset:,}, {row.length:,} bytes")


def _event(row: Row, event: RuntimeEvent, now_ms: float | None) -> Iterator[RowFact]:
    document = event_document(event)
    yield from _place(row)
    age = f", {ago(now_ms - event.ts)}" if now_ms is not None and now_ms >= event.ts else ""
    yield RowFact("time", absolute_time(event.ts) + age)
    for name in _PLAIN:
        if name in document:
            yield RowFact(name, _word(document[name]))
    content = document.get("content")
    if isinstance(content, Mapping):
        for name, value in content.items():
            yield _value(_RENAMED.get(str(name), str(name)), value)
    for name, value in (document.get("actions") or {}).items():
        yield _value(name, value)
    for name, value in (document.get("refs") or {}).items():
        yield RowFact(name, _word(value))
    for name in _IDS:
        yield RowFact(name, str(document[name]))


def _value(name: str, value: Any) -> RowFact:
    if isinstance(value, (Mapping, list)) or (isinstance(value, str) and (len(value) > 60 or "\n" in value)):
        return _block(name, value if isinstance(value, str) else json_text(value))
    return RowFact(name, _word(value))


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)


def _block(name: str, text: str) -> RowFact:
    left_out = f"{len(text) - SHOWN_AT_MOST:,} more characters" if len(text) > SHOWN_AT_MOST else ""
    return RowFact(name, text[:SHOWN_AT_MOST], True, left_out)


def _damaged(ledger: Ledger, row: Row) -> Iterator[RowFact]:
    finding = row.finding
    if finding is None:
        return
    yield from _place(row)
    yield RowFact("code", finding.code)
    yield RowFact("complaint", finding.message)
    if finding.field:
        yield RowFact("field", finding.field)
    if finding.detail:
        yield RowFact("where", finding.detail)
    fragment = torn_fragment(ledger) if row.kind is RowKind.TORN else None
    if fragment is not None:
        yield RowFact("looks like", fragment.says)
    yield _beginning(ledger, row)


def _undecoded(ledger: Ledger, row: Row) -> Iterator[RowFact]:
    yield from _place(row)
    yield RowFact("kind", row.kind.word)
    if row.ts is not None:
        yield RowFact("time", absolute_time(row.ts))
    yield RowFact("size", f"{size_text(row.length)}: only the beginning is shown")
    yield _beginning(ledger, row)


def _beginning(ledger: Ledger, row: Row) -> RowFact:
    shown = min(row.length, _RAW_AT_MOST)
    text = ledger.source.read_row(row.offset, shown).decode("utf-8", "replace")
    left_out = f"{row.length - shown:,} more bytes" if row.length > shown else ""
    return RowFact("bytes", text, True, left_out)
