"""What a subject hands back: how much was tried, and everything that broke."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType


@dataclass(frozen=True, slots=True)
class Failure:
    """One law that did not hold."""

    case: str
    """What to give to see it again."""
    told: str
    """The law, and what happened instead."""


@dataclass
class Outcome:
    """What one subject found."""

    subject: str
    cases: int = 0
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Figures worth a line."""

    def fail(self, case: str, told: str) -> None:
        """Note that a law does not hold."""
        self.failures.append(Failure(case, told))

    def told(self, most: int = 20) -> str:
        """Return the first failures as text, one a line."""
        lines = [
            f"{failure.case}: {failure.told}".encode("ascii", "backslashreplace").decode()
            for failure in self.failures[:most]
        ]
        more = len(self.failures) - most
        return "\n".join([*lines, f"and {more} more"] if more > 0 else lines)


class Hang(BaseException):
    """Raised inside a case that takes too long; no `except Exception` of the code under test can swallow it."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise Hang in the block when it takes longer; without effect where the system or the thread cannot do that."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise Hang(f"no answer within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
