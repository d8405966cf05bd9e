"""Where things lie in a state root, and which ids may name them (format: layout, ids)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from ..errors import RequestError

SESSIONS: Final = "sessions"
RUNS: Final = "runs"
HEADER: Final = "run.json"
LEDGER: Final = "runtime-events.jsonl"
PARTIALS: Final = "runtime-partials"

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")


def is_path_id(text: str) -> bool:
    """Tell whether a session or a run may be named so: 1 to 128 characters out of letters, digits, `_` and `-`."""
    return _ID.fullmatch(text) is not None


def session_folder(root: Path, session_id: str) -> Path:
    """Return the folder of a session. Raises RequestError before any file is touched if the id may not be a name."""
    if not is_path_id(session_id):
        raise RequestError(f"no session can have the id {session_id!r}", code="invalid_session_id", hint=_HINT)
    return root / SESSIONS / session_id


def run_folder(root: Path, session_id: str, run_id: str) -> Path:
    """Return the folder of a run. Raises RequestError as `session_folder` does; the session's id is judged first."""
    session = session_folder(root, session_id)
    if not is_path_id(run_id):
        raise RequestError(f"no run can have the id {run_id!r}", code="invalid_run_id", hint=_HINT)
    return session / RUNS / run_id


_HINT: Final = "ids are 1 to 128 characters out of A-Z a-z 0-9 _ -"
