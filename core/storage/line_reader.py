"""Lines of a ledger file -> rows and events, unreadable rows, a torn one at the end (format: reading a ledger)."""

from __future__ import annotations

from itertools import accumulate, islice
from typing import Final

from ..records.json_text import classify
from .findings import Finding
from .lines import MAX_ROW, HugeLine, Lines
from .row_reader import RowReader
from .rows import RowIndex, RowKind

_BLANK: Final = frozenset("\t\v\f \u00a0\ufeff\u1680\u2028\u2029\u202f\u205f\u3000\n\r") | {
    chr(code) for code in range(0x2000, 0x200B)
}
"""White space of ECMAScript: a line of nothing else is blank. Python's own idea of white space differs."""


class LineReader:
    """Takes lines in order; blank ones are no rows."""

    def __init__(self, reader: RowReader) -> None:
        self._reader = reader
        self._rows = reader.rows
        self._last: bytes | None = None

    def copied(self, rows: RowIndex) -> LineReader:
        """Return a reader that goes on in a copy of the index; only lines that are no events may be given to it."""
        copy = LineReader(self._reader.copied(rows))
        copy._last = self._last
        return copy

    def is_event(self, line: Lines | HugeLine) -> bool:
        """Tell whether a single line is a readable row of this run."""
        return isinstance(line, Lines) and not isinstance(self._reader.decode(line.payloads[0]), Finding)

    def take(self, lines: Lines | HugeLine) -> None:
        """Read some lines, blank ones included."""
        if isinstance(lines, HugeLine):
            self._last = None
            too_large = Finding("row_too_large", f"longer than {MAX_ROW:,} bytes; not decoded")
            self._reader.add_unreadable(too_large, lines.offset, lines.length)
            return
        read = self._reader.decode_together(lines.payloads)
        if read is None:
            self._take_singly(lines)
            return
        self._last = None
        lengths = list(map(len, lines.payloads))
        starts = accumulate(lengths, lambda start, length: start + length + 1, initial=lines.offset)
        self._reader.add_together(read, islice(starts, len(lengths)), lengths)

    def finish(self, ends_open: bool) -> list[Finding]:
        """Return the findings on rows; an incomplete last row becomes a torn tail where the file ends inside it."""
        last = len(self._rows) - 1
        if ends_open and self._last is not None and last in self._rows.findings:
            text = self._last.decode("utf-8", "replace")
            if self._rows.findings[last].code == "row_invalid_json" and classify(text) == "incomplete-prefix":
                self._rows.kinds[last] = RowKind.TORN
                self._rows.findings[last] = Finding(
                    "torn_tail",
                    "the last row is incomplete: not an event, not counted",
                    line=self._rows.line(last),
                    offset=self._rows.offsets[last],
                    length=self._rows.lengths[last],
                )
        return list(self._rows.findings.values())

    def _take_singly(self, lines: Lines) -> None:
        offset = lines.offset
        for payload in lines.payloads:
            self._take_one(offset, payload)
            offset += len(payload) + 1
        self._reader.flush()

    def _take_one(self, offset: int, payload: bytes) -> None:
        event = self._reader.decode(payload)
        if not isinstance(event, Finding):
            self._last = None
            self._reader.add(event, offset, len(payload))
        elif event.code == "row_foreign_identity":
            self._last = None
            self._reader.add_unreadable(event, offset, len(payload))
        elif is_blank(payload):
            self._rows.skip_blank_line()
        else:
            self._last = payload
            self._reader.add_unreadable(event, offset, len(payload))


def is_blank(line: bytes) -> bool:
    """Tell whether a line holds white space of ECMAScript and nothing else."""
    return not line.strip() or _BLANK.issuperset(line.decode("utf-8", "replace"))
