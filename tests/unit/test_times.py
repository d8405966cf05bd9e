"""The ways to write a time."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from core import TimeMode, TimeScale, zone_name

NOON = 1_795_953_600_000.0
"""2026-11-29 12:00 UTC, milliseconds since 1970."""


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this machine stand in Berlin."""
    if not hasattr(time, "tzset"):
        pytest.skip("this system takes no zone from the environment")
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def scale(mode: TimeMode) -> TimeScale:
    """Make a scale of a run that began at noon, looked at two hours later."""
    return TimeScale(mode, NOON, NOON + 7_200_000)


def test_utc() -> None:
    """By itself a time is in UTC, and the heading says so."""
    utc = scale(TimeMode.UTC)

    assert utc.clock(NOON + 21_704) == "12:00:21.7"
    assert utc.short(NOON) == "29 Nov 12:00"
    assert utc.heading(NOON) == "29 Nov 2026 UTC"


def test_local(berlin: None) -> None:
    """In the zone of the machine a time has that zone's offset on its own day, and its name."""
    local = scale(TimeMode.LOCAL)

    assert local.clock(NOON) == "13:00:00.0"
    assert local.heading(NOON) == "29 Nov 2026 CET"
    assert local.clock(NOON - 150 * 86_400_000) == "14:00:00.0"
    assert zone_name(NOON - 150 * 86_400_000, None) == "CEST"


def test_since_the_start() -> None:
    """Relative to the start of the run; a time before it has a minus."""
    start = scale(TimeMode.START)

    assert start.clock(NOON + 21_704) == "+21.7s"
    assert start.clock(NOON - 60_000) == "-60.0s"
    assert start.heading(NOON) == "since 29 Nov 12:00:00 UTC"


def test_how_long_ago() -> None:
    """By the clock, also for what is said to be in the future."""
    past = scale(TimeMode.AGO)

    assert past.clock(NOON) == "2 h ago"
    assert past.short(NOON + 7_260_000) == "in 60.0s"
    assert past.heading(NOON) == "how long ago"


@pytest.mark.parametrize("mode", [TimeMode.START, TimeMode.AGO])
def test_what_is_not_known_falls_back(mode: TimeMode) -> None:
    """Without a start or a clock the time is in UTC, as the heading says."""
    bare = TimeScale(mode)

    assert bare.clock(NOON) == "12:00:00.0"
    assert bare.heading(NOON) == "29 Nov 2026 UTC"


@pytest.mark.parametrize("mode", TimeMode)
@pytest.mark.parametrize("ts", [1e300, -1e300, 8.64e15])
def test_no_time_is_refused(mode: TimeMode, ts: float) -> None:
    """A time that no calendar has is written all the same."""
    assert scale(mode).clock(ts)
    assert scale(mode).short(ts)
    scale(mode).heading(ts)


@pytest.mark.parametrize("mode", TimeMode)
def test_the_column_is_wide_enough(mode: TimeMode) -> None:
    """A clock time has ten cells at most, whatever the time."""
    for passed in (0, 59_999, 3_599_000, 86_399_000, 9e9, 1e12):
        assert len(scale(mode).clock(NOON + passed)) <= 10
        assert len(scale(mode).clock(NOON - passed)) <= 10
