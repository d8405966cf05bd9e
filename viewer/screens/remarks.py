"""Every remark on a workspace as a whole, with its place and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from core import Finding, entry, printable

from ..styles import Signs
from ..widgets.row_source import Rows
from ..widgets.rules import RuleHeading
from ..widgets.virtual_list import VirtualList
from .base import Dialog


class RemarksScreen(Dialog[None]):
    """A list of findings."""

    def __init__(self, findings: Sequence[Finding], *, signs: Signs) -> None:
        super().__init__()
        self._findings = findings
        self._signs = signs

    def compose(self) -> ComposeResult:
        """Lay the list out."""
        rows = [row for finding in self._findings for row in _rows(finding)]
        with Vertical():
            heading = RuleHeading(
                "Remarks", f"{len(self._findings):,} on this workspace, esc closes", signs=self._signs
            )
            heading.lit = True
            yield heading
            yield VirtualList(Rows(rows), signs=self._signs)


def _rows(finding: Finding) -> Iterator[Content]:
    found = entry(finding.code, "finding")
    yield Content.styled(f" {printable(finding.message, limit=300)}", "$evidence")
    yield Content.styled(f"   {printable(finding.code)}", "$muted")
    if finding.path:
        yield Content.styled(f"   {printable(finding.path, limit=300)}", "$ink")
    for step in found.to_do if found else ():
        yield Content.styled(f"   {step}", "$muted")
