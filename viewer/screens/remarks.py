"""Every remark on a workspace as a whole, with its place and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from core import Finding, entry, printable

from ..styles import Signs
from ..widgets.lines import Line, LineList
from ..widgets.rules import RuleHeading
from .base import Dialog

_LIMIT: Final = 4096
"""Characters of a message or a path; the longest path of a usual system."""


class RemarksScreen(Dialog[None]):
    """A list of findings."""

    def __init__(self, findings: Sequence[Finding], *, signs: Signs) -> None:
        super().__init__()
        self._findings = findings
        self._signs = signs

    def compose(self) -> ComposeResult:
        """Lay the list out."""
        with Vertical():
            heading = RuleHeading(
                "Remarks", f"{len(self._findings):,} on this workspace, esc closes", signs=self._signs
            )
            heading.lit = True
            yield heading
            yield LineList(signs=self._signs)

    def on_mount(self) -> None:
        """Show the remarks, each from its beginning to its end: a path that is cut leads nowhere."""
        lines = self.query_one(LineList)
        lines.idle_cursor = True
        lines.show([line for finding in self._findings for line in _lines(finding)])
        lines.focus()


def _lines(finding: Finding) -> Iterator[Line]:
    found = entry(finding.code, "finding")
    yield Line(Content.styled(f" {printable(finding.message, limit=_LIMIT)}", "$evidence"), 1)
    yield Line(Content.styled(f"   {printable(finding.code)}", "$muted"), 3)
    if finding.path:
        yield Line(Content.styled(f"   {printable(finding.path, limit=_LIMIT)}", "$ink"), 3)
    for step in found.to_do if found else ():
        yield Line(Content.styled(f"   {step}", "$muted"), 3)
