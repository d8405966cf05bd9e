"""Runs the command line: in this process where that tells everything, in one of its own where it does not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

SOURCE = Path(__file__).parents[2]
"""The root of the source tree."""

COMMAND = [sys.executable, "-m", "viewer"]


def environment(**variables: str) -> dict[str, str]:
    """Return an environment in which `core` and `viewer` are those of this tree, whatever the current folder."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "PYTHONIOENCODING", "TERM")}
    return {**kept, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "utf-8", **variables}


def maka(
    *words: str, environ: Mapping[str, str] | None = None, cwd: Path | None = None, stdin: int = subprocess.DEVNULL
) -> subprocess.CompletedProcess[bytes]:
    """Run one command in a process of its own, without a terminal."""
    return subprocess.run(
        [*COMMAND, *words],
        capture_output=True,
        stdin=stdin,
        env=environment(**(environ or {})),
        cwd=cwd or SOURCE,
        timeout=60,
        check=False,
    )


def python(program: str, *words: str, environ: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program text in a process of its own."""
    command: Sequence[str] = [sys.executable, "-c", program, *words]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment(**(environ or {})),
        timeout=60,
        check=False,
    )
