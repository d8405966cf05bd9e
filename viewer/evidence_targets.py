"""Which run, and which prefix of it, the commands that take evidence away are asked about."""

from __future__ import annotations

import argparse

from msgspec import Struct

from core import RequestError, Workspace

from .arguments import version_text
from .targets import Target, parse_target


class Side(Struct, frozen=True):
    """One side of a comparison."""

    path: str
    run_id: str | None
    high_water: int | None
    """How many events; None for all."""


def run_target(options: argparse.Namespace) -> Target:
    """Return the run that is asked for, in the link or by `--run`. Raises RequestError where they differ."""
    target = parse_target(options.path)
    if options.run is None:
        return target
    if target.run_id not in (None, options.run):
        raise RequestError("two runs are named", hint="name one: by --run or in the link")
    return Target(target.path, options.run, target.event_id)


def read_side(target: Target, workspace: Workspace) -> Side:
    """Read a link as a run and a number of events; a number alone is a run where the workspace has one of that name.

    Raises RequestError where what should be a number is none.
    """
    run_id, end = target.run_id, target.event_id
    known = {run.run_id for run in workspace.runs()}
    if end is None and run_id is not None and run_id not in known and _is_count(run_id):
        run_id, end = None, run_id
    if end is not None and not _is_count(end):
        raise RequestError(f"{end!r} is not a number of events", hint="write PATH#RUN#N")
    return Side(target.path, run_id, None if end is None else int(end))


def made_by() -> str:
    """Return the name and version of this tool."""
    return f"maka-ledger {version_text()}"


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18
