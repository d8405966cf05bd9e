"""A list on a small screen."""

from __future__ import annotations

from textual.pilot import Pilot

SIZE = (60, 21)
PAGE = 20
"""Lines of the list: the footer has one."""


async def pressed(pilot: Pilot[int], *keys: str) -> None:
    """Press keys and let the screen settle."""
    await pilot.press(*keys)
    await pilot.pause()
