"""Recorded databases, damaged in every way that a disk, a copy or a memory damages them."""

from __future__ import annotations

from tests.torture import databases


def test_no_damage_makes_a_run_look_replayable_that_cannot_be_read() -> None:
    """Nothing but our own errors, nothing that hangs, nothing changed or left behind, and no row missing in silence."""
    outcome = databases.run(150, seed=1)
    assert outcome.cases == 150
    assert not outcome.failures, outcome.told()
