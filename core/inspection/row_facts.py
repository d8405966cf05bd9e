"""Everything that one row says, in named values for a person to read; big values are cut and their size is told.

The text is the ledger's own: hostile until it is printed safely.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, tzinfo
from typing import Any, Final

from msgspec import Struct

from ..records.codec import event_document
from ..records.events import RuntimeEvent
from ..records.json_write import plain_json
from ..storage.ledger import Ledger, LedgerChanged
from ..storage.partials import PartialSnapshot
from ..storage.rows import Row, RowKind
from .explain import absolute_time, ago
from .summary import size_text
from .witnesses import torn_fragment

DECODED_AT_MOST: Final = 4 << 20
"""Bytes. A longer row is shown by its beginning instead of being decoded."""

SHOWN_AT_MOST: Final = 64 << 10
"""Characters of one value."""

_RAW_AT_MOST: Final = 4096
"""Bytes of a row that is shown undecoded."""

_BYTES: Final = "bytes"
_ZEROS: Final = re.compile(r"\x00{4,}")

_PLAIN: Final = ("id", "role", "author", "status", "partial", "modelVisibility", "origin", "branch")
_RENAMED: Final = {"kind": "content", "id": "call id"}
"""Names that would be read as the event's own."""

_IDS: Final = ("runId", "sessionId", "turnId", "invocationId")


class RowFact(Struct, frozen=True):
    """One named value."""

    name: str
    text: str
    block: bool = False
    """Whether it may have many lines and stands below its name."""
    left_out: str = ""
    """How much is not shown; empty where all of it is."""


def row_facts(
    ledger: Ledger, index: int, now_ms: float | None = None, zone: tzinfo | None = UTC
) -> tuple[RowFact, ...]:
    """Read one row, whatever it is. Raises LedgerChanged where it is gone."""
    row = ledger.rows[index]
    if row.finding is not None:
        return tuple(map(_cut, _damaged(ledger, row)))
    if row.length > DECODED_AT_MOST:
        return tuple(map(_cut, _undecoded(ledger, row)))
    return tuple(map(_cut, _event(ledger, row, _decoded(ledger, row), now_ms, zone)))


def row_value(ledger: Ledger, index: int, place: int) -> RowFact:
    """Read one of the values that `row_facts` gives of a row, by its place there, whole. Raises LedgerChanged."""
    row = ledger.rows[index]
    facts = _damaged(ledger, row) if row.finding is not None else None
    if facts is None and row.length > DECODED_AT_MOST:
        facts = _undecoded(ledger, row)
    found = tuple(facts or _event(ledger, row, _decoded(ledger, row), None, UTC))[place]
    if found.name != _BYTES:
        return found
    return RowFact(_BYTES, raw_text(ledger.raw(index)), True)


def raw_text(payload: bytes, *, whole: bool = True) -> str:
    r"""Write the bytes of a row as text; those that are no UTF-8 as `\xff`, many zero bytes on end by their number.

    Where they are not the whole row, a character that is cut at the end is left out.
    """
    text = codecs.getincrementaldecoder("utf-8")("backslashreplace").decode(payload, final=whole)
    return _ZEROS.sub(lambda found: f"({len(found[0]):,} zero bytes)", text) if "\0\0\0\0" in text else text


def partial_facts(snapshot: PartialSnapshot, zone: tzinfo | None = UTC) -> tuple[RowFact, ...]:
    """Read an unfinished stream."""
    return tuple(map(_cut, _partial(snapshot, zone)))


def partial_value(snapshot: PartialSnapshot, place: int) -> RowFact:
    """Give one of the values that `partial_facts` gives, by its place there, whole."""
    return tuple(_partial(snapshot, UTC))[place]


