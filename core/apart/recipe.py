"""How another process finds the run that this one has before it."""

from __future__ import annotations

from dataclasses import dataclass

from ..storage.files import file_state
from ..storage.findings import Finding
from ..storage.jsonl_workspace import JsonlRunStorage, RunFolder
from ..storage.run import Run


@dataclass(frozen=True, slots=True)
class Recipe:
    """A run in files."""

    session_id: str
    run_id: str
    folder: RunFolder
    given: tuple[Finding, ...]
    """Findings on what is around the run."""

    def run(self) -> Run:
        """Return the run with nothing read yet; it knows no relatives, which no row depends on."""
        return Run(self.session_id, self.run_id, JsonlRunStorage(self.folder), self.given)


def bytes_apart(run: Run) -> int:
    """Return how many bytes another process would have to read of a run; 0 where only this one can. Opens no file."""
    recipe = recipe_of(run)
    state = file_state(recipe.folder.ledger, follow=False) if recipe is not None else None
    return state.size if state is not None else 0


def recipe_of(run: Run) -> Recipe | None:
    """Return how to find a run; None where only this process can read it."""
    storage = run.storage
    # Whatever else looks like files may answer otherwise than they do.
    if type(storage) is not JsonlRunStorage:
        return None
    return Recipe(run.session_id, run.run_id, storage.folder, run.given)
