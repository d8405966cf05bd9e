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
        resource = None  # type: ignore[assignment]
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
    from viewer.cli import main as ask

    start = time.perf_counter()
    try:
        code = ask(words)
    except MemoryError:
        code = 137
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss if resource is not None else 0
    report.write_text(json.dumps({"seconds": time.perf_counter() - start, "megabytes": peak // 1024}))
    return code


if __name__ == "__main__":
    sys.exit(main())
