"""What is wrong with the rows behind the first thousand bad ones, in a byte each: nobody reads a million sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .findings import Finding

MOST_FINDINGS: Final = 1000
"""Bad rows that are told in full, each with what the decoder complained of."""


class LaterFindings:
    """Codes of bad rows, by their position."""

    def __init__(self) -> None:
        self._start = 0
        """Position of the first row that is known here."""
        self._numbers = bytearray()
        self._codes: list[str] = []
        self._first: list[int] = []

    def note(self, index: int, code: str) -> None:
        """Remember what is wrong with a row; rows come in order."""
        if not self._codes:
            self._start = index
        if code not in self._codes:
            self._codes.append(code)
            self._first.append(index)
        self._numbers.extend(bytes(index - self._start - len(self._numbers)))
        self._numbers.append(self._codes.index(code) + 1)

    def forget(self, index: int) -> None:
        """Know nothing of a row."""
        if 0 <= index - self._start < len(self._numbers):
            self._numbers[index - self._start] = 0

    def code(self, index: int) -> str | None:
        """Return what is wrong with a row; None where nothing is, or it is told elsewhere."""
        place = index - self._start
        number = self._numbers[place] if 0 <= place < len(self._numbers) else 0
        return self._codes[number - 1] if number else None

    def sums(self, line: Callable[[int], int]) -> list[Finding]:
        """Return a finding for each code: how many rows have it, and the line of the first."""
        counts = (self._numbers.count(number + 1) for number in range(len(self._codes)))
        return [
            Finding(code, f"{count:,} more rows of this kind", line=line(first))
            for code, count, first in zip(self._codes, counts, self._first, strict=True)
            if count
        ]

    def copied(self) -> LaterFindings:
        """Return a copy that does not grow with this one."""
        copy = LaterFindings()
        copy._start, copy._numbers = self._start, bytearray(self._numbers)
        copy._codes, copy._first = list(self._codes), list(self._first)
        return copy
