"""The start of the process that reads for another one. It is run by its path and loads the package that it lies in.

So no other package of that name can come between, whatever the current folder, PYTHONPATH or site-packages hold.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import signal
import sys
from pathlib import Path


def main() -> None:
    """Read the search path, then serve. Keys that interrupt are for the process that draws."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    sys.path[:] = json.loads(tasks.readline())
    folder = Path(__file__).parent.parent
    spec = importlib.util.spec_from_file_location(
        folder.name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no package in {folder}")
    package = importlib.util.module_from_spec(spec)
    sys.modules[folder.name] = package
    spec.loader.exec_module(package)
    importlib.import_module(f"{folder.name}.apart.serving").serve(tasks, answers)


if __name__ == "__main__":
    main()
