"""A process that reads for us: started ahead, asked for one run after the other, and never left behind.

What talks to it is loaded when there is something to ask: so it is started before all else, and loads beside us.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import CoreError

if TYPE_CHECKING:
    from ..inspection.event_links import EventLinks
    from ..inspection.triage import RunSummary
    from ..storage.ledger import Ledger
    from ..storage.run import Run
    from ..storage.so_far import RowsSoFar
    from .decoding import SomeRows
    from .fork import Fork
    from .handover import Taking
    from .recipe import Recipe
    from .share import SomeRuns

Progress = Callable[[int, int], None]
SoFar: TypeAlias = "Callable[[RowsSoFar | None], None]"
"""Hears of the rows that are there while a run is read, some times a second; of None where they are none after all."""


class HelperLost(CoreError):
    """The process did not do what it was asked for; who asked can do it alone."""

    code = "helper_lost"


class Helper:
    """One process. It holds the other end of our pipe, so it ends by itself whatever ends us. For one thread at a time.

    `close` may be called from any thread; it kills the process, whatever that is about.
    """

    def __init__(self) -> None:
        """Start it; that takes a few milliseconds, and it comes up while we go on. Raises HelperLost."""
        search = [str(Path(entry).absolute()) for entry in sys.path if entry]
        self._closing = threading.Lock()
        try:
            self._process: subprocess.Popen[bytes] | Fork = subprocess.Popen(
                _command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            self._write(json.dumps(search).encode() + b"\n")
        except (OSError, ValueError) as error:
            raise HelperLost(f"no process can be started: {error}") from error

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def read(self, run: Run, progress: Progress, so_far: SoFar = lambda rows: None) -> tuple[Ledger, EventLinks]:
        """Let it read the ledger of a run, and return that with the links of its events, which are complete.

        `so_far` hears of the rows that are there meanwhile, while they can be read. What `progress` raises comes
        through; the process must then be closed, for it is still at work. Raises HelperLost where it cannot, or the
        file is another one by now: then those rows are none.
        """
        from ..storage.files import ReadFailed, ReadOnlyFile, file_state
        from ..storage.jsonl import JsonlRows
        from .handover import Taking
        from .recipe import InFiles, recipe_of

        recipe = recipe_of(run)
        if recipe is None:
            raise HelperLost("this run cannot be read in another process")
        if not isinstance(recipe, InFiles):
            from .copied import rows_of

            return self._read(run, recipe, Taking(rows_of(run), str(recipe.files.main)), progress, so_far)
        try:
            file = ReadOnlyFile(recipe.folder.ledger, follow=False)
        except ReadFailed as error:
            raise HelperLost("there is no ledger file to share") from error
        try:
            read = self._read(run, recipe, Taking(JsonlRows(file), str(file.path)), progress, so_far)
            # Opened before that and there after it: so it was this file that the process read.
            state = file_state(file.path, follow=False)
            if state is None or state.identity != file.state().identity:
                raise HelperLost("another file stands in the place of the ledger")
        except BaseException:
            file.close()
            raise
        return read

    def summaries(self, wanted: SomeRuns) -> tuple[RunSummary | None, ...]:
        """Let it summarize runs; None stands for one that it could not. Raises HelperLost."""
        self.ask(wanted)
        return self.summarized()

    def ask(self, task: SomeRuns | SomeRows) -> None:
        """Ask for runs or rows; what was asked for is answered in that order. Raises HelperLost."""
        from .serving import PROTOCOL

        try:
            self._write(pickle.dumps(task, PROTOCOL))
        except (OSError, ValueError) as error:
            raise HelperLost("the process has ended") from error

    def summarized(self) -> tuple[RunSummary | None, ...]:
        """Wait for the next answer, to `SomeRuns`; None stands for a run that it could not. Raises HelperLost."""
        found: tuple[RunSummary | None, ...] = self._answer()
        return found

    def decoded(self) -> bytes | None:
        """Wait for the next answer, to `SomeRows`, as `Decoding` gives it. Raises HelperLost.

        Another thread may ask meanwhile.
        """
        found: bytes | None = self._answer()
        return found

    def _answer(self) -> Any:
        answers = self._process.stdout
        assert answers is not None
        try:
            return pickle.load(answers)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError) as error:
            raise HelperLost("the process ended before it had answered") from error

    def _read(
        self, run: Run, recipe: Recipe, taking: Taking, progress: Progress, so_far: SoFar
    ) -> tuple[Ledger, EventLinks]:
        from .handover import Afresh, Grown, Piece, Rest
        from .serving import PROTOCOL

        answers = self._process.stdout
        assert answers is not None
        try:
            self._write(pickle.dumps(recipe, PROTOCOL))
            while not isinstance(answer := pickle.load(answers), Rest):
                if isinstance(answer, Piece):
                    taking.add(answer)
                elif isinstance(answer, Grown):
                    so_far(taking.grown(answer))
                elif isinstance(answer, Afresh):
                    taking.afresh()
                    so_far(None)
                elif answer is None:
                    raise HelperLost("the process could not read the run")
                else:
                    progress(*answer)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError) as error:
            raise HelperLost("the process ended before it had read the run") from error
        return taking.finish(run, answer)

    def _write(self, payload: bytes) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        pipe.write(payload)
        pipe.flush()

    def close(self) -> None:
        """End the process; closing twice is harmless."""
        with self._closing:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                # What could not be written to a process that is gone would be tried once more here.
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()


def _command() -> tuple[str, ...]:
    """Return how it is started: isolated from the environment and from site-packages."""
    executable = sys.executable
    if sys.platform == "win32":
        # A virtual environment's own executable only starts this one; killed, it would leave it alive for a moment.
        executable = getattr(sys, "_base_executable", executable)
    cached = ("-B",) if sys.dont_write_bytecode else ()
    child = Path(__file__).with_name("_child.py")
    return (executable, "-I", "-S", *cached, f"-Xutf8={sys.flags.utf8_mode}", str(child))
