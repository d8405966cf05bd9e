"""What a `VirtualList` shows: rows that are made when they are drawn, and never kept."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Protocol, runtime_checkable

from textual.content import Content
from textual.strip import Strip


class Parts(tuple[tuple[str, str], ...]):
    """The texts of a line with the names of their styles, "" for none: many times as quick to draw as `Content`."""

    __slots__ = ()

    @property
    def plain(self) -> str:
        """The text alone."""
        return "".join(text for text, _ in self)

    @property
    def content(self) -> Content:
        """The same as content."""
        return Content.assemble(*self)


class RowSource(Protocol):
    """Rows by number. Both methods must be cheap whatever the number of rows."""

    def __len__(self) -> int: ...

    def row(self, index: int, width: int) -> Content | Parts | Strip:
        """Draw one row, without a background, for `width` cells; what is longer is cropped.

        The text must have been through `core.text.printable`.
        """
        ...


@runtime_checkable
class KeyedRows(Protocol):
    """A source whose rows can be found again after others came or went before them."""

    def key(self, index: int) -> Hashable:
        """Name the row for good."""
        ...

    def find(self, key: Hashable) -> int | None:
        """Say where the row of that name is now, or None if it is gone."""
        ...


@runtime_checkable
class SkippedRows(Protocol):
    """A source with rows that the cursor passes over, such as headings."""

    def skips(self, index: int) -> bool:
        """Say whether the cursor may not rest here."""
        ...


@runtime_checkable
class SteadyRows(Protocol):
    """A source that knows which of its rows look as they did in the source before it."""

    def same_as(self, before: RowSource) -> Callable[[int], bool] | None:
        """Return what tells of a row whether it surely looks as the row of that number did; None if none does."""
        ...


class Rows:
    """A source over contents at hand, for short lists."""

    def __init__(
        self, rows: Sequence[Content] = (), *, skips: Callable[[int], bool] | None = None, ellipsis: str = ""
    ) -> None:
        """Hold the rows; one that is too long ends in the ellipsis, if there is one."""
        self._rows = rows
        self._skips = skips
        self._ellipsis = ellipsis

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, index: int, width: int) -> Content:
        """Give the content as it is, or as much of it as there is room for."""
        row = self._rows[index]
        if not self._ellipsis or row.cell_length <= width:
            return row
        return Content.assemble(row.truncate(width - len(self._ellipsis)), self._ellipsis)

    def skips(self, index: int) -> bool:
        """Ask the function that was given, if any."""
        return self._skips is not None and self._skips(index)
