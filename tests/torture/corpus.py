"""The handed runs as bytes: what every damage starts from."""

from __future__ import annotations

import base64
import json
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from tests.support.vector_files import read_vectors
from tests.support.workspaces import PACKED


@dataclass(frozen=True)
class RunFiles:
    """The files of one run, and the ids that its folders have."""

    name: str
    session_id: str
    run_id: str
    header: bytes | None = None
    ledger: bytes | None = None
    trace: bytes | None = None
    session: bytes | None = None
    """The session's conversation file."""
    partials: dict[str, bytes] = field(default_factory=dict)

    def changed(self, **files: Any) -> RunFiles:
        """Return the run with other files."""
        return replace(self, **files)


@cache
def handed_runs() -> tuple[RunFiles, ...]:
    """Return every run of the recorded workspaces and vectors that has a ledger."""
    return (*_recorded(), *_store_vectors(), *_plan_vectors(), *_partial_vectors())


@cache
def handed_headers() -> tuple[bytes, ...]:
    """Return every distinct header, good and bad."""
    headers = [run.header for run in handed_runs() if run.header is not None]
    headers += [_as_bytes(vector["header"]) for vector in read_vectors("header")]
    return tuple(dict.fromkeys(headers))


@cache
def handed_rows() -> tuple[bytes, ...]:
    """Return every distinct row, good and bad: ledgers, and the decode vectors."""
    rows = [line for run in handed_runs() if run.ledger is not None for line in run.ledger.split(b"\n") if line]
    rows += [_as_bytes(vector["event"]) for vector in read_vectors("decode")]
    return tuple(row for row in dict.fromkeys(rows) if len(row) < 1 << 16)


def _as_bytes(value: object) -> bytes:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=True)
    return text.encode("utf-8", "surrogatepass")


def _recorded() -> Iterator[RunFiles]:
    with tarfile.open(PACKED) as packed:
        files: dict[PurePosixPath, bytes] = {}
        for member in packed:
            read = packed.extractfile(member) if member.isfile() else None
            if read is not None:
                files[PurePosixPath(member.name)] = read.read()
    for path, payload in files.items():
        if path.name != "runtime-events.jsonl":
            continue
        folder = path.parent
        session = folder.parent.parent
        partials = {p.name: b for p, b in files.items() if p.parent == folder / "runtime-partials"}
        yield RunFiles(
            str(folder),
            session.name,
            folder.name,
            files.get(folder / "run.json"),
            payload,
            files.get(folder / "events.jsonl"),
            files.get(session / "session.jsonl"),
            partials,
        )


def _store_vectors() -> Iterator[RunFiles]:
    for vector in read_vectors("store"):
        if "ledger" not in vector or vector["expect"].get("unreadable") == "path-id":
            continue
        ledger = base64.b64decode(vector["ledger"])
        ledger = zlib.decompress(ledger) if vector.get("deflate") else ledger
        header = base64.b64decode(vector["runJson"]) if "runJson" in vector else None
        if len(ledger) < 1 << 18:
            yield RunFiles(
                f"store {vector['name']}", vector["path"]["sessionId"], vector["path"]["runId"], header, ledger
            )


def _plan_vectors() -> Iterator[RunFiles]:
    """Yield ledgers of one run each: the vectors whose events carry the same ids throughout."""
    for vector in read_vectors("plan"):
        events = vector["events"]
        owners = {(event["sessionId"], event["runId"], event["turnId"]) for event in events}
        if len(owners) != 1 or not all(isinstance(name, str) and name for name in next(iter(owners))):
            continue
        session_id, run_id, turn_id = next(iter(owners))
        header = {
            "runId": run_id, "sessionId": session_id, "turnId": turn_id, "status": "running", "backendKind": "fake",
            "llmConnectionSlug": "", "modelId": "m", "cwd": "/w", "permissionMode": "ask", "createdAt": 1,
            "updatedAt": 2,
        }  # fmt: skip
        ledger = b"".join(_as_bytes(event) + b"\n" for event in events)
        yield RunFiles(f"plan {vector['name']}", session_id, run_id, _as_bytes(header), ledger)


def _partial_vectors() -> Iterator[RunFiles]:
    for vector in read_vectors("partial"):
        ids = vector["path"]
        yield RunFiles(
            f"partial {vector['name']}",
            ids["sessionId"],
            ids["runId"],
            _as_bytes(vector["run"]),
            base64.b64decode(vector.get("ledger") or ""),
            partials={name: base64.b64decode(payload) for name, payload in vector["partials"].items()},
        )
