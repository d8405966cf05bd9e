"""The list of runs: one line each, most urgent first, and the heads of its columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import ClassVar, Final, cast

from rich.cells import cell_len
from textual.binding import BindingType
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from core import RunSummary, Verdict, printable

from ..cells import cut, cut_middle, fit, pad
from ..command import Context
from ..commands import bindings_for
from ..sorted_runs import RunKey, SortedRuns, key_of
from ..styles import CONTINUED, UNICODE, VERDICTS, Signs
from ..words import day_and_time, events_text, in_doubt
from .run_columns import GAP, VERDICT, Columns, fit_columns
from .virtual_list import VirtualList

_GAP: Final = " " * GAP
_EVENTS_AT_LEAST: Final = 8

Part = tuple[str, str]
"""Text and style."""


class RunRows:
    """The runs as rows of a list."""

    def __init__(self, runs: SortedRuns, ids: Iterable[str], now_ms: Callable[[], float], signs: Signs) -> None:
        self.runs = runs
        self.current: RunKey | None = None
        """The run under the cursor."""
        self._now_ms = now_ms
        self._signs = signs
        self._id_cells = max((len(run_id) for run_id in ids), default=0)
        self._title_cells = self._event_cells = 0

    def __len__(self) -> int:
        return len(self.runs)

    def key(self, index: int) -> Hashable:
        """Name the run by its ids."""
        return key_of(self.runs[index])

    def find(self, key: Hashable) -> int | None:
        """Say where the run is now."""
        return self.runs.find(cast("RunKey", key))

    def measure(self, summaries: Iterable[RunSummary]) -> None:
        """Learn how wide the columns must be for some runs."""
        for summary in summaries:
            self._title_cells = max(self._title_cells, cell_len(_session(summary)))
            self._event_cells = max(self._event_cells, len(events_text(summary)))

    def columns(self, width: int) -> Columns:
        """Share a width among the columns."""
        events = max(_EVENTS_AT_LEAST, self._event_cells)
        return fit_columns(width, run=self._id_cells, session=self._title_cells, events=events)

    def row(self, index: int, width: int) -> Content:
        """Draw one run."""
        summary = self.runs[index]
        columns, more = self.columns(width), self._signs.ellipsis
        calm = summary.verdict is Verdict.REPLAYABLE
        parts = [*self._verdict(summary), *self._doubt(summary, columns.doubt, calm=calm)]
        if columns.session:
            session = fit(_session(summary), columns.session, more)
            parts += [(_GAP, ""), (session, "$muted" if calm else "$ink")]
        if columns.run:
            run = pad(cut_middle(printable(summary.run_id), columns.run, more), columns.run)
            parts += [(_GAP, ""), (run, "bold $ink" if key_of(summary) == self.current else "$muted")]
        if columns.last:
            last = fit(day_and_time(summary.last_event_ms, self._now_ms()), columns.last, more)
            parts += [(_GAP, ""), (last, "$muted")]
        if columns.events:
            events = pad(cut(events_text(summary), columns.events, more), columns.events, "left")
            parts += [(_GAP, ""), (events, "$muted")]
        return Content.assemble(*parts)

    def _verdict(self, summary: RunSummary) -> list[Part]:
        look = VERDICTS[summary.verdict]
        later = self._signs.of(CONTINUED) if summary.continued_by else " "
        return [
            (f"{self._signs.of(look)} ", look.style),
            (pad(look.word, VERDICT - 5), look.word_style),
            (f"{later}{_GAP}", CONTINUED.style),
        ]

    def _doubt(self, summary: RunSummary, width: int, *, calm: bool) -> list[Part]:
        more = self._signs.ellipsis
        first, note = (printable(text, limit=width + 1) for text in in_doubt(summary))
        if calm:
            return [(fit(first, width, more), "$muted")]
        kept = cell_len(note) + GAP if note and cell_len(note) <= width // 2 else 0
        if summary.verdict is Verdict.UNREADABLE:
            kept = 0
        first = cut(first, width - kept, more)
        room = width - cell_len(first)
        if not note or room <= GAP:
            return [(pad(first, width), "$ink")]
        return [(first + _GAP, "$ink"), (fit(note, room - GAP, more), "$muted")]


def _session(summary: RunSummary) -> str:
    return printable(summary.title or summary.session_id, limit=80)


class RunList(VirtualList):
    """Keeps room for its scrollbar, so that nothing moves when the list becomes long."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.RUNS)
    DEFAULT_CSS = "RunList { scrollbar-gutter: stable; }"


class RunHeads(Widget):
    """What the columns of a list of runs are."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "RunHeads { height: 1; color: $muted; }"

    version: reactive[int] = reactive(0, layout=False)
    """Changes whenever the columns may have."""

    def __init__(self, rows: Callable[[], RunRows], *, signs: Signs = UNICODE) -> None:
        super().__init__()
        self._rows = rows
        self._signs = signs

    def render(self) -> Content:
        """Name the columns that there is room for."""
        columns = self._rows().columns(self.size.width - 2)
        text = f"   {fit('verdict', VERDICT - 2)}{fit('what is in doubt', columns.doubt, self._signs.ellipsis)}"
        for name, cells in (("session", columns.session), ("run", columns.run), ("last event", columns.last)):
            text += _GAP + fit(name, cells) if cells else ""
        text += _GAP + pad("events", columns.events, "left") if columns.events else ""
        return Content(text)
