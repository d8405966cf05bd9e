"""A text of any size as lines for a width: worked out where it is looked at, so that nobody waits for the rest."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from rich.cells import get_character_cell_size

UNWRAPPED_AT_MOST: Final = 4000
"""Characters of a line that is not wrapped; the rest of it is counted."""

_TAB_STOP: Final = 8


class TextPages:
    """A text and where its lines are. Made in a thread: it looks at every character once."""

    def __init__(self, text: str) -> None:
        self.text = text.expandtabs(_TAB_STOP) if "\t" in text else text
        """The text with its tabs expanded."""
        self.starts = array("Q", _line_starts(self.text))
        """Where each line starts."""
        self._wide = bytearray() if self.text.isascii() else bytearray(map(self._has_wide, range(len(self.starts))))

    def __len__(self) -> int:
        return len(self.starts)

    def span(self, line: int) -> tuple[int, int]:
        """Say where a line is, without its end."""
        start = self.starts[line]
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        for mark in "\n\r":
            if end > start and self.text[end - 1] == mark and (mark == "\n" or end < len(self.text)):
                end -= 1
        return start, end

    def room(self, line: int, width: int) -> int:
        """Say how many characters of a line go into a width: half of it where some take two cells."""
        return max(width // 2, 1) if self._wide and self._wide[line] else width

    def _has_wide(self, line: int) -> bool:
        """Tell whether some character of a line takes two cells."""
        text = self.text[slice(*self.span(line))]
        return not text.isascii() and any(get_character_cell_size(character) > 1 for character in set(text))


class TextLines:
    """The lines of a text as a width shows them, wrapped or cut."""

    def __init__(self, pages: TextPages, width: int, *, wrap: bool) -> None:
        self.pages = pages
        self.width = max(width, 1)
        self.wrap = wrap
        self._ends = array("Q", accumulate(self._heights())) if wrap else array("Q")
        """For each line of the text, how many lines are shown up to its end."""

    def _heights(self) -> Iterator[int]:
        for line in range(len(self.pages)):
            start, end = self.pages.span(line)
            yield max(1, -(-(end - start) // self.pages.room(line, self.width)))

    def __len__(self) -> int:
        return len(self.pages) if not self.wrap else self._ends[-1] if self._ends else 0

    def piece(self, index: int) -> tuple[int, int, int]:
        """Say which characters a shown line has, and how many of its line are left out behind them."""
        if not self.wrap:
            start, end = self.pages.span(index)
            shown = min(end, start + UNWRAPPED_AT_MOST)
            return start, shown, end - shown
        line = bisect_right(self._ends, index)
        start, end = self.pages.span(line)
        room = self.pages.room(line, self.width)
        first = start + (index - (self._ends[line - 1] if line else 0)) * room
        return first, min(first + room, end), 0

    def row_of(self, offset: int) -> int:
        """Say which shown line has a character."""
        line = max(0, bisect_right(self.pages.starts, offset) - 1)
        if not self.wrap or not len(self.pages):
            return line
        start, end = self.pages.span(line)
        within = min(offset, max(end - 1, start)) - start
        return (self._ends[line - 1] if line else 0) + within // self.pages.room(line, self.width)


def _line_starts(text: str) -> Iterator[int]:
    start = 0
    while start < len(text):
        yield start
        end = text.find("\n", start)
        start = end + 1 if end >= 0 else len(text)
