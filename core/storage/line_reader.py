"""Lines of a ledger file -> rows and events, unreadable rows, a torn one at the end (format: reading a ledger)."""

from __future__ import annotations

from typing import Final

from ..records.json_text import classify
from ..records.plain import Execution
from .ahead import Arrived
from .findings import Finding
from .later_findings import MOST_FINDINGS
from .lines import MAX_ROW, HugeLine, Lines
from .row_reader import RowReader
from .rows import RowIndex

_BLANK: Final = frozenset("\t\v\f \u00a0\ufeff\u1680\u2028\u2029\u202f\u205f\u3000\n\r") | {
    chr(code) for code in range(0x2000, 0x200B)
}
"""White space of ECMAScript: a line of nothing else is blank. Python's own idea of white space differs."""

_BEGINNINGS: Final = frozenset(bytes([byte]) for byte in b'{["-0123456789tfn')
"""What a JSON document begins with."""
_NO_JSON: Final = Finding("row_invalid_json", "not JSON")


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
        if lines.data.find(b"\n", 0, -1) < 0:
            self._take_singly(lines)
            return
        offsets, lengths, objects = lines.measured()
        read = self._reader.decode_together(lines.data, lengths, objects=objects)
        if read is None:
            self._take_singly(lines)
            return
        self._last = None
        self._reader.add_together(read, offsets, lengths)

    def take_plain(self, came: Arrived) -> None:
        """Take plain rows that were decoded elsewhere."""
        self._last = None
        self._reader.add_plain(came.rows, came.offsets, came.lengths)

    @property
    def execution(self) -> Execution | None:
        """The execution whose plain rows are likely to come; None where that is not known."""
        return self._reader.execution

    def finish(self, ends_open: bool) -> list[Finding]:
        """Return the findings on rows; an incomplete last row becomes a torn tail where the file ends inside it."""
        last = len(self._rows) - 1
        wrong = self._rows.finding(last)
        if ends_open and self._last is not None and wrong is not None and wrong.code == "row_invalid_json":
            text = self._last.decode("utf-8", "replace")
            if classify(text) == "incomplete-prefix":
                torn = Finding(
                    "torn_tail",
                    "the last row is incomplete: not an event, not counted",
                    line=self._rows.line(last),
                    offset=self._rows.offsets[last],
                    length=self._rows.lengths[last],
                )
                self._rows.tear(last, torn)
        return self._rows.all_findings()

    def _take_singly(self, lines: Lines) -> None:
        offset = lines.offset
        for payload in lines.payloads:
            self._take_one(offset, payload)
            offset += len(payload) + 1
        self._reader.flush()

    def _take_one(self, offset: int, payload: bytes) -> None:
        if not payload.strip():
            # White space of ASCII is white space of ECMAScript; a million empty lines need no decoder.
            self._rows.skip_blank_line()
            return
        event = self._reader.decode(payload) if self._is_worth_decoding(payload) else _NO_JSON
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

    def _is_worth_decoding(self, payload: bytes) -> bool:
        """Tell whether a row is to be decoded: garbage that goes on and on is told from JSON by its first byte."""
        return len(self._rows.findings) < MOST_FINDINGS or payload.lstrip()[:1] in _BEGINNINGS


def is_blank(line: bytes) -> bool:
    """Tell whether a line holds white space of ECMAScript and nothing else."""
    return not line.strip() or _BLANK.issuperset(line.decode("utf-8", "replace"))
