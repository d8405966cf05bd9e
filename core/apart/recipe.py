"""How another process finds the run that this one has before it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from ..storage.files import file_state
from ..storage.findings import Finding
from ..storage.jsonl import read_jsonl_ledger
from ..storage.jsonl_workspace import JsonlRunStorage, RunFolder
from ..storage.run import Progress, Run
from .handover import Growing, Part, hand_over

if TYPE_CHECKING:
    from .copied import InCopy

    Recipe: TypeAlias = "InFiles | InCopy"


class InFiles(Struct, frozen=True):
    """A run in files."""

    folder: RunFolder
    given: tuple[Finding, ...]
    """Findings on what is around the run."""

    def parts(self, progress: Progress, growing: Growing) -> Iterator[Part]:
        """Read the run and hand over what of it `growing` did not hand over meanwhile."""
        storage = JsonlRunStorage(self.folder)
        header = storage.read_header()
        identity, findings, path = storage.identity(header[0]), self.given + header[1], self.folder.ledger
        ledger = read_jsonl_ledger(path, identity, header[0], findings, progress, index=growing.rows)
        with closing(ledger):
            yield from hand_over(ledger, header, growing)


def bytes_apart(run: Run) -> int:
    """Return how many bytes, about, another process would have to read of a run; 0 where only this one can."""
    storage = run.storage
    # Whatever else looks like this may answer otherwise.
    if type(storage) is JsonlRunStorage:
        state = file_state(storage.folder.ledger, follow=False)
        return state.size if state is not None else 0
    from .copied import bytes_copied

    return bytes_copied(run)


def recipe_of(run: Run) -> Recipe | None:
    """Return how to find a run; None where only this process can read it."""
    storage = run.storage
    if type(storage) is JsonlRunStorage:
        return InFiles(storage.folder, run.given)
    from .copied import in_copy

    return in_copy(run)
