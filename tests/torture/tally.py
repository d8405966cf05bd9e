"""What is counted of damaged and busy databases, and the limit of time that every case has."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType


@dataclass
class Tally:
    """How many cases were tried, and every law that did not hold."""

    cases: int = 0
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Figures worth a line."""

    def fail(self, case: str, told: str) -> None:
        """Note a case, and what happened in it that may not."""
        self.failures.append(f"{case}: {told}")

    def told(self, most: int = 20) -> str:
        """Return the first failures, one a line."""
        more = len(self.failures) - most
        return "\n".join([*self.failures[:most], *([f"and {more} more"] if more > 0 else [])])


class OutOfTime(BaseException):
    """Raised inside a case that takes too long; no `except Exception` can swallow it."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the block when it takes longer; without effect where the system or thread cannot do that."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise OutOfTime(f"no answer within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
