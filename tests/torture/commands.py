"""Asking the command line, in this process or in one of its own, and the laws that every answer keeps."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core import CoreError
from tests.torture.laws import strict_json
from tests.torture.outcome import Hang, deadline
from viewer.cli import main

REPO = Path(__file__).parent.parent.parent
_SECONDS = 90.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command said."""

    code: int
    out: bytes
    error: str

    def broken_laws(self, codes: Sequence[int] = (0, 1, 2, 3)) -> Iterator[str]:
        """Say which laws it breaks: an exit code of ours, at most one line of error, no traceback, whole JSON."""
        if self.code not in codes:
            yield f"exit code {self.code}, not {list(codes)}: {self.error[-600:]} {self.out[-300:]!r}"
        if "Traceback" in self.error or "fault of its own" in self.error:
            yield f"a fault of our own: {self.error[-900:]}"
        elif self.error.count("\n") > 1:
            yield f"more than one line of error: {self.error[:600]}"


def ask(*words: str | os.PathLike[str]) -> Answer:
    """Ask in this process; what would be told as a fault of our own comes out as it is."""
    out, error = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    argv = [os.fspath(word) for word in words]
    try:
        with deadline(_SECONDS), contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            code = main(argv)
    except SystemExit as stopped:
        code = stopped.code if isinstance(stopped.code, int) else 2
    except Hang as hang:
        return Answer(-1, b"", str(hang))
    out.flush()
    payload = out.buffer.getvalue() if isinstance(out.buffer, io.BytesIO) else b""
    return Answer(code, payload, error.getvalue())


def ask_child(
    *words: str | bytes | os.PathLike[str], environ: dict[str, str] | None = None, before: Sequence[str] = ()
) -> Answer:
    """Ask in a process of its own; `before` is what starts it, such as a command that limits it."""
    command = [*before, sys.executable, "-m", "viewer", *words]
    known = {**os.environ, "PYTHONPATH": str(REPO), **(environ or {})}
    try:
        done = subprocess.run(command, env=known, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return Answer(-1, b"", f"no answer within {_SECONDS:g} s")
    return Answer(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def json_laws(answer: Answer) -> Iterator[str]:
    """Say whether a document is not JSON for a strict parser."""
    try:
        strict_json(answer.out)
    except CoreError as error:
        yield f"the document is no JSON: {error}: {answer.out[:200]!r}"
