"""Plans of one large ledger: their time, their memory, and how both grow."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from statistics import median

from tests.bench.data import ledger_of
from tests.bench.targets import Bench, Family, Samples, Target
from tests.bench.timing import bare_loop, by_turns, in_child, plan_of

_LOOP = "orjson.loads over its lines"
MIXED = Target("plan-mixed", "plan of the large ledger", 1.6, 1.35, _LOOP)
RESULTS = Target("plan-results", "plan of a ledger with results of 50 KB", 0.9, 0.75, _LOOP)
MEMORY = Target("plan-memory", "peak memory above base, large ledger", 0.3, 0.15, "size of the file")
DOUBLED_TIME = Target("doubled-time", "events doubled, twice: processor time", 2.1, 2.0, "half the events")
DOUBLED_MEMORY = Target("doubled-memory", "events doubled, twice: memory", 2.1, 2.0, "half the events")


def measure(bench: Bench, keys: frozenset[str]) -> Mapping[str, Samples]:
    """Measure some of the plans."""
    found: dict[str, Samples] = {}
    for target, make in ((MIXED, bench.data.mixed), (RESULTS, bench.data.results)):
        if target.key in keys:
            folder = make()
            found[target.key] = by_turns(bench.rounds, partial(plan_of, folder), partial(bare_loop, ledger_of(folder)))
    if MEMORY.key in keys:
        found[MEMORY.key] = _memory(bench)
    if keys & {DOUBLED_TIME.key, DOUBLED_MEMORY.key}:
        found |= _doubled(bench)
    return found


def _memory(bench: Bench) -> Samples:
    folder, samples = bench.data.mixed(), Samples(unit="bytes")
    size = ledger_of(folder).stat().st_size
    for _ in range(bench.rounds):
        took = in_child("planner", str(folder), str(bench.data.mixed(0.01)))
        if took["bytes"] is not None:
            samples.add(took["bytes"], size)
    return samples


def _doubled(bench: Bench) -> dict[str, Samples]:
    """Plan half, all and twice the events by turns; of the two doublings the worse one counts, by medians."""
    folders = [bench.data.mixed(share) for share in (0.5, 1, 2)]
    took: dict[str, list[list[float]]] = {"seconds": [[], [], []], "bytes": [[], [], []]}
    for _ in range(bench.rounds):
        for size, folder in enumerate(folders):
            one = in_child("planner", str(folder), str(bench.data.mixed(0.01)))
            for key, sizes in took.items():
                if one[key]:
                    sizes[size].append(one[key])
    time, memory = _worse_doubling(took["seconds"]), _worse_doubling(took["bytes"])
    memory.unit = "bytes"
    return {DOUBLED_TIME.key: time, DOUBLED_MEMORY.key: memory}


def _worse_doubling(sizes: list[list[float]]) -> Samples:
    if not all(sizes):
        return Samples()
    half, whole, twice = sizes
    subject, floor = max((whole, half), (twice, whole), key=lambda pair: median(pair[0]) / median(pair[1]))
    return Samples(subject, floor)


FAMILY = Family("plans", (MIXED, RESULTS, MEMORY, DOUBLED_TIME, DOUBLED_MEMORY), measure)
