"""Runs the command line and reports every path that it opens, lists, makes or changes: the interpreter's own audit."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

_WATCHED = {
    "open", "os.scandir", "os.listdir", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.link",
    "os.truncate", "os.chmod", "os.chown", "os.utime", "os.setxattr", "sqlite3.connect", "subprocess.Popen", "os.exec",
    "os.system", "socket.connect", "shutil.rmtree", "shutil.move", "shutil.copyfile", "tempfile.mkstemp",
    "tempfile.mkdtemp",
}  # fmt: skip
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def main() -> int:
    """Ask what the words after the first say, and write what was touched to the file that the first names."""
    report, words = sys.argv[1], sys.argv[2:]
    touched: list[tuple[str, str, bool]] = []

    def audit(event: str, given: tuple[Any, ...]) -> None:
        if event in _WATCHED and given and isinstance(given[0], (str, bytes)):
            flags = given[2] if event == "open" and len(given) > 2 and isinstance(given[2], int) else 0
            writes = bool(flags & _WRITING) if event == "open" else event not in ("os.scandir", "os.listdir")
            # Not here: resolving a link would itself be audited. Paths are as the program gave them.
            touched.append((event, str(Path.cwd() / os.fsdecode(given[0])), writes))

    from viewer.cli import main as ask

    sys.addaudithook(audit)
    try:
        code = ask(words)
    finally:
        seen = list(touched)
        Path(report).write_text(json.dumps(seen), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
