"""The start of the process that is killed. It is run by its path and loads the very package that it lies in.

So no other package of that name can come between, whatever the current folder, PYTHONPATH or site-packages hold.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from pathlib import Path


def main(task_path: str) -> None:
    """Do what the task says: a JSON file, see `crash.writer`; it brings the search path of who wrote it."""
    task = json.loads(Path(task_path).read_bytes())
    sys.path[:] = task["searchPath"]
    folder = Path(__file__).parent.parent
    spec = importlib.util.spec_from_file_location(
        folder.name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no package in {folder}")
    package = importlib.util.module_from_spec(spec)
    sys.modules[folder.name] = package
    spec.loader.exec_module(package)
    importlib.import_module(f"{folder.name}.crash.writer").write_until_killed(task)


if __name__ == "__main__":
    main(sys.argv[1])
