"""Following a large ledger: what is appended costs what it costs alone, not what the ledger costs."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path

import orjson

from core import RunFollower, inspect, open_workspace
from tests.bench.data import header_of, ledger_of, rows_of
from tests.bench.events import RunIds, Script
from tests.bench.targets import Bench, Family, Samples, Target
from tests.bench.timing import plan_of, seconds

_NEW = 1_000
_NOW_MS = 1e15
"""Later than any write: no file may look as if it were written in this moment."""

FOLLOWING = Target("following", f"{_NEW:,} rows more of the large ledger", 3, 2, "plan of these rows alone")


def measure(bench: Bench, keys: frozenset[str]) -> Mapping[str, Samples]:
    """Append to a copy of the large ledger, look, and plan the same rows alone, by turns."""
    folder, samples = bench.scratch / "followed", Samples()
    shutil.copytree(bench.data.mixed(), folder)
    rows = rows_of(islice(Script(seed=99).events(_NEW * (bench.rounds + 2)), 1, None))
    with open_workspace(folder) as workspace:
        (run,) = workspace.runs()
        with closing(run.follow()) as follower:
            _look(follower)
            for number in range(bench.rounds + 1):
                new = list(islice(rows, _NEW))
                alone = _alone(bench.scratch / f"alone-{number}", new)
                with ledger_of(folder).open("ab") as file:
                    file.writelines(new)
                took = seconds(partial(_look, follower))
                if number:
                    samples.add(took, seconds(partial(plan_of, alone)))
    return {FOLLOWING.key: samples}


def _look(follower: RunFollower) -> None:
    news = follower.poll(_NOW_MS)
    assert news is not None
    assert inspect(news.ledger, now_ms=_NOW_MS).high_water == len(news.ledger.rows)


def _alone(folder: Path, rows: list[bytes]) -> Path:
    folder.mkdir()
    (folder / "run.json").write_bytes(orjson.dumps(header_of(RunIds())))
    ledger_of(folder).write_bytes(b"".join(rows))
    return folder


FAMILY = Family("following", (FOLLOWING,), measure)
