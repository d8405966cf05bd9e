"""Every field of one row as paragraphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct
from textual.content import Content

from core import RowFact, printable, printable_lines

from ..cells import cut, pad
from .lines import Line

_NAME: Final = 16
"""Cells of a name, at most."""
_LINES: Final = 1000
"""Lines of one value that are shown."""
_CHARACTERS: Final = 8000
"""Characters of one line that are shown."""


class Value(Struct, frozen=True):
    """A value that a line opens whole."""

    name: str
    place: int
    """Its place among the facts about the row."""


def event_lines(facts: Sequence[RowFact]) -> list[Line]:
    """Write the facts about one row; long values can be opened."""
    width = min(max((len(fact.name) for fact in facts if not fact.block), default=0), _NAME)
    return [line for place, fact in enumerate(facts) for line in _fact(fact, place, width)]


def _fact(fact: RowFact, place: int, width: int) -> Iterator[Line]:
    name = cut(printable(fact.name, limit=200), _NAME)
    if not fact.block:
        said = printable(fact.text, limit=_CHARACTERS)
        yield Line(Content.assemble((pad(name, width), "$muted"), "  ", (said, "$ink")), width + 2)
        return
    opens = Value(fact.name, place)
    yield Line(Content.assemble((name, "$muted"), ("   enter opens it", "$accent")), opens=opens)
    lines = list(islice(printable_lines(fact.text, limit=_CHARACTERS), _LINES + 1))
    for line in lines[:_LINES]:
        yield Line(Content.assemble("  ", (line, "$ink")), 2, opens=opens)
    if not lines:
        yield Line(Content.styled("  empty", "$muted"))
    rest = fact.left_out or ("more lines" if len(lines) > _LINES else "")
    if rest:
        yield Line(Content.styled(f"  cut here: {rest}", "$muted"), opens=opens)
