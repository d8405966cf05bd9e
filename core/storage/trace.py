"""The operational trace of a run (`events.jsonl`): what the runtime said it was doing. It decides nothing."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Final

from msgspec import Struct

from ..errors import CoreError
from ..records.json_text import JsonError, parse
from .files import ReadFailed, read_whole

TRACE_LIMIT: Final = 64 << 20
"""Bytes. A longer trace is not read: it is evidence beside the decision, not part of it."""


MOST_LINES: Final = 200_000
"""Lines that are read: a record takes ten times the memory of its text."""

_BLOCK: Final = 1 << 16


class TraceRecord(Struct, frozen=True):
    """One record of the trace, or the note that a line could not be read."""

    line: int
    """1-based line of the file."""
    type: str
    """What happened, in the runtime's word; `event_corrupt` for a line that could not be read."""
    ts: float | None
    """Milliseconds since 1970."""
    data: Mapping[str, object]
    """The record's own data, free in form."""
    message: str | None = None

    @property
    def tool_call_id(self) -> str | None:
        """The tool call that the record speaks of, where it names one."""
        for key in ("toolCallId", "toolUseId", "providerToolCallId"):
            value = self.data.get(key)
            if isinstance(value, str):
                return value
        return None


def read_trace(path: Path) -> tuple[TraceRecord, ...]:
    """Read a trace file; a missing one is an empty trace, a bad line is a record of type `event_corrupt`.

    Of more than `MOST_LINES` lines the last are read: the crash is at their end. A record says that others were left.
    """
    try:
        payload = read_whole(path, TRACE_LIMIT, follow=False)
    except ReadFailed:
        return ()
    start = _start_of_last_lines(payload)
    left = payload.count(b"\n", 0, start)
    lines = payload[start:].decode("utf-8", "replace").split("\n")
    read = (trace_record(n, line) for n, line in enumerate(lines, start=left + 1) if line.strip("\ufeff \t\r\v\f"))
    earlier = TraceRecord(1, "event_corrupt", None, {}, f"{left:,} earlier lines are not read") if left else None
    return (earlier, *read) if earlier else tuple(read)


def _start_of_last_lines(payload: bytes) -> int:
    """Return where the last `MOST_LINES` lines begin."""
    start, wanted = len(payload), MOST_LINES
    while start > 0:
        begin = max(0, start - _BLOCK)
        found = payload.count(b"\n", begin, start)
        if found >= wanted:
            break
        start, wanted = begin, wanted - found
    while start > 0 and wanted > 0:
        start, wanted = payload.rfind(b"\n", 0, start), wanted - 1
    return start + 1 if start > 0 else 0


def trace_record(line: int, text: str) -> TraceRecord:
    """Read one record of a trace from its JSON text; never fails."""
    try:
        value = parse(text)
    except (JsonError, CoreError) as error:
        return TraceRecord(line, "event_corrupt", None, {}, str(error))
    if not isinstance(value, dict):
        return TraceRecord(line, "event_corrupt", None, {}, "not an object")
    kind, ts, data, message = value.get("type"), value.get("ts"), value.get("data"), value.get("message")
    return TraceRecord(
        line=line,
        type=kind if isinstance(kind, str) else "event_corrupt",
        ts=float(ts) if isinstance(ts, int | float) and not isinstance(ts, bool) and isfinite(ts) else None,
        data=data if isinstance(data, dict) else {},
        message=message if isinstance(message, str) else None,
    )
