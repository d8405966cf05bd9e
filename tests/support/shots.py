"""Looks at what a running app shows: as lines of text, and as an SVG for snapshots."""

from __future__ import annotations

from typing import Any

from textual.app import App


def screen_lines(app: App[Any]) -> list[str]:
    """Give the lines of the screen as they are now, with trailing blanks removed."""
    return ["".join(segment.text for segment in strip).rstrip() for strip in app.screen._compositor.render_strips()]


def screen_svg(app: App[Any]) -> str:
    """Draw the screen as an SVG, the same for the same screen."""
    return app.export_screenshot(title="maka-ledger", simplify=True)
