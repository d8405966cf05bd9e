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
"""Bytes of a ledger, and rows that are still to come, from which on another process is worth its start."""
_MANY: Final = 100_000


def _process() -> Helper:
    from .helper import Helper  # what starts processes is loaded when one is started

    return Helper()


def ledger_together(
    run: Run,
    progress: Progress | None = None,
    *,
    large: int = _LARGE,
    many: int = _MANY,
    start: Callable[[], Helper] = _process,
) -> Ledger:
    """Read the whole ledger of a run as `Run.ledger` does, and raise as that does; a large file with two processes.

    A second one is started for a file of `large` bytes with `many` rows to come, if there is a processor for it. It
    ends with the reading; where it can do nothing, all is done here.
    """
    storage = run.storage
    if type(storage) is not JsonlRunStorage or processors() < 2:
        return run.ledger(progress)
    state = file_state(storage.folder.ledger, follow=False)
    if state is None or state.size < large:
        return run.ledger(progress)
    from .asking import Asking  # loads what only large ledgers need

    asking: list[Asking] = []

    def ahead(file: ReadOnlyFile) -> Ahead:
        asking.append(Asking(start, many, file))
        return asking[0]

    try:
        header = storage.read_header()
        identity, findings = storage.identity(header[0]), run.given + header[1]
        ledger = read_jsonl_ledger(storage.folder.ledger, identity, header[0], findings, progress, ahead)
        return run.take_ledger(ledger, header)
    finally:
        for one in asking:
            one.close()
