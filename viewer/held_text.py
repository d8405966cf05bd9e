"""Keeps the cells of a screen in their places on a terminal that cannot hold every character."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from functools import lru_cache

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

LOST = "_"
"""Stands for a character that cannot be held: never a question mark, which has a meaning here."""


class HeldText(LineFilter):
    """Writes as many cells for what the streams' encodings cannot hold as were drawn for it.

    Python would write the number of the character, six cells for one, and shift the rest of the row.
    """

    def __init__(self, encodings: Iterable[str]) -> None:
        """Prepare it for streams of some encodings."""
        super().__init__()
        self._encodings = tuple(name for name in encodings if codecs.lookup(name).name != "utf-8")
        self.enabled = bool(self._encodings)
        self._held = lru_cache(4096)(self._held_anew)

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Replace what cannot be held."""
        del background
        return [Segment(self._held(text), style, control) for text, style, control in segments]

    def _held_anew(self, text: str) -> str:
        if self._holds(text):
            return text
        parts = (part if self._holds(part) else LOST * cell_len(part) for part in text)
        return set_cell_size("".join(parts), cell_len(text))

    def _holds(self, text: str) -> bool:
        try:
            for name in self._encodings:
                text.encode(name)
        except UnicodeEncodeError:
            return False
        return True
