"""What can be saved of a run or a workspace, and where: new files only, and never in the workspace that is read."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from core import (
    Run,
    Workspace,
    is_outside,
    make_repro,
    report_on_run,
    report_on_workspace,
    temporary_folder_at,
    write_new_file,
)

from .copies import copies_folder
from .evidence_targets import made_by
from .report_command import written

_REPORTS: Final = (
    ("Markdown", "md", "for a ticket or a chat"),
    ("HTML", "html", "one page that loads nothing from anywhere"),
    ("JSON", "json", "for scripts"),
)
_TRIES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Save:
    """Something that can be saved."""

    name: str
    """How it is called in a list."""
    what: str
    """What it is."""
    stem: str
    """Name of its file, or of its folder, before the number that makes it a new one."""
    suffix: str
    """Empty for a folder."""
    write: Callable[[Path], None] = field(repr=False, compare=False)
    """Makes it at a path; may take long. Raises CoreError and OSError."""


def run_saves(workspace: Workspace, run: Run, now_ms: float) -> Iterator[Save]:
    """Offer a report on one run in each format, and a repro without what was said."""
    stem = safe_name(run.run_id)

    def report(form: str) -> Callable[[Path], None]:
        def write(path: Path) -> None:
            found = report_on_run(workspace, run.again(), str(workspace.root), made_by(), now_ms)
            write_new_file(path, written(found, form), workspace)

        return write

    def repro(path: Path) -> None:
        ledger = run.again().ledger()
        try:
            made = make_repro(ledger, made_by(), now_ms=now_ms)
        finally:
            ledger.close()
        made.write(path, workspace)

    for name, form, what in _REPORTS:
        yield Save(f"Report, {name}", f"on {run.run_id}, {what}", f"{stem}-report", f".{form}", report(form))
    yield Save("Redacted repro", "a folder: the same decision, nothing of what was said", f"{stem}-repro", "", repro)


def workspace_saves(workspace: Workspace, now_ms: float) -> Iterator[Save]:
    """Offer a report on every run in doubt, in each format."""

    def report(form: str) -> Callable[[Path], None]:
        def write(path: Path) -> None:
            found = report_on_workspace(workspace, str(workspace.root), made_by(), now_ms)
            write_new_file(path, written(found, form), workspace)

        return write

    for name, form, what in _REPORTS:
        yield Save(f"All runs, {name}", f"every run in doubt, {what}", "workspace-report", f".{form}", report(form))


def screen_save(workspace: Workspace, svg: str, stem: str) -> Save:
    """Offer the screen as a picture that loads no fonts."""
    picture = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)

    def write(path: Path) -> None:
        write_new_file(path, picture.encode("utf-8", "replace"), workspace)

    return Save("Screen, SVG", "this screen as a picture", safe_name(stem), ".svg", write)


def safe_name(name: str) -> str:
    """Make a file name of any text."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:80].strip("-") or "run"


def usual_folder(
    workspace: Workspace, platform: str, environ: Mapping[str, str], home: Path, current: Path
) -> tuple[Path, str]:
    """Return the folder to save in, and why it is not the current one; empty where it is.

    That is a private folder where the current one lies in the workspace, or cannot be written to.
    """
    if is_outside(current / "new", workspace) and os.access(current, os.W_OK):
        return current, ""
    why = "the current folder cannot be written to"
    if not is_outside(current / "new", workspace):
        why = "the current folder lies in the workspace, where nothing is ever written"
    private = copies_folder(platform, environ, home)
    try:
        if is_outside(private / "new", workspace):
            private.mkdir(mode=0o700, parents=True, exist_ok=True)
            return private, why
    except OSError:
        pass  # a temporary folder may do
    return temporary_folder_at(lambda folder: is_outside(folder / "new", workspace), environ) or private, why


def free_place(folder: Path, save: Save) -> Path:
    """Return the first path for something to save at which nothing lies."""
    for number in range(1, _TRIES):
        path = folder / f"{save.stem}{f'-{number}' if number > 1 else ''}{save.suffix}"
        if not os.path.lexists(path):
            return path
    return folder / f"{save.stem}{save.suffix}"
