"""Ways to write when something happened: in UTC, in the zone of this machine, since the run began, or how long ago."""

from __future__ import annotations

from datetime import UTC, tzinfo

from msgspec import Struct

from .explain import ago, clock_time, day, duration_text, moment, short_time
from .modes import TimeMode


class TimeScale(Struct, frozen=True):
    """Writes times in one way. A time that no calendar has is written as a number or as dashes, never refused."""

    mode: TimeMode = TimeMode.UTC
    start_ms: float | None = None
    """When the run began, milliseconds since 1970; without it `START` falls back to UTC."""
    now_ms: float | None = None
    """The clock; without it `AGO` falls back to UTC."""

    @property
    def zone(self) -> tzinfo | None:
        """The zone of absolute times; None is that of this machine."""
        return None if self.mode is TimeMode.LOCAL else UTC

    def clock(self, ts_ms: float) -> str:
        """Write a time in ten cells at most: `12:00:21.7`, `+14.2s`, `14 min ago`."""
        relative = self._relative(ts_ms)
        return clock_time(ts_ms, self.zone) if relative is None else relative

    def short(self, ts_ms: float, *, seconds: bool = False) -> str:
        """Write a time for a list: `29 Nov 12:00`, `+14.2s`, `2 h ago`."""
        relative = self._relative(ts_ms)
        return short_time(ts_ms, self.zone, seconds=seconds) if relative is None else relative

    def heading(self, ts_ms: float | None) -> str:
        """Say what the times of a list are, given one of them: `29 Nov 2026 UTC`, `since 29 Nov 12:00:01 UTC`."""
        if self.mode is TimeMode.AGO and self.now_ms is not None:
            return "how long ago"
        if self.mode is TimeMode.START and self.start_ms is not None:
            return f"since {short_time(self.start_ms, seconds=True)} UTC"
        return "" if ts_ms is None else f"{day(ts_ms, self.zone)} {zone_name(ts_ms, self.zone)}".strip()

    def _relative(self, ts_ms: float) -> str | None:
        if self.mode is TimeMode.AGO and self.now_ms is not None:
            return ago(self.now_ms - ts_ms) if ts_ms <= self.now_ms else f"in {duration_text(ts_ms - self.now_ms)}"
        if self.mode is TimeMode.START and self.start_ms is not None:
            passed = ts_ms - self.start_ms
            return f"{'-' if passed < 0 else '+'}{duration_text(abs(passed))}"
        return None


def zone_name(ts_ms: float, zone: tzinfo | None = UTC) -> str:
    """Write the zone of a time as people do: `UTC`, `CET`; empty where no calendar has the time."""
    at = moment(ts_ms, zone)
    return "" if at is None else at.tzname() or f"{at:%z}"
