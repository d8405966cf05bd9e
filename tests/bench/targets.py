"""What is promised about speed, in rows of one table, and how a measured row is judged."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.bench.data import Data

RATIO: Final = "x"
"""Unit of a target that is held against a floor: the subject's figure over the floor's of the same round."""


@dataclass(frozen=True, slots=True)
class Target:
    """One row of the table."""

    key: str
    what: str
    """What is measured."""
    at_most: float
    aim: float
    floor: str = ""
    """What it is held against; empty where the bound is absolute."""
    unit: str = RATIO
    """`x`, or `ms` or `MB` where there is no floor."""


@dataclass(slots=True)
class Samples:
    """What the rounds gave: one figure a round, and the floor's of the same round where there is a floor."""

    subject: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)
    unit: str = "s"
    """Unit of both."""

    def add(self, subject: float, floor: float | None = None) -> None:
        """Note one round."""
        self.subject.append(subject)
        if floor is not None:
            self.floor.append(floor)

    @property
    def values(self) -> list[float]:
        """One figure a round, in the target's unit."""
        if not self.floor:
            return list(self.subject)
        return [mine / least for mine, least in zip(self.subject, self.floor, strict=True)]


@dataclass(frozen=True, slots=True)
class Bench:
    """What a family measures with."""

    data: Data
    rounds: int
    scratch: Path
    """An empty folder that is removed afterwards."""


Measure = Callable[[Bench, frozenset[str]], Mapping[str, Samples]]
"""Measures some targets of a family, named by their keys. A key that is missing from the answer could not be measured
here, on a system that does not tell."""


@dataclass(frozen=True, slots=True)
class Family:
    """Targets that are measured together. One module of this package holds one, as `FAMILY`; `families` lists them."""

    name: str
    targets: tuple[Target, ...]
    measure: Measure


@dataclass(frozen=True, slots=True)
class Result:
    """A target and what was measured."""

    target: Target
    samples: Samples

    @property
    def value(self) -> float | None:
        """The median of the rounds; None where nothing was measured."""
        return statistics.median(self.samples.values) if self.samples.subject else None

    @property
    def met(self) -> bool | None:
        """Whether the median is within the target; None where nothing was measured."""
        return None if self.value is None else self.value <= self.target.at_most

    def as_document(self) -> dict[str, Any]:
        """Return plain JSON types."""
        values = self.samples.values
        return {
            "key": self.target.key,
            "what": self.target.what,
            "floor": self.target.floor or None,
            "unit": self.target.unit,
            "target": self.target.at_most,
            "aim": self.target.aim,
            "value": self.value,
            "least": min(values, default=None),
            "most": max(values, default=None),
            "pass": self.met,
            "sampleUnit": self.samples.unit,
            "subject": self.samples.subject,
            "floorSamples": self.samples.floor,
        }


def table(results: Sequence[Result]) -> str:
    """Write results for a person: target, floor, ratio, spread, pass."""
    rows = [("what", "floor", "target", "aim", "median", "spread", "rounds", "pass"), *map(_cells, results)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def _cells(result: Result) -> tuple[str, ...]:
    target, values = result.target, result.samples.values
    suffix = "" if target.unit == RATIO else f" {target.unit}"
    bounds = (f"<= {target.at_most:g}{suffix}", f"{target.aim:g}{suffix}")
    said = {True: "yes", False: "NO", None: "-"}[result.met]
    if result.value is None:
        return (target.what, target.floor, *bounds, "-", "not measured here", "0", said)
    spread = f"{min(values):.2f} to {max(values):.2f}"
    return (target.what, target.floor, *bounds, f"{result.value:.2f}{suffix}", spread, str(len(values)), said)
