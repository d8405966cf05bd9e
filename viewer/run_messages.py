"""News from the threads that read one run."""

from __future__ import annotations

from datetime import tzinfo

from textual.message import Message

from core import CoreError, Filter, PartialSnapshot, RowsSoFar, SheetSection

from .run_reading import Decided, Detail, Opened


class LedgerProgress(Message):
    """How far the reading is; an older one that nobody has looked at is dropped."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__()
        self.done = done
        self.total = total

    def can_replace(self, message: Message) -> bool:
        """Take the place of any other progress."""
        return isinstance(message, LedgerProgress)


class LedgerGrown(Message):
    """Rows are there, and the reading goes on; those of an older message that nobody has looked at are among them."""

    def __init__(self, so_far: RowsSoFar | None) -> None:
        super().__init__()
        self.so_far = so_far
        """None where the rows that were told of are none after all."""

    def can_replace(self, message: Message) -> bool:
        """Take the place of any other such message."""
        return isinstance(message, LedgerGrown)


class LedgerOpened(Message):
    """The ledger was read and decided."""

    def __init__(self, opened: Opened) -> None:
        super().__init__()
        self.opened = opened


class LedgerFailed(Message):
    """The ledger could not be read at all."""

    def __init__(self, error: CoreError) -> None:
        super().__init__()
        self.error = error


class BesideRead(Message):
    """The unfinished streams beside the ledger were read, and the links of its rows to calls are complete."""

    def __init__(self, partials: tuple[tuple[PartialSnapshot, str], ...]) -> None:
        super().__init__()
        self.partials = partials


class PrefixDecided(Message):
    """A prefix was decided: a shorter one that was asked about, or the whole one anew."""

    def __init__(self, decided: Decided) -> None:
        super().__init__()
        self.decided = decided


class PrefixFailed(Message):
    """A prefix that was asked about cannot be decided any more: the storage changed after it was read."""

    def __init__(self, error: CoreError) -> None:
        super().__init__()
        self.error = error


class DetailRead(Message):
    """What is said about the row under the cursor was read."""

    def __init__(self, detail: Detail) -> None:
        super().__init__()
        self.detail = detail


class SheetRead(Message):
    """What is known about the run beside its events was read."""

    def __init__(self, decided: Decided, zone: tzinfo | None, sections: tuple[SheetSection, ...]) -> None:
        super().__init__()
        self.decided = decided
        self.zone = zone
        """The zone of its times."""
        self.sections = sections


class RowsKept(Message):
    """Rows that a filter keeps were found."""

    def __init__(self, chosen: Filter, rows: list[int], *, done: bool = False) -> None:
        super().__init__()
        self.chosen = chosen
        self.rows = rows
        self.done = done
        """Whether every row was looked at."""
