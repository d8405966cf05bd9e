"""How the cost of an append grows with the ledger: `python -m tests.bench.store_appends [COUNT]`."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from core.records.codec import decode_event
from core.store.store import RuntimeEventStore
from tests.support.runs import RUN, SESSION, call, delta, new_run, response, text


class AppendCost(NamedTuple):
    """Seconds for each half of the appends to one ledger."""

    first: float
    second: float

    @property
    def ratio(self) -> float:
        """Second half over first half: 1 is linear."""
        return self.second / self.first


def measure_appends(count: int = 100_000) -> AppendCost:
    """Append `count` texts, calls and responses to one run and time both halves; events are decoded beforehand."""
    events = []
    for number in range(0, count, 4):
        name = f"e{number}"
        events += [text(name, "x" * 200), call(f"{name}c", name, {"command": "ls " * 20})]
        events += [response(f"{name}r", name, "y" * 400), text(f"{name}t", "z" * 100)]
    decoded = [decode_event(event) for event in events[:count]]
    with tempfile.TemporaryDirectory() as folder:
        new_run(Path(folder))
        store = RuntimeEventStore(folder)
        halves = []
        for half in (decoded[: count // 2], decoded[count // 2 :]):
            start = time.perf_counter()
            for event in half:
                store.append(SESSION, RUN, event)
            halves.append(time.perf_counter() - start)
    return AppendCost(*halves)


def measure_deltas(rows: int, deltas: int = 2_000) -> float:
    """Return seconds for `deltas` streaming deltas beside a ledger of `rows` rows, written by an earlier store."""
    with tempfile.TemporaryDirectory() as folder:
        new_run(Path(folder))
        earlier = RuntimeEventStore(folder)
        for number in range(rows):
            earlier.append(SESSION, RUN, text(f"e{number}"))
        store = RuntimeEventStore(folder)
        store.append(SESSION, RUN, delta("first", "x"))
        start = time.perf_counter()
        for number in range(deltas):
            store.append(SESSION, RUN, delta(f"d{number}", "x" * 20))
        return time.perf_counter() - start


if __name__ == "__main__":
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    cost = measure_appends(total)
    few, many = measure_deltas(100), measure_deltas(10_000)
    sys.stdout.write(
        f"{total} appends: {cost.first:.2f} s + {cost.second:.2f} s, second half {cost.ratio:.2f} x the first\n"
        f"2000 deltas beside 100 rows: {few:.2f} s; beside 10000 rows: {many:.2f} s\n"
    )
