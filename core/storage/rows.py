"""An index of rows: what each row is, where it lies and when it happened; columns in arrays, no object kept per row."""

from __future__ import annotations

import bisect
from array import array
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Final, overload

from msgspec import Struct

from ..records.events import ErrorContent, FunctionCall, FunctionResponse, RuntimeEvent, Text, Thinking
from ..records.plain import PlainRows
from ..records.row_kinds import RowKind as RowKind
from ..records.row_kinds import row_kind as row_kind
from .findings import Finding
from .later_findings import MOST_FINDINGS, LaterFindings


class Row(Struct, frozen=True):
    """One row of a ledger, readable or not."""

    index: int
    """0-based position among all rows, blank lines not counted."""
    kind: RowKind
    line: int
    """1-based line of the file, or 1-based position in the order of a database."""
    offset: int
    """Byte offset in the file; the row's key in a database."""
    length: int
    """Bytes, without the line feed."""
    ts: float | None
    """Milliseconds since 1970, as the event says; None where no event could be read."""
    number: int | None
    """1-based number of the event in the committed prefix; None for rows that do not count."""
    finding: Finding | None
    """What is wrong with the row."""


_CONTENT: Final = attrgetter("content")
_ROLE: Final = attrgetter("role")
_TS: Final = attrgetter("ts")
_PLAIN_KINDS: Final[dict[tuple[type, Any], RowKind]] = {
    (content, role): kind
    for role in ("user", "model", "tool", "system")
    for content, kind in (
        (Text, RowKind.USER if role == "user" else RowKind.TEXT),
        (Thinking, RowKind.THINKING),
        (FunctionCall, RowKind.CALL),
        (FunctionResponse, RowKind.RESPONSE),
        (ErrorContent, RowKind.ERROR),
    )
}
"""Kind of a row by its content and role, where these alone decide."""


class RowIndex(Sequence[Row]):
    """All rows of one ledger in order. It only grows; `append` is for the reader that fills it."""

    def __init__(self) -> None:
        self.kinds = bytearray()
        self.offsets = array("Q")
        self.lengths = array("Q")
        self.times = array("d")
        self.findings: dict[int, Finding] = {}
        """What is wrong with a row, by its position: of the first `MOST_FINDINGS` bad rows."""
        self._later = LaterFindings()
        self.committed: int = 0
        """Rows of the committed prefix: those before the first unreadable or torn one."""
        self._blanks_before: list[int] = []
        self._blanks_total: list[int] = []

    def append(self, kind: RowKind, offset: int, length: int, ts: float, finding: Finding | None = None) -> None:
        """Add one row at the end."""
        if finding is not None and len(self.findings) >= MOST_FINDINGS:
            self._later.note(len(self.kinds), finding.code)
        elif finding is not None:
            self.findings[len(self.kinds)] = finding
        elif self.committed == len(self.kinds) and not self.findings:
            self.committed += 1
        self.kinds.append(kind)
        self.offsets.append(offset)
        self.lengths.append(length)
        self.times.append(ts)

    def extend(self, events: Sequence[RuntimeEvent], offsets: Iterable[int], lengths: Sequence[int]) -> None:
        """Add readable rows at the end, as many offsets and lengths as events."""
        if self.committed == len(self.kinds) and not self.findings:
            self.committed += len(events)
        kinds = list(map(_PLAIN_KINDS.get, zip(map(type, map(_CONTENT, events)), map(_ROLE, events), strict=True)))
        if None in kinds:
            kinds = [row_kind(event) if kind is None else kind for kind, event in zip(kinds, events, strict=True)]
        self.kinds += bytes(kinds)  # type: ignore[arg-type]  # no None is left
        self.offsets.extend(offsets)
        self.lengths.extend(lengths)
        self.times.extend(map(_TS, events))

    def extend_plain(self, plain: PlainRows, offsets: array[int], lengths: array[int]) -> None:
        """Add plain rows at the end, as many offsets and lengths as rows."""
        if self.committed == len(self.kinds) and not self.findings:
            self.committed += len(plain)
        self.kinds += plain.kinds
        self.offsets += offsets
        self.lengths += lengths
        self.times += plain.times

    def skip_blank_line(self) -> None:
        """Note that a blank line stands before the next row; it counts as a line and is no row."""
        if self._blanks_before and self._blanks_before[-1] == len(self.kinds):
            self._blanks_total[-1] += 1
        else:
            total = self._blanks_total[-1] if self._blanks_total else 0
            self._blanks_before.append(len(self.kinds))
            self._blanks_total.append(total + 1)

    def finding(self, index: int) -> Finding | None:
        """Return what is wrong with a row; of one behind very many bad ones just the code and the place."""
        found = self.findings.get(index)
        code = self._later.code(index) if found is None else None
        if code is None:
            return found
        said = "unreadable, as many rows before it"
        return Finding(code, said, line=self.line(index), offset=self.offsets[index], length=self.lengths[index])

    def all_findings(self) -> list[Finding]:
        """Return what is wrong with rows: each of the first, then the others by number."""
        return [*self.findings.values(), *self._later.sums(self.line)]

    def tear(self, index: int, finding: Finding) -> None:
        """Note that a bad row is a torn one."""
        self.kinds[index] = RowKind.TORN
        self.findings[index] = finding
        self._later.forget(index)

    def copied(self) -> RowIndex:
        """Return an index of the same rows that does not grow with this one: 25 bytes a row."""
        copy = RowIndex()
        copy.kinds, copy.offsets, copy.lengths, copy.times = (
            bytearray(self.kinds), self.offsets[:], self.lengths[:], self.times[:]
        )  # fmt: skip
        copy.findings, copy._later, copy.committed = dict(self.findings), self._later.copied(), self.committed
        copy._blanks_before, copy._blanks_total = list(self._blanks_before), list(self._blanks_total)
        return copy

    def without_columns(self) -> RowIndex:
        """Return all that is known beside the four columns, for whoever carries those elsewhere and fills them in."""
        rest = RowIndex()
        rest.findings, rest._later, rest.committed = self.findings, self._later, self.committed
        rest._blanks_before, rest._blanks_total = self._blanks_before, self._blanks_total
        return rest

    def line(self, index: int) -> int:
        """Return the 1-based line of a row."""
        place = bisect.bisect_right(self._blanks_before, index)
        return index + 1 + (self._blanks_total[place - 1] if place else 0)

    def __len__(self) -> int:
        return len(self.kinds)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [self._row(i) for i in range(*index.indices(len(self)))]
        return self._row(range(len(self))[index])

    def __iter__(self) -> Iterator[Row]:
        return (self._row(i) for i in range(len(self)))

    def _row(self, index: int) -> Row:
        ts = self.times[index]
        return Row(
            index=index,
            kind=RowKind(self.kinds[index]),
            line=self.line(index),
            offset=self.offsets[index],
            length=self.lengths[index],
            ts=ts if ts == ts else None,
            number=index + 1 if index < self.committed else None,
            finding=self.finding(index),
        )
