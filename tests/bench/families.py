"""Every family of targets, in the order of the table."""

from __future__ import annotations

from typing import Final

from tests.bench import databases, following, plans, screens, starting, triages
from tests.bench.targets import Family

FAMILIES: Final[tuple[Family, ...]] = (
    plans.FAMILY,
    triages.FAMILY,
    databases.FAMILY,
    starting.FAMILY,
    following.FAMILY,
    screens.FAMILY,
)
