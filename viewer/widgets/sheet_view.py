"""Facts about a run beside its events, as paragraphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from textual.content import Content

from core import SheetLine, SheetSection, printable

from ..cells import cut, pad
from .lines import BLANK, Line

_NAME: Final = 28
"""Cells of a name, at most: every code of ours is whole."""
_VALUE: Final = 4000
"""Characters of a value."""
_LISTED: Final = 200
"""Lines of a section."""


def sheet_lines(sections: Iterable[SheetSection]) -> Iterator[Line]:
    """Write the sections one below the other; lines lead to rows and to other runs."""
    for place, section in enumerate(sections):
        if place:
            yield BLANK
        yield Line(Content.styled(section.title, "bold $ink"))
        width = min(max((len(line.name) for line in section.lines), default=0), _NAME)
        for line in section.lines[:_LISTED]:
            yield _line(line, width)
        if len(section.lines) > _LISTED:
            yield Line(Content.styled(f"  and {len(section.lines) - _LISTED:,} more", "$muted"))


def _line(line: SheetLine, width: int) -> Line:
    name = Content("")
    if line.name:
        name = Content.styled(f"{pad(cut(printable(line.name, limit=200), _NAME), width)}  ", "$muted")
    opens = Content.styled("  enter opens it", "$accent") if line.run is not None else ""
    style = "$evidence" if line.contradicts else "$ink"
    text = Content.assemble("  ", name, (printable(line.text, limit=_VALUE), style), opens)
    return Line(text, 4 + (width if line.name else 0), line.row, line.run)
