"""A large run from a SQLite database."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path

import orjson

from tests.bench.targets import Bench, Family, Samples, Target
from tests.bench.timing import by_turns, plan_of

DATABASE = Target("database", "plan of a run in a database", 1.5, 1.2, "select + orjson.loads")


def measure(bench: Bench, keys: frozenset[str]) -> Mapping[str, Samples]:
    """Measure the one target."""
    root = bench.data.database()
    return {DATABASE.key: by_turns(bench.rounds, partial(plan_of, root), partial(_bare_select, root))}


def _bare_select(root: Path) -> None:
    with closing(sqlite3.connect(root / "runtime.sqlite")) as connection:
        for (payload,) in connection.execute("SELECT payload_json FROM runtime_events ORDER BY event_seq"):
            orjson.loads(payload)


FAMILY = Family("databases", (DATABASE,), measure)
