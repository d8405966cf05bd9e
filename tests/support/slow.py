"""Runs whose reading takes its time: real files behind a gate that the test opens, or rows that are slow to read."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Final

from core import Finding, Ledger, Run, RunHeader, Session, Workspace
from core.storage.jsonl_workspace import LEDGER_FILE, JsonlRunStorage, RunFolder
from core.storage.run import Progress
from tests.support.runs import RUN_PATH, call, header, response, text

_HALF: Final = "@@"


class GatedStorage(JsonlRunStorage):
    """Files of a run that nobody can read before the gate is open; who waits may be told to stop."""

    def __init__(self, folder: RunFolder, gate: threading.Event, fault: Exception | None = None) -> None:
        super().__init__(folder)
        self.gate = gate
        self.fault = fault

    def read_ledger(self, header: RunHeader | None, findings: tuple[Finding, ...], progress: Progress | None) -> Ledger:
        """Wait for the gate, as for a slow disk, then read; or fail as our own code might."""
        while not self.gate.wait(0.005):
            if progress is not None:
                progress(45, 100)
        if self.fault is not None:
            raise self.fault
        return super().read_ledger(header, findings, progress)


def gated_workspace(
    root: Path, gates: dict[str, threading.Event], faults: dict[str, Exception] | None = None
) -> Workspace:
    """Open a state root; the runs that are named in `gates` wait for theirs, the one in `faults` fail with it."""
    sessions = []
    free = threading.Event()
    free.set()
    for folder in sorted((root / "sessions").iterdir()):
        runs = []
        for path in sorted((folder / "runs").iterdir()):
            place = RunFolder(path, folder.name, path.name, path / LEDGER_FILE)
            storage = GatedStorage(place, gates.get(path.name, free), (faults or {}).get(path.name))
            runs.append(Run(folder.name, path.name, storage))
        sessions.append(Session(folder.name, lambda: None, tuple(runs)))
    return Workspace(root, "jsonl", tuple(sessions), tuple)


def hold(pid: int, seconds: float = 0.35) -> None:
    """Hold a process for a while, so that it is at its work for that long on the fastest machine; not on Windows."""
    if sys.platform != "win32":
        os.kill(pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(pid, signal.SIGCONT)


def write_slow_run(root: Path, groups: int = 4_000, *, damaged: int | None = None, tail: bytes = b"") -> Path:
    """Write a run that takes half a second to read, since each row has half a character; return the path of its ledger.

    A group is three rows: a text, a call, its response. The last call has none. Row `damaged` is no JSON; `tail` stands
    at the end.
    """
    lines: list[bytes] = []
    for number in range(groups):
        call_id = f"t{number}"
        said = {"command": f"ls {number} {_HALF}"}
        rows = [text(f"u{number}", f"words {number} {_HALF}"), call(f"c{number}", call_id, said)]
        if number < groups - 1:
            rows.append(response(f"r{number}", call_id, f"ok {_HALF}"))
        lines += [json.dumps(row).replace(_HALF, "\\ud83d").encode() + b"\n" for row in rows]
    if damaged is not None:
        lines[damaged] = b"{]\n"
    folder = root / RUN_PATH
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(header()))
    (folder / LEDGER_FILE).write_bytes(b"".join(lines) + tail)
    return folder / LEDGER_FILE
