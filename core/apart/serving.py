"""What the reading process does: it reads the run that it is told of, hands it over, and ends when nobody listens."""

from __future__ import annotations

import os
import pickle
import threading
import time
from queue import SimpleQueue
from typing import TYPE_CHECKING, BinaryIO, Final

from .decoding import Decoding, SomeRows
from .share import SomeRuns, Summarizing

if TYPE_CHECKING:
    from .recipe import Recipe

BEAT_SECONDS: Final = 0.05
"""Between two reports of how far the reading is."""
ROWS_SECONDS: Final = 0.25
"""Between two handovers of the rows that came meanwhile: what is read sooner is handed over as a whole."""

PROTOCOL: Final = 5


def serve(tasks: BinaryIO, answers: BinaryIO) -> None:
    """Read one run, summarize a handful, or decode some rows, one after the other until nobody asks any longer.

    The other end of `tasks` is closed when the process that asks goes, in whatever way: then this one ends at once.
    """
    waiting: SimpleQueue[Recipe | SomeRuns | SomeRows] = SimpleQueue()
    threading.Thread(target=_listen, args=(tasks, waiting), name="tasks", daemon=True).start()
    summarizing, decoding = Summarizing(), Decoding()
    while True:
        task = waiting.get()
        if isinstance(task, SomeRuns):
            pickle.dump(summarizing.answer(task), answers, PROTOCOL)
            answers.flush()
        elif isinstance(task, SomeRows):
            pickle.dump(decoding.answer(task), answers, PROTOCOL)
            answers.flush()
        else:
            _answer(task, answers)


def _listen(tasks: BinaryIO, waiting: SimpleQueue[Recipe | SomeRuns | SomeRows]) -> None:
    try:
        while True:
            waiting.put(pickle.load(tasks))
    except Exception:  # whatever is wrong with the tasks, there will be no other
        os._exit(0)


def _answer(recipe: Recipe, answers: BinaryIO) -> None:
    """Answer with pieces and their rest; with None where reading failed: who asked reads then, and sees why.

    The rows that are there are handed over while it goes on.
    """
    from .handover import Growing  # loads what only readings need

    def say(answer: object) -> None:
        pickle.dump(answer, answers, PROTOCOL)
        answers.flush()

    growing = Growing()
    due, rows_due = 0.0, time.monotonic() + ROWS_SECONDS

    def progress(done: int, total: int) -> None:
        nonlocal due, rows_due
        now = time.monotonic()
        if now >= due:
            due = now + BEAT_SECONDS
            say((done, total))
        if now >= rows_due:
            rows_due = now + ROWS_SECONDS
            for part in growing.parts(done, total):
                say(part)

    try:
        for part in recipe.parts(progress, growing):
            say(part)
    except OSError:
        os._exit(0)
    except Exception:
        say(None)
