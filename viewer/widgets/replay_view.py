"""What the provider would be sent, event by event: kept, or left out and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from textual.content import Content

from core import CoreError, Ledger, ReplayView, RowKind, printable, size_text, summarize

from ..cells import cut, pad
from ..styles import Signs
from .lines import BLANK, Line

READ_AT_MOST: Final = 256 << 10
"""Bytes. A longer row is described by its size."""

_KIND: Final = 10
_NAMED: Final = 200
"""Left out events that stand in a list of their own."""


def replay_lines(view: ReplayView, ledger: Ledger) -> Iterator[Line]:
    """Say whether it is sent, and name what is left out; each leads to its row."""
    yield Line(Content.styled(view.said, "bold $ink"), 2)
    if view.left_out:
        yield BLANK
        yield Line(Content.styled(f"left out {len(view.left_out):,}", "$muted"))
    for left in view.left_out[:_NAMED]:
        why = view.why_left_out(left.index) or ""
        said = f"{RowKind(ledger.rows.kinds[left.index]).word} {summary_of(ledger, left.index)}"
        yield Line(
            Content.assemble((f"{left.index + 1:>5} ", "$muted"), (why, "bold $ink"), "  ", (said, "$muted")),
            8,
            left.index,
        )
    if len(view.left_out) > _NAMED:
        yield Line(Content.styled(f"and {len(view.left_out) - _NAMED:,} more, each marked below", "$muted"))
    yield BLANK
    yield Line(Content.styled(f"{'sent' if view.sent else 'would be kept'} {view.replay.kept:,}", "$muted"))


class ReplayRows:
    """Every event of the prefix; those that are left out are marked. Rows are read when they are drawn."""

    def __init__(self, view: ReplayView, ledger: Ledger, signs: Signs) -> None:
        self._view = view
        self._ledger = ledger
        self._signs = signs
        self._number_width = max(4, len(str(len(ledger))))

    def __len__(self) -> int:
        return len(self._view)

    def target(self, index: int) -> int | None:
        """Return the row that a line leads to."""
        return index

    def row(self, index: int, width: int) -> Content:
        """Draw one event."""
        why = self._view.why_left_out(index)
        kind = RowKind(self._ledger.rows.kinds[index]).word
        number = pad(str(index + 1), self._number_width, "left")
        style = "$ink" if why is None else "$muted"
        mark = " " if why is None else self._signs.none
        head = Content.assemble((number, "$muted"), f" {mark} ", (pad(kind, _KIND), style), " ")
        right = "" if why is None else f"  left out: {why}"
        room = width - 1 - head.cell_length
        said = cut(summary_of(self._ledger, index), max(room - len(right), room // 3), self._signs.ellipsis)
        return Content.assemble(head, (said, style), (cut(right, room - len(said)), "bold $ink"))


def summary_of(ledger: Ledger, index: int) -> str:
    """Put a row in a line that is safe to draw; a long one is described by its size."""
    length = ledger.rows.lengths[index]
    if length > READ_AT_MOST:
        return f"a row of {size_text(length)}, not read here"
    try:
        event = ledger.event_at(ledger.rows[index])
    except CoreError as error:
        return printable(f"can no longer be read: {error.message}", limit=200)
    return printable(summarize(event), limit=400) if event is not None else ""
