"""The bytes of one row: where they lie, how many they are, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from textual.content import Content

from core import Pattern, printable

from ..run_reading import RawRow
from ..styles import Signs
from ..text_pages import TextLines, TextPages
from .lines import BLANK, Line
from .row_source import RowSource
from .text_view import TextRows

WHOLE: Final = "whole row"
"""What the first line opens."""


def raw_lines(raw: RawRow | None) -> Iterator[Line]:
    """Say where the bytes lie."""
    if raw is None:
        yield Line(Content.styled("No row of the ledger stands here, or it can no longer be read.", "$muted"), 2)
        return
    row = raw.row
    number = f"event {row.number:,}" if row.number is not None else "not counted"
    said = f"{number}   {printable(raw.place)}   {row.length:,} bytes"
    yield Line(Content.styled(said, "$ink"), 2, opens=WHOLE)
    if row.finding is not None:
        field = f"{row.finding.field} " if row.finding.field else ""
        yield Line(Content.styled(printable(f"{row.finding.code}: {field}{row.finding.message}"), "$evidence"), 2)
    more = f"cut here: {raw.left_out:,} more bytes   " if raw.left_out else ""
    yield Line(Content.assemble((more, "$muted"), ("enter opens it", "$accent")), 2, opens=WHOLE)
    yield BLANK


def raw_tail(raw: RawRow, signs: Signs, pattern: Pattern | None) -> Callable[[int, bool], RowSource]:
    """Make the rows of the bytes for a width."""
    pages = TextPages(raw.text)

    def rows(width: int, wrap: bool) -> RowSource:
        return TextRows(TextLines(pages, width, wrap=wrap), signs, pattern)

    return rows
