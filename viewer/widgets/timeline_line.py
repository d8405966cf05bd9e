"""One line of the timeline: its columns, and which of them give way where there is little room."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Final

from msgspec import Struct
from textual.content import Content

from core import (
    CoreError,
    EventLinks,
    Finding,
    Ledger,
    PartialSnapshot,
    Pattern,
    Row,
    RowKind,
    RowsSoFar,
    TimeMode,
    TimeScale,
    counted,
    duration_text,
    printable,
    size_text,
    summarize,
)

from ..cells import cut, pad, width_of
from ..styles import BEING_WRITTEN, PARTIAL, STATUSES, STRIP, TORN_ROW, UNREADABLE_ROW, Look, Signs
from .row_source import Parts
from .text_view import with_hits

READ_AT_MOST: Final = 256 << 10
"""Bytes. A longer row is described by its size: drawing a line must never take long."""

TIME_FROM: Final = 52
LINK_FROM: Final = 60
"""Widths of a line from which it has these columns. Below the first, kinds are short as well."""

_SHORT: Final = {
    RowKind.THINKING: "thnk",
    RowKind.RESPONSE: "resp",
    RowKind.PERMISSION: "perm",
    RowKind.QUESTION: "ques",
    RowKind.DISPATCH: "disp",
    RowKind.RECOVERY: "reco",
    RowKind.TERMINAL: "end",
    RowKind.USAGE: "use",
    RowKind.STATE: "stat",
    RowKind.EVENT: "evnt",
    RowKind.ERROR: "err",
}
_TIME: Final = 10
"""Cells of a time."""
_LONG_KIND: Final = 10
_SHORT_KIND: Final = 4
_TELLING: Final = frozenset({RowKind.USER, RowKind.TEXT, RowKind.CALL, RowKind.ERROR, RowKind.TERMINAL})
"""Kinds that tell the story; the others are quieter."""

_NO_RESPONSE: Final = "NO RESPONSE"

_UTC: Final = TimeScale()


class TimelineView(Struct, frozen=True):
    """What a timeline shows."""

    ledger: Ledger | RowsSoFar
    """What was read; of rows while they come nothing but the rows themselves is shown."""
    links: EventLinks | None
    marks: Mapping[int, str]
    """Row -> `unreadable`, or the status of what its event is about."""
    doubt_start: int | None
    """First event from which something stays in doubt up to the end of the ledger."""
    end: int
    """Events of the prefix that is shown; those beyond it are dimmed."""
    torn: str = ""
    """What the torn row starts like."""
    partials: Sequence[tuple[PartialSnapshot, str]] = ()
    supposed: Container[int] = frozenset()
    """Rows whose mark holds for a shorter prefix only: not a doubt of the run."""
    calm: bool = False
    """Whether no doubt is loud, since the run may go on."""
    notes: bool = True
    """Whether a torn row has a second line."""
    times: TimeScale = _UTC
    """How times are written."""
    kept: Sequence[int] | None = None
    """The rows that are shown, in order; None for all."""
    nothing: str = ""
    """What is said where none is shown."""
    pattern: Pattern | None = None
    """What is marked in the lines."""
    hits: Container[int] = frozenset()
    """The rows that hold it."""
    linked: bool = False
    """Whether the links are complete."""


class LineDrawer:
    """Draws lines of one view."""

    def __init__(self, view: TimelineView, signs: Signs) -> None:
        self._view = view
        self._signs = signs
        self.number_width: Final = max(3, len(str(len(view.ledger))))
        """Cells."""

    def draws_alike(self, other: LineDrawer) -> bool:
        """Tell whether rows look as `other` draws them, but for what `same_row` looks at."""
        one, two = self._view, other._view
        held = one.ledger is two.ledger and one.links is two.links is not None and one.kept is two.kept
        said = one.torn == two.torn and one.calm == two.calm and one.notes == two.notes and one.linked == two.linked
        timed = one.times.mode is two.times.mode is not TimeMode.AGO and one.times.start_ms == two.times.start_ms
        return held and said and timed and one.doubt_start == two.doubt_start

    def same_row(self, index: int, other: LineDrawer) -> bool:
        """Tell whether a row looks as `other` draws it, where both draw alike."""
        one, two = self._view, other._view
        decided = one.marks.get(index) == two.marks.get(index) and (index < one.end) == (index < two.end)
        supposed = (index in one.supposed) == (index in two.supposed)
        return decided and supposed and index not in one.hits and index not in two.hits

    def row(self, index: int, width: int) -> Content | Parts:
        """Draw a row of the ledger."""
        row = self._view.ledger.rows[index]
        line = self._damaged(row, row.finding, width) if row.finding is not None else self._event(row, width)
        if index not in self._view.hits:
            return line
        return with_hits(line.content if isinstance(line, Parts) else line, self._view.pattern)

    def nothing(self, width: int) -> Content:
        """Say that no row is shown."""
        said = printable(self._view.nothing, limit=width)
        return Content.styled(f" {cut(said, width - 2, self._signs.ellipsis)}", "bold $ink")

    def _event(self, row: Row, width: int) -> Parts:
        index, said = row.index, self._read(row)
        beyond = index >= self._view.end
        mark = None if beyond else self._view.marks.get(index)
        look = STATUSES.get(mark) if mark is not None else None
        in_doubt = look is not None and row.kind is RowKind.CALL
        quiet = "$strip" if beyond and row.number is not None else "$muted"
        style = "$ink" if row.kind in _TELLING and not beyond else quiet
        if in_doubt and look is not None:
            style = self._tone(look.style, index)
        wide = width >= TIME_FROM
        head = self._head(row, look, quiet, beyond=beyond)
        kind = row.kind.word if wide else _SHORT.get(row.kind, row.kind.word)
        time = f"{pad(self._view.times.clock(row.ts), _TIME)} " if wide and row.ts is not None else ""
        kind = pad(kind.upper() if in_doubt else kind, _LONG_KIND if wide else _SHORT_KIND)
        right, right_style, yields = self._right(row, look, width)
        room = width - 2 - sum(width_of(text) for text, _ in head) - width_of(time) - width_of(kind)
        right_cells = width_of(right)
        if right and not (yields and width_of(said) >= room - right_cells):
            room -= right_cells + 1
        else:
            right = ""
        said = cut(said if wide else said.replace("  ", " ", 1), room, self._signs.ellipsis)
        end = ((" ", ""), (right, right_style)) if right else ()
        return Parts((*head, (time, quiet), (kind, style), (" ", ""), (pad(said, room), style), *end))

    def end(self, width: int) -> Content:
        """Draw the end of the committed prefix, or of what was read so far."""
        ledger = self._view.ledger
        events = counted(len(ledger), "event")
        sign, room = self._signs.end, width - self.number_width - 7
        if isinstance(ledger, RowsSoFar):
            said, short = f"{events} so far: the rest is still to come", "the rest is still to come"
        else:
            size = ledger.committed_bytes
            said, short = (
                f"end of the committed prefix: {events}, {size:,} bytes",
                f"end of prefix: {events}, {size:,} B",
            )
        if width_of(said) > room:
            said = cut(short, room, self._signs.ellipsis)
        rest = room - width_of(said) + 1
        return Content.assemble(
            " " * (self.number_width + 1), (sign * 2, "$strip"), " ", (said, "$muted"), " ", (sign * rest, "$strip")
        )

    def torn_note(self, width: int) -> Content:
        """Draw the second line about a torn row."""
        starts = printable(self._view.torn, limit=width)
        return self._note(Content("  "), f"not counted; {starts}" if starts else "not counted", width)

    def partial(self, said: str, width: int) -> Content:
        """Draw an unfinished stream."""
        return self._note(self._sign(PARTIAL, PARTIAL.word), printable(said, limit=width), width)

    # Parts of a line

    def _head(self, row: Row, look: Look | None, quiet: str, *, beyond: bool) -> tuple[tuple[str, str], ...]:
        number = "" if row.number is None else str(row.number)
        strip = STRIP[self._strip(row.index)]
        undecided = beyond or isinstance(self._view.ledger, RowsSoFar)
        return (
            (pad(number, self.number_width, "left"), "bold $accent" if row.index in self._view.hits else quiet),
            (" ", ""),
            (" ", "") if undecided else (self._signs.of(strip), self._tone(strip.style)),
            (self._signs.of(look), self._tone(look.style, row.index)) if look else (" ", ""),
            (" ", ""),
        )

    def _strip(self, index: int) -> str:
        if isinstance(self._view.ledger, RowsSoFar):
            return "none"
        blocked_after = self._view.ledger.tool_ledger.blocked_after
        if index >= len(blocked_after) or not blocked_after[index]:
            return "none"
        start = self._view.doubt_start
        return "settled" if start is None or index < start else "doubt"

    def _right(self, row: Row, look: Look | None, width: int) -> tuple[str, str, bool]:
        """Give what stands at the right end, its style, and whether it leaves before the summary is cut."""
        if row.number is None:
            return "not counted", "$muted", True
        if look is not None and row.index < self._view.end:
            doubt = look is STATUSES["indeterminate"]
            word = _NO_RESPONSE if doubt else look.word
            return word, self._tone(look.style, row.index), False
        call = self._call_index(row.index)
        if call is None or call == row.index:
            return "", "", True
        took = ""
        if row.kind is RowKind.RESPONSE:
            ms = self._view.ledger.rows.times[row.index] - self._view.ledger.rows.times[call]
            took = duration_text(ms) if ms >= 0 else ""
        style = "$strip" if row.index >= self._view.end else "$muted"
        if width >= LINK_FROM:
            return f"{f'#{call + 1}':>5} {took:>6}", style, False
        return took, style, True

    def _call_index(self, index: int) -> int | None:
        links = self._view.links
        number = links.number(index) if links is not None else None
        return None if links is None or number is None else links.call_index(number)

    def _read(self, row: Row) -> str:
        if row.length > READ_AT_MOST:
            return f"a row of {size_text(row.length)}, not read here"
        try:
            event = self._view.ledger.event_at(row)
        except CoreError as error:
            return printable(f"can no longer be read: {error.message}", limit=200)
        if event is None:
            return ""
        mark = "partial  " if event.partial else "hidden  " if event.is_hidden else ""
        return mark + printable(summarize(event), limit=400)

    def _damaged(self, row: Row, finding: Finding, width: int) -> Content:
        wide = width >= TIME_FROM
        place = f"line {row.line:,}, byte {row.offset:,}"
        if row.kind is RowKind.TORN and self._view.calm:
            said = f"{place}, {row.length:,} bytes so far" if wide else f"{row.length:,} B so far"
            return self._note(self._sign(BEING_WRITTEN, BEING_WRITTEN.word), f"{said}: not counted", width)
        if row.kind is RowKind.TORN:
            said = f"{place}, {row.length:,} bytes: not an event" if wide else f"{row.length:,} B, not an event"
            if not self._view.notes:
                starts = f", {printable(self._view.torn, limit=width)}" if self._view.torn else ""
                said = f"{row.length:,} B, not counted{starts}"
            return self._note(self._sign(TORN_ROW, TORN_ROW.word), said, width)
        complaint = f"{finding.field} {finding.message}" if finding.field else finding.message
        said = f"{place if wide else f'line {row.line:,}'}: {complaint}"
        return self._note(
            self._sign(UNREADABLE_ROW, UNREADABLE_ROW.word), printable(said, limit=width), width, "$evidence"
        )

    def _sign(self, look: Look, word: str) -> Content:
        return Content.assemble((f"{self._signs.of(look)} {word}", look.style), "  ")

    def _note(self, head: Content, said: str, width: int, style: str = "$muted") -> Content:
        before = " " * (self.number_width + 2)
        room = width - 1 - len(before) - head.cell_length
        return Content.assemble(before, head, (cut(said, room, self._signs.ellipsis), style))

    def _tone(self, style: str, index: int | None = None) -> str:
        """Keep red for the run's own doubts: a supposed one, and one of a run that may go on, is calm."""
        calm = self._view.calm or (index is not None and index in self._view.supposed)
        return style.replace("$doubt", "$live") if calm else style
