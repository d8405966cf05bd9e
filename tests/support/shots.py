"""Looks at what a running app shows: as lines of text, and as an SVG for snapshots."""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.geometry import Region

from viewer.widgets.virtual_list import VirtualList


def screen_lines(app: App[Any]) -> list[str]:
    """Give the lines of the screen as they are now, with trailing blanks removed."""
    return ["".join(segment.text for segment in strip).rstrip() for strip in app.screen._compositor.render_strips()]


def screen_svg(app: App[Any]) -> str:
    """Draw the screen as an SVG, the same for the same screen."""
    return app.export_screenshot(title="maka-ledger", simplify=True)


def stale_lines(app: App[Any]) -> list[str]:
    """Name the lines of lists that show something else than what they would draw now: what was left behind is a lie."""
    found = []
    for rows in app.screen.query(VirtualList):
        if not rows.is_on_screen:
            continue
        rows._drawn.clear()
        width, height = rows.scrollable_size
        drawn = rows.render_lines(Region(0, 0, width, height))
        for y, strip in enumerate(drawn):
            want = rows.render_line(y).text
            # A row that was drawn before its bytes went is still what was read.
            if strip.text.rstrip() != want.rstrip() and "can no longer be r" not in want:
                found.append(f"{rows!r} line {y}: shows {strip.text!r}, is {want!r}")
    return found
