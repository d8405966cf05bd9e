"""The recorded workspaces under tests/data, unpacked where a test may look at them, and small ones made on the spot."""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
from pathlib import Path
from typing import Any

from tests.support.runs import header

PACKED = Path(__file__).parent.parent / "data" / "workspaces.tar.xz"


def unpack_workspaces(target: Path, archive: Path = PACKED) -> Path:
    """Unpack every recorded workspace, with its file times, and return the folder that holds them."""
    with tarfile.open(archive) as packed:
        packed.extractall(target, filter="data")
    return target


def expectations(folder: Path) -> list[dict[str, Any]]:
    """Return what must be found in each unpacked workspace."""
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.expect.json"))]


def fingerprint(root: Path) -> dict[str, tuple[int, int, str | None]]:
    """Return mode, mtime and digest of everything below a folder, the folder itself included."""
    found: dict[str, tuple[int, int, str | None]] = {}
    for path in [root, *sorted(root.rglob("*"))]:
        status = path.lstat()
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
        found[str(path.relative_to(root))] = (status.st_mode, status.st_mtime_ns, digest)
    return found


def make_run(
    root: Path,
    rows: list[dict[str, Any]] | None,
    *,
    tail: bytes = b"",
    written_ms: float | None = None,
    head: dict[str, Any] | None = None,
) -> Path:
    """Write the one run of `tests.support.runs` with these rows and return its folder.

    `tail` follows the last row; `written_ms` sets the mtime of every file; `head` replaces the header.
    """
    head = header() if head is None else head
    folder = root / "sessions" / str(head["sessionId"]) / "runs" / str(head["runId"])
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(head) + "\n")
    if rows is not None:
        text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
        (folder / "runtime-events.jsonl").write_bytes(text.encode() + tail)
    if written_ms is not None:
        for path in folder.iterdir():
            os.utime(path, (written_ms / 1000, written_ms / 1000))
    return folder
