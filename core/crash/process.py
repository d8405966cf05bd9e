"""A child process under our hand: it runs our own code, is heard step by step, killed, and never left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final

from msgspec import Struct

from ..errors import CoreError
from .writer import READY, Step

_STDERR_LIMIT: Final = 8000
"""Characters of a child's complaint that are kept."""

_SLICE_S: Final = 0.2
"""Where a wait for a lock cannot be interrupted from the keyboard, it may not last longer."""


class ChildFailed(CoreError):
    """A child did not do what it was started for; `stderr` is what it complained of."""

    code = "child_failed"

    def __init__(self, message: str, stderr: str) -> None:
        last = stderr.rsplit("\n", 1)[-1]
        super().__init__(message, hint=f"it said: {last}" if last else None)
        self.stderr = stderr


class Task(Struct, frozen=True):
    """What a child is to do."""

    root: Path
    """State root."""
    steps: tuple[Step, ...]


class ChildProcess:
    """One child; a context manager that kills it, whatever happens.

    The child holds the other end of our pipe as its standard input, so it ends by itself if we are killed.
    """

    def __init__(self, task: Task, folder: Path, command: Sequence[str] | None = None) -> None:
        """Start a child.

        Args:
            task: what it is to do.
            folder: an empty folder, outside of the state root, for the task, the marker and standard error.
            command: what to start instead of our own child; the path of the task is added.

        Raises:
            ChildFailed: the system starts no such process.

        """
        self.marker = folder / "marker"
        self._stderr = folder / "stderr"
        self._changed = threading.Condition()
        self._acknowledged = 0
        self._ready = self._closed = False
        task_path = folder / "task.json"
        search = [str(Path(entry).absolute()) for entry in sys.path if entry]
        # The child lives in another folder.
        root = str(task.root.absolute())
        document = {"searchPath": search, "root": root, "marker": str(self.marker), "steps": task.steps}
        task_path.write_text(json.dumps(document))
        try:
            with self._stderr.open("wb") as complaints:
                self._process = subprocess.Popen(
                    [*(child_command() if command is None else command), str(task_path)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=complaints,
                    cwd=folder,
                )
        except OSError as error:
            raise ChildFailed(f"no child can be started: {error.strerror or type(error).__name__}", "") from error
        self._listener = threading.Thread(target=self._listen, name="crash-child-listener", daemon=True)
        self._listener.start()

    def __enter__(self) -> ChildProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def acknowledged(self) -> int:
        """How many steps the child said to be done; final once it was killed."""
        return self._acknowledged

    @property
    def alive(self) -> bool:
        """Whether the process is still there."""
        return self._process.poll() is None

    @property
    def speaking(self) -> bool:
        """Whether there may be more to hear; cheaper to ask than `alive`."""
        return not self._closed

    @property
    def complaint(self) -> str:
        """The end of what the child wrote to standard error."""
        return self._stderr.read_text("utf-8", "replace")[-_STDERR_LIMIT:].strip()

    def wait_ready(self, timeout_s: float) -> None:
        """Wait until every step has returned. Raises ChildFailed if the child ends first or takes too long."""
        self._wait(lambda: self._ready, timeout_s, "every step was done")

    def wait_acknowledged(self, steps: int, timeout_s: float) -> None:
        """Wait until so many steps have returned; raises as `wait_ready` does."""
        self._wait(lambda: self._acknowledged >= steps, timeout_s, f"step {steps} was done")

    def go_on(self) -> None:
        """Let a child go on that waits in a step. Raises ChildFailed if it cannot hear us."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise ChildFailed(
                f"the child ended with exit code {self.kill()} while it waited", self.complaint
            ) from error

    def kill(self) -> int:
        """Kill the child if it is alive, hear all that it had said, and return its exit code; twice is harmless."""
        self._process.kill()
        return self._ended()

    def end(self, timeout_s: float) -> int:
        """Let the child end by itself and return its exit code. Raises ChildFailed if it does not."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._wait(lambda: self._closed, timeout_s, "it ended")
        return self._ended()

    def _wait(self, reached: Callable[[], bool], timeout_s: float, what: str) -> None:
        end = time.monotonic() + timeout_s
        with self._changed:
            while not reached():
                if self._closed:
                    break
                left = end - time.monotonic()
                if left <= 0:
                    raise ChildFailed(f"the child hung: {timeout_s:g} s passed before {what}", self.complaint)
                self._changed.wait(min(left, _SLICE_S))
            else:
                return
        code = self.kill()
        raise ChildFailed(f"the child ended with exit code {code} before {what}", self.complaint)

    def _ended(self) -> int:
        # The end of the pipe comes when nobody holds it any more, a starter in between included.
        code = self._process.wait()
        self._listener.join()
        for pipe in (self._process.stdin, self._process.stdout):
            # What could not be written to a child that is gone would be tried once more here.
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        return code

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._changed:
                if line == READY:
                    self._ready = True
                elif line.endswith(b"\n"):
                    self._acknowledged += 1
                self._changed.notify_all()
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def was_killed(code: int) -> bool:
    """Tell whether an exit code is that of a process which was killed."""
    return code == -9 if os.name == "posix" else code == 1


def child_command() -> tuple[str, ...]:
    """Return how our own child is started: isolated from the environment and from site-packages."""
    executable = sys.executable
    if sys.platform == "win32":
        # A virtual environment's own executable only starts this one; killed, it would leave it alive for a moment.
        executable = getattr(sys, "_base_executable", executable)
    cached = ("-B",) if sys.dont_write_bytecode else ()
    child = Path(__file__).with_name("_crash_child.py")
    return (executable, "-I", "-S", *cached, f"-Xutf8={sys.flags.utf8_mode}", str(child))
