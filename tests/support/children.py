"""Children for the crash harness that do not do what they should, and ways to see that none is left."""

from __future__ import annotations

import os
from pathlib import Path

from core.crash.process import child_command

_HANGS = """
import sys, time
sys.stderr.write("I am stuck\\n")
sys.stderr.flush()
time.sleep(3600)
"""

_DIES = """
import sys
sys.exit("I give up")
"""

# Lets a real child end by itself, so that its `finally` is reached, and only then says what that one said.
_SKIPS_ITS_KILL = """
import subprocess, sys
done = subprocess.run([*{command!r}, sys.argv[1]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
sys.stdout.buffer.write(done.stdout)
sys.stdout.buffer.flush()
sys.stdin.read()
"""

_ENDS_BEFORE_ITS_KILL = """
import os, sys
sys.stdout.write("READY\\n")
sys.stdout.flush()
sys.stdout.close()
os._exit(7)
"""

_TELLS_ITS_ID = """
import os, pathlib, runpy
pathlib.Path({folder!r}, str(os.getpid())).touch()
runpy.run_path({child!r}, run_name="__main__")
"""

_LACKS_POSIX = """
import os, pathlib, runpy, signal, sys
for module, names in ((os, ("fork", "pread", "pwrite", "link", "O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC", "O_NOATIME")),
                      (signal, ("SIGKILL", "SIGTERM"))):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
sys.modules["fcntl"] = None
opened = os.open
def open_no_folder(path, flags, *rest, **keys):
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied")
    return opened(path, flags, *rest, **keys)
os.open = open_no_folder
runpy.run_path({child!r}, run_name="__main__")
"""


def child_that_hangs(folder: Path) -> tuple[str, ...]:
    """Return the command of a child that complains and does nothing more."""
    return _command(folder, _HANGS)


def child_that_dies(folder: Path) -> tuple[str, ...]:
    """Return the command of a child that ends at once."""
    return _command(folder, _DIES)


def child_that_skips_its_kill(folder: Path) -> tuple[str, ...]:
    """Return the command of a child that writes everything, and the marker too."""
    return _command(folder, _SKIPS_ITS_KILL.format(command=child_command()))


def child_that_ends_too_early(folder: Path) -> tuple[str, ...]:
    """Return the command of a child that says it is ready, writes nothing and ends."""
    return _command(folder, _ENDS_BEFORE_ITS_KILL)


def child_that_tells_its_id(folder: Path) -> tuple[str, ...]:
    """Return the command of a sound child that leaves a file named by its process id in a folder."""
    return _command(folder, _TELLS_ITS_ID.format(folder=str(folder), child=child_command()[-1]))


def child_without_posix(folder: Path) -> tuple[str, ...]:
    """Return the command of a sound child that lacks what only POSIX has."""
    return _command(folder, _LACKS_POSIX.format(child=child_command()[-1]))


def told_ids(folder: Path) -> list[int]:
    """Return the process ids that children left."""
    return [int(path.name) for path in folder.iterdir() if path.name.isdigit()]


def is_there(process_id: int) -> bool:
    """Tell whether a process is there, dead but not waited for included.

    Not on Windows, where asking would end it; there a folder cannot be removed while a process lives in it, so the
    children's folders tell.
    """
    if os.name != "posix":
        return False
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def _command(folder: Path, text: str) -> tuple[str, ...]:
    script = folder / "child.py"
    script.write_text(text)
    return (*child_command()[:-1], str(script))
