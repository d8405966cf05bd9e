"""What can be copied about an event: as the ledger has it, read when somebody takes it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from typing import Final

from core import (
    CoreError,
    Ledger,
    Run,
    Workspace,
    inspect,
    verdict_facts,
    why_markdown,
    why_operation,
    why_run,
)

from .copies import Copy, text_copy
from .run_reading import Detail
from .state_folder import absolute

_NAMED: Final = 80
"""Characters that tell what a copy is."""

_PLAIN: Final = re.compile(r"[A-Za-z0-9_@%+=:,./#~-]+")
"""A link that every shell takes as one word and as it is."""


def event_copies(detail: Detail, workspace: Workspace | None, run: Run) -> Iterator[Copy]:
    """Offer a link to the event under the cursor, its id, its row, and the arguments of its call."""
    row, ledger = detail.chosen.row, detail.decided.inspection.ledger
    event_id = next((fact.text for fact in detail.facts if fact.name == "id"), "")
    if workspace is not None:
        named = event_id if event_id.isprintable() else ""
        yield from _link(workspace, run, named or (f"{row + 1}" if row is not None else ""))
    if event_id:
        yield text_copy("Event id", event_id, event_id, "event-id")
    if row is not None:
        what = f"{ledger.rows.lengths[row]:,} bytes, as the ledger has them"
        yield Copy("JSON row", what, lambda: ledger.raw(row), f"row-{row + 1}", ".json")
    number = detail.chosen.number
    if number is not None and detail.decided.operations.holds(number):
        call = detail.decided.operations.brief(number).call_index
        said = next((text for name, text in _facts(detail) if name), "")
        yield Copy("Arguments", said[:_NAMED], lambda: _arguments(ledger, call), f"arguments-{call + 1}", ".json")


def run_copies(workspace: Workspace, run: Run, now_ms: float) -> Iterator[Copy]:
    """Offer why a run is judged as it is, a link to it, and its ids."""
    name = f"why-{run.run_id}"
    yield Copy("Why, as Markdown", "the answer, for a ticket or a chat", lambda: _why(run, now_ms), name, ".md")
    yield from _link(workspace, run, "")
    yield text_copy("Run id", run.run_id, run.run_id, "run-id")
    yield text_copy("Session id", run.session_id, run.session_id, "session-id")


def _why(run: Run, now_ms: float) -> bytes:
    """Read and decide the run, and write the answer down: about its most urgent call where one is in doubt."""
    ledger = run.ledger()
    try:
        inspection = inspect(ledger, now_ms=now_ms)
        why = why_operation(inspection, inspection.doubts[0]) if inspection.doubts else why_run(inspection)
        return why_markdown(inspection, verdict_facts(inspection), why).encode("utf-8", "surrogatepass")
    finally:
        ledger.close()


def event_link(workspace: Workspace, run: Run, event: str) -> str:
    """Write what `maka-ledger` opens at that event: `PATH#RUN#EVENT`, quoted where a shell would read it otherwise.

    It is made to be pasted behind the command, and the ids in it are another's words.
    """
    among = sum(other.run_id == run.run_id for other in workspace.runs())
    name = run.run_id if among == 1 else f"{run.session_id}/{run.run_id}"
    link = f"{absolute(workspace.root)}#{name}{f'#{event}' if event else ''}"
    if os.name == "nt":
        return subprocess.list2cmdline([link])
    return link if _PLAIN.fullmatch(link) else shlex.quote(link)


def _link(workspace: Workspace, run: Run, event: str) -> Iterator[Copy]:
    """Offer a link; none where the name of a place or run holds what no terminal should be given."""
    link = event_link(workspace, run, event)
    if link.isprintable():
        yield text_copy("Link", link, link, "link")


def _facts(detail: Detail) -> Iterator[tuple[str, str]]:
    for lines in detail.why.sections.values():
        yield from ((line.name, line.text) for line in lines)


def _arguments(ledger: Ledger, row: int) -> bytes:
    content = ledger[row].content
    args = getattr(content, "args_json", None)
    if args is None:
        raise CoreError("the row is no call any longer", code="ledger_changed")
    return bytes(args)
