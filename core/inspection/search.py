"""Searching a ledger: in what is shown of each row and in its raw JSON; and going to an event by number, id or time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property, partial
from itertools import chain
from typing import Final

from msgspec import Struct

from ..errors import RequestError
from ..storage.ledger import Ledger, LedgerChanged
from ..storage.rows import RowKind
from .explain import moment
from .summary import summarize

_WORDED: Final = frozenset(
    {
        RowKind.RESPONSE, RowKind.PERMISSION, RowKind.QUESTION, RowKind.DISPATCH, RowKind.RECOVERY, RowKind.USAGE,
        RowKind.TERMINAL, RowKind.STATE, RowKind.EVENT,
    }
)  # fmt: skip
"""Kinds whose line on the screen says more than their JSON does."""


_BETWEEN: Final = 256
"""Rows that are looked at between two looks around."""

_NAMED: Final = 3
"""Ids that an ambiguous beginning is answered with."""

_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")


class Pattern(Struct, frozen=True, dict=True):
    """What is searched: plain text, whatever its case unless it has an upper-case letter itself."""

    text: str

    @property
    def any_case(self) -> bool:
        """Whether case is ignored."""
        return self.text == self.text.lower()

    @cached_property
    def _bytes(self) -> re.Pattern[bytes] | None:
        """The pattern in each spelling that JSON has for it; None where only text can ignore its case."""
        if self.any_case and not self.text.isascii():
            return None
        spellings = {self.text, json.dumps(self.text)[1:-1], json.dumps(self.text, ensure_ascii=False)[1:-1]}
        choices = b"|".join(re.escape(one.encode("utf-8", "replace")) for one in sorted(spellings))
        return re.compile(choices, re.IGNORECASE if self.any_case else 0)

    def in_bytes(self, payload: bytes) -> bool:
        """Tell whether a row's bytes hold it."""
        if self._bytes is not None:
            return self._bytes.search(payload) is not None
        text = payload.decode("utf-8", "replace")
        return self.in_text(_ESCAPE.sub(lambda found: chr(int(found[1], 16)), text) if "\\u" in text else text)

    def in_text(self, text: str) -> bool:
        """Tell whether a text holds it."""
        return self.text in (text.lower() if self.any_case else text)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where in a text it stands, as slices that do not overlap."""
        if self.text:
            flags = re.IGNORECASE if self.any_case else 0
            yield from (found.span() for found in re.finditer(re.escape(self.text), text, flags))


def shown_text(ledger: Ledger, index: int) -> str:
    """Return what a list shows of a row: its kind, and its summary where that is not simply part of the JSON."""
    kind = RowKind(ledger.rows.kinds[index])
    finding = ledger.rows.finding(index)
    if finding is not None:
        return f"{kind.word} {finding.code} {finding.message}"
    if kind not in _WORDED:
        return kind.word
    event = ledger.event_at(ledger.rows[index])
    return f"{kind.word} {summarize(event)}" if event is not None else kind.word


def search(ledger: Ledger, pattern: Pattern, stop: Callable[[], bool] = lambda: False, start: int = 0) -> Iterator[int]:
    """Yield the 0-based positions of the rows that hold a pattern, as they are found.

    The rows from `start` on come first, so that who stands there need not wait; then those before it.
    """
    count = len(ledger.rows)
    start = max(0, min(start, count))
    if pattern.text:
        for place, index in enumerate(chain(range(start, count), range(start))):
            if place % _BETWEEN == 0 and stop():
                return
            if holds(ledger, pattern, index):
                yield index


def search_since(ledger: Ledger, pattern: Pattern, start: int) -> Iterator[int]:
    """Yield the 0-based positions of the rows from `start` on that hold a pattern."""
    return (index for index in range(start, len(ledger.rows)) if pattern.text and holds(ledger, pattern, index))


def holds(ledger: Ledger, pattern: Pattern, index: int) -> bool:
    """Tell whether what is shown of a row, or its raw JSON, holds a pattern; not so where the row is gone."""
    try:
        return pattern.in_bytes(ledger.raw(index)) or pattern.in_text(shown_text(ledger, index))
    except LedgerChanged:
        return False


def locate(ledger: Ledger, place: str, zone: tzinfo | None = UTC, stop: Callable[[], bool] = lambda: False) -> int:
    """Return the 0-based position of the row that a person names.

    `13` or `#13` is an event's number, `12:00:21` or `2026-11-29 12:00` the first event at or after a time, anything
    else an event's id or the beginning of one. Raises RequestError, saying what was looked for; also where several ids
    begin so.
    """
    wanted = place.strip()
    try:
        return _by_number_or_time(ledger, wanted, zone)
    except RequestError as nothing:
        index = _by_id(ledger, wanted, stop)
        if index is None:
            raise nothing from None
        return index


def _by_number_or_time(ledger: Ledger, wanted: str, zone: tzinfo | None) -> int:
    """Return the position that a number or a time names. Raises RequestError, also where it is neither."""
    number = re.fullmatch(r"#?(\d{1,12})", wanted)
    if number:
        index = int(number[1]) - 1
        if 0 <= index < len(ledger.rows):
            return index
        raise RequestError(f"no event {number[1]}: this ledger has {len(ledger.rows):,} rows")
    at = _time(wanted, ledger, zone)
    if at is not None:
        index = next((i for i, ts in enumerate(ledger.rows.times) if ts >= at), -1)
        if index >= 0:
            return index
        raise RequestError(f"no event at or after {wanted}")
    if not wanted:
        raise RequestError("give an event's number, id or time")
    raise RequestError(f"no event is called {wanted}", hint="give a number, an id or its beginning, or a time")


def _by_id(ledger: Ledger, wanted: str, stop: Callable[[], bool]) -> int | None:
    """Return the position of the first event that has an id, else of the one whose id begins so.

    Raises RequestError where several ids begin so: nobody knows which is meant. Rows that spell the id as it is usually
    spelled come first; only without a hit are others decoded, which spell it with escapes or with bytes that are read
    as other ones.
    """
    if not wanted:
        return None
    spelled = json.dumps(wanted, ensure_ascii=False)[:-1].encode("utf-8", "surrogatepass")
    begins: dict[str, int] = {}
    for usual in (True, False):
        for index, event_id in _ids(ledger, partial(_may_spell, spelled=spelled, usual=usual), stop):
            if event_id == wanted:
                return index
            if len(begins) < _NAMED and event_id.startswith(wanted):
                begins.setdefault(event_id, index)
    if len(begins) > 1:
        raise RequestError(f"several events begin with {wanted}: {', '.join(begins)}", hint="give more of the id")
    return next(iter(begins.values()), None)


def _may_spell(row: bytes, spelled: bytes, *, usual: bool) -> bool:
    return spelled in row if usual else spelled not in row and (b"\\" in row or not row.isascii())


def _ids(ledger: Ledger, chosen: Callable[[bytes], bool], stop: Callable[[], bool]) -> Iterator[tuple[int, str]]:
    """Yield position and id of every event whose row is chosen by its bytes."""
    for index in range(len(ledger.rows)):
        if index % _BETWEEN == 0 and stop():
            return
        try:
            event = ledger.event_at(ledger.rows[index]) if chosen(ledger.raw(index)) else None
        except LedgerChanged:
            continue
        if event is not None:
            yield index, event.id


_CLOCK: Final = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,3}))?)?")


def _time(wanted: str, ledger: Ledger, zone: tzinfo | None) -> float | None:
    """Read a time as milliseconds since 1970; None where it is no time."""
    clock = _CLOCK.fullmatch(wanted)
    if clock is None:
        try:
            at = datetime.fromisoformat(wanted)
        except ValueError:
            return None
        return _milliseconds(at if at.tzinfo else at.replace(tzinfo=zone))
    hours, minutes = int(clock[1]), int(clock[2])
    if hours > 23 or minutes > 59 or int(clock[3] or 0) > 59:
        return None
    known = [ts for ts in ledger.rows.times if ts == ts]
    day = moment(min(known), zone) if known else None
    if day is None:
        return None
    fraction = int((clock[4] or "0").ljust(3, "0")) * 1000
    asked = day.replace(hour=hours, minute=minutes, second=int(clock[3] or 0), microsecond=fraction)
    # A ledger may run over midnight: the clock is taken on the first day on which the ledger has it.
    first = _milliseconds(asked)
    if first is None or first >= min(known):
        return first
    try:
        following = _milliseconds(asked + timedelta(days=1))
    except OverflowError:
        return first
    return following if following is not None and following <= max(known) else first


def _milliseconds(at: datetime) -> float | None:
    """Return milliseconds since 1970; None for a time that the system cannot reckon with."""
    try:
        return at.timestamp() * 1000
    except (OverflowError, ValueError, OSError):
        return None
