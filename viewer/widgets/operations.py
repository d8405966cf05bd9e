"""The operations of a prefix: the unresolved ones first, then the settled ones, then those that a tool called."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct
from rich.cells import cell_len
from textual.content import Content

from core import CoreError, Ledger, OperationBrief, OperationIndex, arguments_line, position_in, printable, size_text

from ..cells import cut, pad
from ..styles import STATUSES, Signs

READ_AT_MOST: Final = 256 << 10
"""Bytes. The arguments of a longer row are described by its size."""

LINK_FROM: Final = 44
"""Width of a line from which it says at which events the call and its response stand."""

_WORDS_LOOKED_AT: Final = 1000
"""So many unresolved operations tell how wide the column of their words is."""


class OperationView(Struct, frozen=True):
    """What a list of operations shows."""

    ledger: Ledger
    operations: OperationIndex
    headings: bool = True
    """Whether each group stands under its name."""
    calm: bool = False
    """Whether doubt is not loud, since the run may go on."""


class OperationRows:
    """The lines of the list: headings, and operations that are made when they are drawn."""

    def __init__(self, view: OperationView, signs: Signs) -> None:
        self._view = view
        self._signs = signs
        operations = view.operations
        groups = (
            ("unresolved", operations.unresolved),
            ("settled", operations.settled),
            ("nested, settled", operations.nested),
        )
        self._groups: list[tuple[str, Sequence[int]]] = [(name, numbers) for name, numbers in groups if numbers]
        self._head = 1 if view.headings else 0
        self._starts: list[int] = []
        self._length = 0
        for _, numbers in self._groups:
            self._starts.append(self._length)
            self._length += self._head + len(numbers)
        words = {STATUSES[operations.brief(n).status].word for n in islice(operations.unresolved, _WORDS_LOOKED_AT)}
        self._word_width = max(map(len, words), default=0)
        if operations.settled or operations.nested:
            self._word_width = max(self._word_width, len("succeeded"))

    def __len__(self) -> int:
        return self._length

    def number_of(self, index: int) -> int | None:
        """Return the operation that a line stands for; None for a heading."""
        place = bisect_right(self._starts, index) - 1
        if place < 0 or not 0 <= index < self._length:
            return None
        within = index - self._starts[place] - self._head
        return self._groups[place][1][within] if within >= 0 else None

    def key(self, index: int) -> Hashable:
        """Name a line: the operation's number, or the group's name."""
        number = self.number_of(index)
        return self._groups[bisect_right(self._starts, index) - 1][0] if number is None else number

    def find(self, key: Hashable) -> int | None:
        """Find a line by its name."""
        for start, (name, numbers) in zip(self._starts, self._groups, strict=True):
            if key == name:
                return start if self._head else None
            place = position_in(numbers, key) if isinstance(key, int) else None
            if place is not None:
                return start + self._head + place
        return None

    def skips(self, index: int) -> bool:
        """Pass over headings."""
        return self.number_of(index) is None

    def row(self, index: int, width: int) -> Content:
        """Draw one line."""
        number = self.number_of(index)
        if number is None:
            name, numbers = self._groups[bisect_right(self._starts, index) - 1]
            return Content.styled(f"{name} {len(numbers):,}", "$muted")
        return self._operation(self._view.operations.brief(number), width)

    def _operation(self, brief: OperationBrief, width: int) -> Content:
        look = STATUSES[brief.status]
        style, word_style = look.style, look.word_style
        if self._view.calm:
            style, word_style = style.replace("$doubt", "$live"), word_style.replace("$doubt", "$live")
        wide = width >= LINK_FROM
        gap = "  " if wide else " "
        head = Content.assemble((self._signs.of(look), style), " ", (pad(look.word, self._word_width), word_style), gap)
        answer = f"{brief.response_index + 1}" if brief.response_index is not None else self._signs.none
        link = f"#{brief.call_index + 1} {self._signs.arrow} {answer}" if wide else ""
        room = width - 1 - head.cell_length - (cell_len(link) + 1 if link else 0)
        name = ("hidden" + gap if brief.hidden else "") + printable(brief.tool_name, limit=80)
        said = cut(f"{name}{gap}{self._arguments(brief.call_index)}".rstrip(), room, self._signs.ellipsis)
        strong = "bold $ink" if not brief.status.settled else "$muted"
        return Content.assemble(head, (pad(said, room), strong), " " if link else "", (link, "$muted"))

    def _arguments(self, index: int) -> str:
        ledger = self._view.ledger
        length = ledger.rows.lengths[index]
        if length > READ_AT_MOST:
            return f"a row of {size_text(length)}"
        try:
            said = arguments_line(ledger[index])
        except CoreError as error:
            return printable(f"can no longer be read: {error.message}", limit=120)
        return printable(said, limit=200)
