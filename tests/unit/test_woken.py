"""A signal is heard at once, whichever thread the system gives it to."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from contextlib import closing

import pytest

from viewer.leaving import woken_by_signals

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

_PATIENCE = 15.0
"""Seconds. A loop that is not woken sleeps until the clock wakes it, and hears of the signal then."""


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="a signal cannot be sent to a thread")
def test_a_signal_that_another_thread_gets_wakes_the_loop() -> None:
    """The main thread alone acts on it: it must not sleep on. Afterwards all is as it was."""
    woken_by_clock: list[bool] = []

    def strike() -> None:
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)

    async def body() -> None:
        loop, heard = asyncio.get_running_loop(), asyncio.Event()
        signal.signal(signal.SIGUSR1, lambda number, frame: loop.call_soon_threadsafe(heard.set))
        with woken_by_signals(loop):
            for _ in range(3):
                heard.clear()
                await asyncio.sleep(0.05)
                thread = threading.Timer(0.2, strike)
                thread.start()
                clock = loop.call_later(_PATIENCE, woken_by_clock.append, True)
                await heard.wait()
                clock.cancel()
                thread.join()

    before = signal.getsignal(signal.SIGUSR1)
    try:
        with closing(asyncio.new_event_loop()) as loop:
            loop.run_until_complete(body())
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert woken_by_clock == []
    assert signal.set_wakeup_fd(-1) == -1


def test_any_other_thread_is_let_go_by() -> None:
    """Only the main thread may be told of signals."""
    done = []

    def body() -> None:
        with closing(asyncio.new_event_loop()) as loop, woken_by_signals(loop):
            done.append(True)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert done == [True]