def _partial(snapshot: PartialSnapshot, zone: tzinfo | None) -> Iterator[RowFact]:
    yield RowFact("partial", "an unfinished stream: not an event, not counted")
    yield RowFact("file", snapshot.name)
    if snapshot.ts is not None:
        yield RowFact("time", absolute_time(snapshot.ts, zone))
    document = dict(snapshot.document)
    if snapshot.text is not None:
        yield RowFact("text so far", snapshot.text, True)
        document.pop("content", None)
    yield RowFact("event", readable_text(document), True)


def _decoded(ledger: Ledger, row: Row) -> RuntimeEvent:
    event = ledger.event_at(row)
    if event is None:
        raise LedgerChanged("the row no longer decodes", path=ledger.path, line=row.line, offset=row.offset)
    return event


def readable_text(value: Any) -> str:
    """Write any JSON value to be read: indented, each text of several lines as these lines behind bars.

    A value that is nested too deeply for that is written as JSON on one line.
    """
    try:
        return "\n".join(_readable(value, 0, "", ""))
    except RecursionError:
        return plain_json(value)


def _readable(value: Any, indent: int, head: str, tail: str) -> Iterator[str]:
    if isinstance(value, str) and "\n" in value:
        yield head.rstrip() or f"text{tail}"
        yield from (f"{' ' * (indent + 2)}| {line}" for line in value.removesuffix("\n").split("\n"))
    elif isinstance(value, Mapping) and value:
        yield f"{head}{{"
        members = list(value.items())
        for place, (name, member) in enumerate(members, start=1):
            before = f"{' ' * (indent + 2)}{json.dumps(name, ensure_ascii=False)}: "
            yield from _readable(member, indent + 2, before, "," if place < len(members) else "")
        yield f"{' ' * indent}}}{tail}"
    elif isinstance(value, (list, tuple)) and value:
        yield f"{head}["
        for place, member in enumerate(value, start=1):
            yield from _readable(member, indent + 2, " " * (indent + 2), "," if place < len(value) else "")
        yield f"{' ' * indent}]{tail}"
    else:
        yield f"{head}{json.dumps(value, ensure_ascii=False)}{tail}"


def _place(ledger: Ledger, row: Row) -> Iterator[RowFact]:
    number = f"event {row.number:,}" if row.number is not None else "not counted"
    yield RowFact("row", f"{number}, {ledger.place(row.line, row.offset)}, {row.length:,} bytes")


def _event(
    ledger: Ledger, row: Row, event: RuntimeEvent, now_ms: float | None, zone: tzinfo | None
) -> Iterator[RowFact]:
    document = event_document(event)
    yield from _place(ledger, row)
    age = f", {ago(now_ms - event.ts)}" if now_ms is not None and now_ms >= event.ts else ""
    yield RowFact("time", absolute_time(event.ts, zone) + age)
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
        return RowFact(name, value if isinstance(value, str) else readable_text(value), True)
    return RowFact(name, _word(value))


def _word(value: Any) -> str:
    return value if isinstance(value, str) else readable_text(value)


def _cut(fact: RowFact) -> RowFact:
    """Cut a long value, and say how much of it is left out."""
    more = len(fact.text) - SHOWN_AT_MOST
    if not fact.block or more <= 0:
        return fact
    return RowFact(fact.name, fact.text[:SHOWN_AT_MOST], True, fact.left_out or f"{more:,} more characters")


def _damaged(ledger: Ledger, row: Row) -> Iterator[RowFact]:
    finding = row.finding
    if finding is None:
        return
    yield from _place(ledger, row)
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
    yield from _place(ledger, row)
    yield RowFact("kind", row.kind.word)
    if row.ts is not None:
        yield RowFact("time", absolute_time(row.ts))
    yield RowFact("size", f"{size_text(row.length)}: only the beginning is shown")
    yield _beginning(ledger, row)


def _beginning(ledger: Ledger, row: Row) -> RowFact:
    shown = min(row.length, _RAW_AT_MOST)
    left_out = f"{row.length - shown:,} more bytes" if row.length > shown else ""
    return RowFact(
        _BYTES, raw_text(ledger.source.read_row(row.offset, shown), whole=shown == row.length), True, left_out
    )
