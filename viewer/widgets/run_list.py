"""The list of runs: one line each, most urgent first, and the heads of its columns."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable
from typing import ClassVar, Final, cast

from rich.cells import cell_len
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from core import Pattern, RunLine, RunSummary, TimeMode, TimeScale, Verdict, printable

from ..cells import cut, cut_middle, fit, pad
from ..command import Context
from ..commands import bindings_for
from ..run_lines import RunLines
from ..sorted_runs import RunKey, key_of
from ..styles import CONTINUED, UNICODE, VERDICTS, Signs
from ..words import day_and_time, events_text, in_doubt
from .run_columns import GAP, VERDICT, Columns, fit_columns
from .text_view import with_hits
from .virtual_list import VirtualList

_GAP: Final = " " * GAP
_EVENTS_AT_LEAST: Final = 8

Part = tuple[str, str]
"""Text and style."""


class RunRows:
    """The runs as rows of a list."""

    def __init__(self, lines: RunLines, ids: Iterable[str], now_ms: Callable[[], float], signs: Signs) -> None:
        self.lines = lines
        """What is shown, in order."""
        self.by_session = False
        """Whether sessions have headings, and so no column."""
        self.times = TimeMode.UTC
        """How times are written."""
        self.pattern: Pattern | None = None
        """What is marked."""
        self.hits: Container[int] = frozenset()
        """The lines that hold it."""
        self.current: RunKey | None = None
        """The run under the cursor."""
        self._now_ms = now_ms
        self._signs = signs
        self._id_cells = max((len(run_id) for run_id in ids), default=0)
        self._title_cells = self._event_cells = 0

    def __len__(self) -> int:
        return len(self.lines)

    def key(self, index: int) -> Hashable:
        """Name the run by its ids, a heading by its session."""
        line = self.lines.line(index)
        return key_of(line.summary) if line.summary is not None else line.session_id

    def find(self, key: Hashable) -> int | None:
        """Say where the run is now."""
        return self.lines.find(cast("RunKey", key)) if isinstance(key, tuple) else None

    def skips(self, index: int) -> bool:
        """Pass over headings."""
        return self.by_session and self.lines.line(index).summary is None

    def measure(self, summaries: Iterable[RunSummary]) -> None:
        """Learn how wide the columns must be for some runs."""
        for summary in summaries:
            self._id_cells = max(self._id_cells, len(summary.run_id))
            self._title_cells = max(self._title_cells, cell_len(_session(summary)))
            self._event_cells = max(self._event_cells, len(events_text(summary)))

    def columns(self, width: int) -> Columns:
        """Share a width among the columns."""
        most = max(_EVENTS_AT_LEAST, self._event_cells)
        session = 0 if self.by_session else max(self._title_cells, 1)
        return fit_columns(width, run=self._id_cells, session=session, events=most)

    def row(self, index: int, width: int) -> Content:
        """Draw one line."""
        line = self.lines.line(index)
        if line.summary is None:
            return self._heading(line, width)
        drawn = self._run(line, line.summary, width)
        return with_hits(drawn, self.pattern) if index in self.hits else drawn

    def _heading(self, line: RunLine, width: int) -> Content:
        runs = f"{line.runs:,} run{'' if line.runs == 1 else 's'}"
        title = printable(line.title or line.session_id, limit=80)
        session = f"  {printable(line.session_id, limit=80)}" if line.title else ""
        said = cut(f"{session}  {runs}", max(width - cell_len(title), 0), self._signs.ellipsis)
        return Content.assemble((title, "bold $ink"), (said, "$muted"))

    def _run(self, line: RunLine, summary: RunSummary, width: int) -> Content:
        columns, more = self.columns(width), self._signs.ellipsis
        calm = summary.verdict is Verdict.REPLAYABLE
        stem = "  " * max(line.depth - 1, 0) + f"{self._signs.child} " if line.depth else ""
        stem = stem[: columns.doubt // 2]
        parts = [
            *self._verdict(summary),
            (stem, "$muted"),
            *self._doubt(summary, columns.doubt - len(stem), calm=calm),
        ]
        if columns.session:
            session = fit(_session(summary), columns.session, more)
            parts += [(_GAP, ""), (session, "$muted" if calm else "$ink")]
        if columns.run:
            run = pad(cut_middle(printable(summary.run_id), columns.run, more), columns.run)
            parts += [(_GAP, ""), (run, "bold $ink" if key_of(summary) == self.current else "$muted")]
        if columns.last:
            last = fit(self._last(summary.last_event_ms), columns.last, more)
            parts += [(_GAP, ""), (last, "$muted")]
        if columns.events:
            count = pad(cut(events_text(summary), columns.events, more), columns.events, "left")
            parts += [(_GAP, ""), (count, "$muted")]
        return Content.assemble(*parts)

    def _last(self, ts_ms: float | None) -> str:
        if ts_ms is None:
            return ""
        scale = TimeScale(self.times, now_ms=self._now_ms())
        return scale.short(ts_ms) if self.times is TimeMode.AGO else day_and_time(ts_ms, self._now_ms(), scale.zone)

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
        first, note = in_doubt(summary)
        if self.by_session:
            related = [f"continues {summary.continuation_of}"] if summary.continuation_of else []
            related += [f"started by {summary.parent_run_id}"] if summary.parent_run_id else []
            note = "  ".join([note, *related]).strip() if first else note
            first = first or "  ".join(related)
        first, note = printable(first, limit=width + 1), printable(note, limit=width + 1)
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

    def on_click(self, event: events.Click) -> None:
        """Put the runs in another order."""
        event.stop()
        self.app.simulate_key("s")
