"""A sample workspace that really crashed: agents at work on a small project, killed in the middle of it.

Children write every run through the store and are killed before they end. What only later phases of the runtime write,
and what damage looks like, is written by them as well, since no crash of ours would leave it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from ..crash.checks import check_kill
from ..crash.process import ChildFailed, Task
from ..crash.starter import TIMEOUT_S, ChildStarter, started
from ..crash.writer import Step
from .calm import continuation, fixed, history, review, reviewer, torn, which_port
from .doubts import contradictory, deploy, edit, not_dispatched, parked, push, unreadable
from .pen import Pen, story_ms
from .sessions import conversation

_NEWEST_MS: Final = story_ms("2026-11-29 12:00:24.200")
"""The story's newest event."""

_CHILDREN: Final[tuple[tuple[Callable[[int], Pen], ...], ...]] = (
    (deploy, which_port, history, push, not_dispatched, contradictory, fixed, torn),
    (parked, edit, continuation, review, reviewer, unreadable),
)
"""Which child writes which runs; two of them, since few machines have less than two processors."""


def build_demo(
    root: str | os.PathLike[str],
    newest_ms: float,
    *,
    child: Sequence[str] | None = None,
    timeout_s: float = TIMEOUT_S,
) -> None:
    """Write the sample workspace into a folder, which is created if need be and should be empty.

    Two workspaces with the same `newest_ms` are equal in every byte and in the mtime of every file.

    Args:
        root: the state root to be.
        newest_ms: the time of the newest event, in milliseconds since 1970; files are as old as their last event.
        child: what to start instead of our own child; the path of its task is added.
        timeout_s: seconds that a child gets.

    Raises:
        ChildFailed: a child did not come so far, or could not be killed; `stderr` says why.

    """
    shift_ms = round(newest_ms) - _NEWEST_MS
    written = [[write(shift_ms) for write in runs] for runs in _CHILDREN]
    with ChildStarter(child) as starter:
        tasks = [Task(Path(root), _steps(pens)) for pens in written]
        for running in [starter.start(task) for task in tasks]:
            process = started(running)
            process.wait_ready(timeout_s)
            for found in check_kill(process):
                if not found.passed:
                    raise ChildFailed(f"the demonstration did not crash: {found.seen}", process.complaint)
    for pens in written:
        for pen in pens:
            _date(Path(root), pen)


def _steps(pens: Sequence[Pen]) -> tuple[Step, ...]:
    """Return all that a child writes: conversations first, then one run after the other."""
    created: dict[str, int] = {}
    for pen in pens:
        start = int(pen.header["createdAt"])
        created[pen.session_id] = min(start, created.get(pen.session_id, start))
    conversations = [conversation(session_id, start) for session_id, start in created.items()]
    return (*conversations, *(step for pen in pens for step in pen.steps))


def _date(root: Path, pen: Pen) -> None:
    """Give the files of a run, and of its session, the time of the run's last write."""
    folder = root / pen.folder
    for path in (*folder.rglob("*"), folder, folder.parent.parent / "session.jsonl"):
        os.utime(path, (pen.now / 1000, pen.now / 1000))
