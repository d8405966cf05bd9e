"""Plans one run in one process, and prints the processor time and memory it took: see `timing.in_child`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import orjson

from core import Run
from tests.bench.timing import plan_of


def main() -> None:
    """Take the folder of a run and, to be read first so that every module is there, that of a small one."""
    folder, small = map(Path, sys.argv[1:])
    plan_of(small, Run.ledger)
    before = most_resident()
    # The processor's time: the clock on the wall would also count what other processes do meanwhile.
    start = time.process_time()
    plan_of(folder, Run.ledger)
    took = time.process_time() - start
    after = most_resident()
    memory = None if before is None or after is None else after - before
    sys.stdout.buffer.write(orjson.dumps({"seconds": took, "bytes": memory}))


def most_resident() -> int | None:
    """Return the most bytes of this process that were ever resident; None where the system does not tell.

    Not what `getrusage` says: that counts what the parent held when it started this process.
    """
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    return next((int(line.split()[1]) << 10 for line in status.split("\n") if line.startswith("VmHWM:")), None)


if __name__ == "__main__":
    main()
