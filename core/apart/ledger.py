"""Reading one large ledger with two processes: this one folds, another decodes most rows before their turn comes.

What is read is the same ledger, whoever decoded which of its rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..storage.ahead import Ahead
from ..storage.files import ReadOnlyFile, file_state
from ..storage.jsonl import read_jsonl_ledger
from ..storage.jsonl_workspace import JsonlRunStorage
from ..storage.ledger import Ledger
from ..storage.run import Progress, Run
from .processors import processors

if TYPE_CHECKING:
    from .helper import Helper

_LARGE: Final = 48 << 20
_MANY: Final = 100_000
"""Bytes of a ledger, and rows that are still to come, from which on another process is worth its start."""
_QUITE_LARGE: Final = 16 << 20
_QUITE_MANY: Final = 1 << 12
"""The same for one that need not load anything first."""


def _process() -> Helper:
    from .fork import quick_helper  # what starts processes is loaded when one is started

    return quick_helper()


def rows_worth_a_process(size: int) -> int | None:
    """Return how many rows must be to come for another process to be worth its start; None for a file of few bytes."""
    if size < _QUITE_LARGE:
        return None
    from .fork import can_be_copied

    if can_be_copied():
        return _QUITE_MANY
    return _MANY if size >= _LARGE else None


def ledger_together(
    run: Run,
    progress: Progress | None = None,
    *,
    worth: Callable[[int], int | None] = rows_worth_a_process,
    start: Callable[[], Helper] = _process,
) -> Ledger:
    """Read the whole ledger of a run as `Run.ledger` does, and raise as that does; a large file with two processes.

    A second one is started if there is a processor for it, and as many rows are to come as `worth` says of the bytes of
    the file. It ends with the reading; where it can do nothing, all is done here.
    """
    storage = run.storage
    if type(storage) is not JsonlRunStorage or processors() < 2:
        return run.ledger(progress)
    state = file_state(storage.folder.ledger, follow=False)
    many = None if state is None else worth(state.size)
    if many is None:
        return run.ledger(progress)
    from .asking import Asking  # loads what only large ledgers need

    asking: list[Asking] = []

    def ahead(file: ReadOnlyFile) -> Ahead:
        asking.append(Asking(start, many, file))
        return asking[-1]

    try:
        header = storage.read_header()
        identity, findings = storage.identity(header[0]), run.given + header[1]
        ledger = read_jsonl_ledger(storage.folder.ledger, identity, header[0], findings, progress, ahead)
        return run.take_ledger(ledger, header)
    finally:
        for one in asking:
            one.close()
