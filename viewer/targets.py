"""What a person gives as a path: a path, or a link to a run or an event in it, as `PATH#run#event`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from core import (
    CoreError,
    NotAWorkspace,
    RequestError,
    RunNotFound,
    WorkspaceForbidden,
    WorkspaceMissing,
)

if TYPE_CHECKING:
    from core import Run, Workspace

UNREADABLE: Final = 3
"""The exit code where something could not be read."""

_USAGE = (WorkspaceMissing, NotAWorkspace, RunNotFound, RequestError)


class Target(Struct, frozen=True):
    """A place to look at."""

    path: str
    run_id: str | None = None
    event_id: str | None = None


def parse_target(text: str) -> Target:
    """Split a link; the longest part that exists as a path is the path, so a real name with `#` in it wins."""
    ends = [index for index, character in enumerate(text) if character == "#" and index]
    if not ends or os.path.lexists(text):
        return Target(text)
    end = next((end for end in reversed(ends) if os.path.lexists(text[:end])), ends[0])
    run_id, _, event_id = text[end + 1 :].partition("#")
    return Target(text[:end], run_id or None, event_id or None)


def only_run(workspace: Workspace, run_id: str | None = None, session_id: str | None = None) -> Run:
    """Return the run asked for, as `RUN` or `SESSION/RUN`, or the only one. Raises RunNotFound or RequestError."""
    if run_id is not None:
        session, slash, name = run_id.rpartition("/")
        if slash:
            # Ids in a database may hold anything: the slash may be a part of one.
            named = [run for run in workspace.runs() if run_id in (run.run_id, f"{run.session_id}/{run.run_id}")]
            return named[0] if len(named) == 1 else workspace.run(name, session)
        return workspace.run(run_id, session_id)
    runs = [run for run in workspace.runs() if session_id in (None, run.session_id)]
    if len(runs) == 1:
        return runs[0]
    place = str(workspace.root)
    if not runs:
        raise RunNotFound("there is no run here", path=place, hint="nothing to resume")
    raise RequestError(
        f"{len(runs):,} runs are here", path=place, hint="name one: --run ID, or PATH#ID; `maka-ledger runs` lists them"
    )


def title_of(workspace: Workspace, run: Run) -> str | None:
    """Return the title of a run's session, read from the workspace."""
    return next((s.title for s in workspace.sessions if s.session_id == run.session_id), None)


def exit_code_of(error: CoreError) -> int:
    """Return the exit code of an error: 2 where the question was wrong, 3 where something could not be read."""
    if isinstance(error, WorkspaceForbidden):
        return UNREADABLE
    return 2 if isinstance(error, _USAGE) else UNREADABLE
