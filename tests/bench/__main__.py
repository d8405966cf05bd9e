"""Measures every promise about speed against its floor: `python -m tests.bench --help`."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import orjson

from tests.bench.data import FULL, SMALL, Data
from tests.bench.families import FAMILIES
from tests.bench.targets import Bench, Family, Result, Samples, table

_ROUNDS: Final = 5


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print a table, and return 0: a target that is not met is told, not failed."""
    options = _parser().parse_args(argv)
    sizes = SMALL if options.small else FULL
    results: list[Result] = []
    load = _load()
    with tempfile.TemporaryDirectory(prefix="maka-ledger-bench-") as temporary:
        data = Data(options.data or Path(temporary, "data"), sizes)
        for family in FAMILIES:
            keys = frozenset(
                target.key
                for target in family.targets
                if not options.only or target.key in options.only or family.name in options.only
            )
            if keys:
                said = f"measuring {', '.join(sorted(keys))} ..."
                print(said, file=sys.stderr, flush=True)  # noqa: T201  who waits is told for what
                with tempfile.TemporaryDirectory(dir=temporary) as scratch:
                    results += _measured(family, Bench(data, options.rounds, Path(scratch)), keys)
    machine = {
        "python": platform.python_version(),
        "system": platform.platform(),
        "processors": os.cpu_count(),
        "loadBefore": load,
        "loadAfter": _load(),
    }
    print(_told(sizes.name, machine))  # noqa: T201  a command prints
    print(table(results))  # noqa: T201  as above
    if options.json:
        document: dict[str, Any] = {
            "schema": "maka-ledger.bench.v1",
            "sizes": sizes.as_document(),
            "machine": machine,
            "results": [result.as_document() for result in results],
        }
        options.json.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return 0


def _measured(family: Family, bench: Bench, keys: frozenset[str]) -> Iterator[Result]:
    found = family.measure(bench, keys)
    for target in family.targets:
        if target.key in keys:
            yield Result(target, found.get(target.key, Samples()))


def _told(size: str, machine: dict[str, Any]) -> str:
    loads = " and ".join(f"{load:.1f}" for load in (machine["loadBefore"], machine["loadAfter"]) if load is not None)
    said = f"{size} size, CPython {machine['python']}, {machine['processors']} processors"
    return f"{said}, load before and after: {loads}" if loads else said


def _load() -> float | None:
    """Return how busy the machine is; None where the system does not tell."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    keys = ", ".join(f"{family.name} ({', '.join(t.key for t in family.targets)})" for family in FAMILIES)
    parser.add_argument("--small", action="store_true", help="sizes that take seconds: do they work at all")
    parser.add_argument("--only", nargs="+", metavar="NAME", help=f"some families or targets: {keys}")
    parser.add_argument("--rounds", type=int, default=_ROUNDS, metavar="N", help=f"turns of each (default {_ROUNDS})")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there")
    parser.add_argument("--data", type=Path, metavar="DIR", help="keep the data there: 4 GB, minutes to write")
    return parser


if __name__ == "__main__":
    sys.exit(main())
