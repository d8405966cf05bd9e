"""An expected high-water beside the one that is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import expectation
from tests.support import run_samples as samples


@pytest.mark.parametrize(
    ("expected", "first", "row", "says"),
    [
        (13, None, None, "as many events are committed as expected"),
        (14, 14, 12, "the ledger ends after event 13; event 14 is not there"),
        (20, 14, 12, "the ledger ends after event 13; events 14 to 20 are not there"),
        (12, 13, 12, "event 13 is the first beyond: permission allowed by user"),
        (
            10,
            11,
            10,
            "event 11 is the first beyond: call Bash  npm run deploy -- --prod; 2 more follow",
        ),
    ],
)
def test_the_first_difference_is_named(
    tmp_path: Path, expected: int, first: int | None, row: int | None, says: str
) -> None:
    """What is missing or beyond is named by its number, and by what it is where it is there."""
    samples.may_have_run(tmp_path)

    found = expectation(samples.open_sample(tmp_path).ledger(), expected)

    assert (found.expected, found.found, found.first_difference, found.row) == (expected, 13, first, row)
    assert found.says == says
    assert found.agrees is (expected == 13)


def test_an_empty_ledger(tmp_path: Path) -> None:
    """Nothing is there, and that is said."""
    samples.empty(tmp_path)

    found = expectation(samples.open_sample(tmp_path).ledger(), 3)

    assert (found.first_difference, found.row) == (1, None)
    assert found.says == "the ledger holds no event; events 1 to 3 are not there"
