"""Plans one run, as commands do, and prints the processor time and memory that took: see `timing.in_child`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import orjson

from core import Helper, Ledger, Run, ledger_together
from core.apart.fork import quick_helper
from tests.bench.timing import plan_of


def main() -> None:
    """Take the folder of a run and, to be read first so that every module is there, that of a small one."""
    folder, small = map(Path, sys.argv[1:])
    plan_of(small, Run.ledger)
    before = _resident("self")
    # The processor's time: the clock on the wall would also count what other processes do meanwhile.
    start = _processor_seconds()
    reading = Reading()
    plan_of(folder, reading.read)
    took = _processor_seconds() - start
    after = _resident("self")
    memory = None if before is None or after is None else after - before + reading.most
    sys.stdout.buffer.write(orjson.dumps({"seconds": took, "bytes": memory}))


class Reading:
    """Reads a ledger and notes what the other process takes, where there is one."""

    def __init__(self) -> None:
        self.most = 0
        """Bytes, resident."""
        self._helper: Helper | None = None

    def read(self, run: Run) -> Ledger:
        """Read the whole ledger."""
        return ledger_together(run, self._progress, start=self._start)

    def _start(self) -> Helper:
        self._helper = quick_helper()
        return self._helper

    def _progress(self, done: int, total: int) -> None:
        if self._helper is not None:
            self.most = max(self.most, _resident(str(self._helper.pid)) or 0)


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _resident(process: str) -> int | None:
    """Return the most bytes of a process that were ever resident; None where the system does not tell.

    Not what `getrusage` says: that counts what the parent held when it started this process.
    """
    try:
        status = Path("/proc", process, "status").read_text()
    except OSError:
        return None
    return next((int(line.split()[1]) << 10 for line in status.split("\n") if line.startswith("VmHWM:")), None)


if __name__ == "__main__":
    main()
