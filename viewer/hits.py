"""The rows that hold a pattern, as far as they are found, and the way from one to the next."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable


class Hits:
    """Sorted rows. They come in any order."""

    def __init__(self, rows: Iterable[int] = (), *, done: bool = False) -> None:
        self.rows = sorted(rows)
        """What is found."""
        self.done = done
        """Whether everything was looked at."""

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, row: object) -> bool:
        return isinstance(row, int) and self._place(row) is not None

    def add(self, rows: Iterable[int]) -> None:
        """Take more of them in."""
        self.rows = sorted({*self.rows, *rows})

    def renew(self, since: int, rows: Iterable[int]) -> None:
        """Forget what was found from one row on, and take in what is found there now."""
        self.rows = sorted({*(row for row in self.rows if row < since), *rows})

    def among(self, rows: Container[int]) -> Hits:
        """Return those that are among some rows."""
        return Hits((row for row in self.rows if row in rows), done=self.done)

    def after(self, row: int) -> int | None:
        """Return the next one, from the beginning again after the last; None if there is none."""
        return self.rows[bisect_right(self.rows, row) % len(self.rows)] if self.rows else None

    def before(self, row: int) -> int | None:
        """Return the one before, from the end again before the first; None if there is none."""
        return self.rows[bisect_left(self.rows, row) - 1] if self.rows else None

    def from_(self, row: int) -> int | None:
        """Return that row if it is one, else the next one."""
        return row if row in self else self.after(row)

    def said(self, row: int | None) -> str:
        """Say which of how many a row is: `3 of 17`; `17 found` on no hit; with a plus while more may come."""
        count = f"{len(self):,}{'' if self.done else '+'}"
        place = self._place(row) if row is not None else None
        if place is not None:
            return f"{place + 1:,} of {count}"
        return "not found" if self.done and not self.rows else f"{count} found"

    def _place(self, row: int) -> int | None:
        place = bisect_left(self.rows, row)
        return place if place < len(self.rows) and self.rows[place] == row else None
