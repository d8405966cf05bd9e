"""Runs the command line with a bound on its memory, and writes what it took to a file."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def main() -> int:
    """Take a file for the figures, a bound in bytes, and what to ask; 137 where the bound was too small."""
    report, bound, words = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    try:
        import resource
    except ImportError:  # Windows has no such bounds
        resource = None  # type: ignore[assignment]  # a module, or none
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
    from viewer.cli import main as ask

    start = time.perf_counter()
    try:
        code = ask(words)
    except MemoryError:
        code = 137
    report.write_text(json.dumps({"seconds": time.perf_counter() - start, "megabytes": _peak() >> 10}))
    return code


def _peak() -> int:
    """Return the most memory that was ever resident, in kilobytes; 0 where the system does not tell.

    Not what `getrusage` says: that counts what the parent held when it started this process.
    """
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.split("\n") if line.startswith("VmHWM:")), 0)


if __name__ == "__main__":
    sys.exit(main())
