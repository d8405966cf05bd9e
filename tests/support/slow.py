"""A workspace whose runs are read when the test says so, and not before: real files behind a gate."""

from __future__ import annotations

import threading
from pathlib import Path

from core import Finding, Ledger, Run, RunHeader, Session, Workspace
from core.storage.jsonl_workspace import LEDGER_FILE, JsonlRunStorage, RunFolder
from core.storage.run import Progress


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
