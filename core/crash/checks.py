"""What must hold after a child was killed: asked of the reopened storage alone (contract: process-crash harness)."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from ..decision.failpoints import CommittedPrefix, Failpoint, failpoints_for
from ..decision.resume import ResumePlan
from ..inspection.inspect import inspect
from ..records.events import RuntimeEvent
from ..storage.layout import LEDGER, run_folder
from ..store.store import RuntimeEventStore
from ..workspace import open_workspace
from .prefixes import Decision, Prefix, decision_of
from .process import ChildProcess, was_killed
from .reports import Check

Project = Callable[[Sequence[RuntimeEvent]], ResumePlan]
"""The projection under test: a committed prefix to its plan."""


def check(code: str, expected: object, seen: object) -> Check:
    """Hold what was seen against what must be."""
    return Check(code, str(expected), str(seen), expected == seen)


def check_same(code: str, expected: object, seen: object) -> Check:
    """Hold two values against each other that are too long to be told."""
    same = expected == seen
    return Check(code, "equal", "equal" if same else "different", same)


def check_kill(child: ChildProcess) -> tuple[Check, ...]:
    """Kill a child that waits for it, and see that it did not come to its `finally`."""
    alive = child.alive
    code = child.kill()
    return (
        check("child_was_alive", "alive", "alive" if alive else "gone"),
        check("child_was_killed", "killed", "killed" if was_killed(code) else f"exit code {code}"),
        check("no_marker", "no marker", "the marker of `finally`" if child.marker.exists() else "no marker"),
    )


class Reopened:
    """A run read anew, by a new store and as a workspace; nothing is kept from whoever wrote it."""

    def __init__(self, root: Path, session_id: str, run_id: str) -> None:
        self._root = root
        self._ids = session_id, run_id
        self.folder = run_folder(root, session_id, run_id)
        self.events = RuntimeEventStore(root).read_immutable(session_id, run_id)

    def ledger_bytes(self) -> bytes:
        """Return the ledger as it lies there now."""
        return (self.folder / LEDGER).read_bytes()

    def state(self) -> dict[str, tuple[int, bytes]]:
        """Return mtime and bytes of every file of the run."""
        return {
            str(path.relative_to(self.folder)): (path.stat().st_mtime_ns, path.read_bytes())
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }

    def as_workspace(self) -> tuple[tuple[RuntimeEvent, ...], dict[str, object]]:
        """Return the events and the plan that a reader of the whole workspace finds."""
        session_id, run_id = self._ids
        with open_workspace(self._root) as workspace:
            ledger = workspace.run(run_id, session_id).ledger()
            try:
                return tuple(ledger), inspect(ledger).plan.as_document()
            finally:
                ledger.close()


def check_decision(reopened: Reopened, expected: Decision, project: Project) -> tuple[Decision, tuple[Check, ...]]:
    """Project what was reopened, twice, and see that the decision is the expected one and nothing was touched."""
    before = reopened.state()
    first, second = project(reopened.events), project(reopened.events)
    seen = decision_of(first, reopened.events)
    found, plan = reopened.as_workspace()
    same = first == second and first.as_document() == second.as_document()
    return seen, (
        check_same("same_plan_twice", True, same),
        check("decision", expected, seen),
        check_same("same_events_in_workspace", reopened.events, found),
        check_same("same_plan_in_workspace", first.as_document(), plan),
        check_same("bytes_unchanged", before, reopened.state()),
    )


def check_reopened(root: Path, failpoint: Failpoint, prefix: Prefix, project: Project) -> tuple[str, tuple[Check, ...]]:
    """Reopen the run of a failpoint and check all that the contract says about it.

    Returns the decision in one line, or what went wrong instead of it. A projection that raises fails; so does a ledger
    that cannot be read.
    """
    try:
        reopened = Reopened(root, prefix.session_id, prefix.run_id)
        seen, checks = check_decision(reopened, prefix.expected, project)
        shape = [found.id for found in failpoints_for(reopened.events)]
        checks += (
            check_same("rows_as_appended", prefix.rows, reopened.ledger_bytes()),
            check("prefix_has_the_failpoints_shape", True, failpoint.id in shape),
        )
        if failpoint.committed_prefix is CommittedPrefix.AFTER_TERMINAL_EVENT:
            checks += _check_terminal(reopened.events, project)
    except Exception as error:  # whatever is wrong with what is under test is a finding about it, not the harness's end
        said = "".join(traceback.format_exception_only(error)).strip()
        return said, (check("reopened", "a decision", said),)
    return str(seen), checks


def _check_terminal(events: Sequence[RuntimeEvent], project: Project) -> tuple[Check, ...]:
    before = project(events[:-1])
    return (
        check("terminal_fact_kept", True, events[-1].is_terminal),
        check(
            "same_decision_as_before_terminal", decision_of(before, events[:-1]), decision_of(project(events), events)
        ),
    )
