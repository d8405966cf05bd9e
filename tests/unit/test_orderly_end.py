"""A block that a signal ends: it ends by SystemExit, even where Python loses the exception."""

from __future__ import annotations

import signal
import sys
import weakref
from collections.abc import Callable

import pytest

from viewer.leaving import orderly_end

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

_SIGNALS = pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])


class Thing:
    """Something that can be referred to weakly."""


def lose(number: int) -> None:
    """Get a signal inside a callback whose exceptions Python prints and drops."""
    thing = Thing()
    reference = weakref.ref(thing, lambda _: signal.raise_signal(number))
    del thing
    assert reference() is None


@_SIGNALS
def test_a_signal_ends_the_block_where_it_is(number: int, code: int) -> None:
    """It raises the usual exit code; afterwards the signals are as they were."""
    before = signal.getsignal(number)
    passed: list[bool] = []

    def body() -> None:
        signal.raise_signal(number)
        passed.append(True)

    with pytest.raises(SystemExit) as ended, orderly_end():
        body()

    assert (ended.value.code, passed, signal.getsignal(number)) == (code, [], before)


@_SIGNALS
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_lost_exception_is_raised_again(number: int, code: int) -> None:
    """What a callback lost is raised by the next call of what the block is given, and at its end at the latest."""
    steps: list[str] = []

    def body(heed: Callable[[], None]) -> None:
        lose(number)
        steps.append("went on")
        heed()
        steps.append("never here")

    with pytest.raises(SystemExit) as heeded, orderly_end() as heed:
        body(heed)
    with pytest.raises(SystemExit) as at_the_end, orderly_end():
        lose(number)

    assert (heeded.value.code, at_the_end.value.code, steps) == (code, code, ["went on"])


@_SIGNALS
def test_a_block_that_leaves_by_itself_is_not_disturbed(number: int, code: int) -> None:
    """Who says that it leaves is told the exit code and gets no exception, then or at the end."""
    told: list[int] = []

    with orderly_end(lambda given: told.append(given) is None) as heed:
        signal.raise_signal(number)
        heed()

    assert told == [code]
