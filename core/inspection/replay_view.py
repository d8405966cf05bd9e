"""What the provider would be sent, in words and by event: kept or left out, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ..decision.replay import LeftOut, ProviderReplay
from .inspect import Inspection

LEFT_OUT: Final = {
    "partial": "a partial row",
    "hidden": "hidden from the model",
    "half_hidden": "its other half is hidden",
    "no_response": "no response",
    "not_dispatched": "never dispatched",
    "parked": "parked",
    "contradictory": "rows about it disagree",
    "no_call": "its call is not recorded",
}
"""Why an event is left out -> in words."""

_NAMED: Final = 3
"""Events that the sentence names."""


@dataclass(frozen=True)
class ReplayView:
    """The replay of one prefix."""

    said: str
    """Whether it is sent, and what the filter keeps, in one sentence or two."""
    sent: bool
    """Whether it may be sent at all."""
    left_out: tuple[LeftOut, ...]
    """The events that are left out, in order."""
    replay: ProviderReplay = field(repr=False)

    def __len__(self) -> int:
        """Give the number of events of the prefix, kept or not."""
        return self.replay.high_water

    def why_left_out(self, index: int) -> str | None:
        """Say in words why the event at `index` is left out; None where it is kept."""
        reason = self.replay.reason(index)
        return None if reason is None else LEFT_OUT[reason]


def replay_view(inspection: Inspection) -> ReplayView:
    """Put the provider replay of a prefix into words. Reads no row."""
    replay, blocked = inspection.plan.replay, inspection.plan.blocked
    if inspection.live and not inspection.what_if:
        sent = "Not sent: a writer may be alive."
    else:
        sent = "Not sent while blocked." if blocked else "May be sent: runs no tool, undoes nothing, checks no target."
    left_out = replay.left_out
    return ReplayView(f"{sent} {_kept(replay, left_out)}", not blocked, left_out, replay)


def _kept(replay: ProviderReplay, left_out: tuple[LeftOut, ...]) -> str:
    count = replay.high_water
    if not count:
        return "The prefix holds no event."
    if not left_out:
        return f"The filter keeps all {count:,}." if count > 1 else "The filter keeps the one event."
    keeps = f"The filter keeps {replay.kept:,} of {count:,}"
    if len(left_out) == 1:
        return f"{keeps}; event {left_out[0].index + 1:,} is left out ({LEFT_OUT[left_out[0].reason]})."
    if len(left_out) <= _NAMED:
        *first, last = (f"{left.index + 1:,}" for left in left_out)
        reasons = ", ".join(dict.fromkeys(LEFT_OUT[left.reason] for left in left_out))
        return f"{keeps}; events {', '.join(first)} and {last} are left out ({reasons})."
    return f"{keeps}; {len(left_out):,} events are left out."
