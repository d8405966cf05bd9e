"""What must be known about one run before it is opened: three lines, or five where the screen is narrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from core import RunSummary, Verdict, printable

from ..cells import cut
from ..styles import MAY_BE_RUNNING, UNICODE, Signs, decision_look
from ..words import in_doubt
from .bars import WIDE

_LIMIT: Final = 600
"""Characters of any one text; no line is that long."""


class RunSummaryLines(Widget):
    """Verdict, call and place; what the ledger shows and what was also seen; what to do before anyone acts."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "RunSummaryLines { height: 3; color: $muted; }"

    summary: reactive[RunSummary | None] = reactive(None, layout=False)
    """The run; None while there is none."""

    def __init__(self, *, signs: Signs = UNICODE, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._signs = signs

    def render(self) -> Content:
        """Lay the lines out for the present width."""
        if self.summary is None or self.size.width < 4:
            return Content("")
        lines = self._wide(self.summary) if self.size.width >= WIDE else self._narrow(self.summary)
        return Content("\n").join(list(lines)[: self.size.height])

    def _wide(self, summary: RunSummary) -> Iterator[Content]:
        verdict, codes = self._verdict(summary), self._codes(summary)
        what = self._what(summary, self.size.width - verdict.cell_length - 5)
        yield self._line(Content.assemble(verdict, "   ", what) if what else verdict, codes)
        stands = self._stands(summary)
        seen = self._seen(summary, self.size.width - 4 - stands.cell_length)
        yield self._line(Content.assemble(stands, "  ", seen) if seen else stands)
        yield self._line(self._act(summary), self._later(summary))

    def _narrow(self, summary: RunSummary) -> Iterator[Content]:
        width = self.size.width - 2
        what, height = self._what(summary, width), self.size.height
        head = [self._line(self._verdict(summary), self._codes(summary))]
        # What to do stands there whole, whatever gives way for it; the call is in the list above too.
        act = self._lines(self._act(summary), height - 1)
        if what and len(head) + len(act) < height:
            head.append(self._line(what))
        stands = self._lines(self._stands(summary), height - len(head) - len(act))
        seen, later = self._seen(summary, width), self._later(summary)
        yield from (*head, *stands, *act, self._line(seen, later) if seen else self._line(later))

    def _lines(self, text: Content, most: int) -> list[Content]:
        """Break a text into so many lines at most; where that cuts it, the last of them says so."""
        width, more = self.size.width - 2, self._signs.ellipsis
        lines = text.wrap(width) if text else []
        if 0 < most < len(lines):
            lines[most - 1] = Content.assemble(lines[most - 1].rstrip().truncate(width - len(more)), more)
        return [self._line(line) for line in lines[: max(most, 0)]]

    def _line(self, left: Content, right: Content | None = None) -> Content:
        """Put two texts at the ends of a line; where there is no room, the right one gives way."""
        width = self.size.width - 2
        if right is not None and left.cell_length + right.cell_length + 3 <= width:
            return Content.assemble(" ", left, " " * (width - left.cell_length - right.cell_length), right)
        if left.cell_length <= width:
            return Content.assemble(" ", left)
        more = self._signs.ellipsis
        return Content.assemble(" ", left.truncate(width - len(more)), more)

    def _verdict(self, summary: RunSummary) -> Content:
        live = summary.verdict is Verdict.MAY_BE_RUNNING
        look = MAY_BE_RUNNING if live else decision_look(summary.disposition, summary.verdict)
        return Content.styled(f"{self._signs.of(look)} {look.word}", look.style)

    def _codes(self, summary: RunSummary) -> Content:
        codes = summary.diagnostics or summary.reasons
        more = f" +{len(codes) - 1}" if len(codes) > 1 else ""
        return Content(printable(f"{codes[0]}{more}") if codes else "")

    def _what(self, summary: RunSummary, room: int) -> Content:
        """Say what is in doubt and where it was called; a long call leaves a third of the room to the place."""
        more = self._signs.ellipsis
        first = printable(in_doubt(summary)[0], limit=_LIMIT)
        if not summary.blocked:
            return Content(cut(first, room, more))
        where = f"   in {printable(summary.cwd, limit=_LIMIT)}" if summary.cwd and summary.tool_name else ""
        first = cut(first, max(room - len(where), room * 2 // 3), more)
        style = "bold $ink" if summary.verdict is not Verdict.UNREADABLE else "$evidence"
        return Content.assemble((first, style), (cut(where, room - len(first), more), "$ink"))

    def _stands(self, summary: RunSummary) -> Content:
        return Content.styled(printable(summary.stands, limit=_LIMIT), "$ink")

    def _seen(self, summary: RunSummary, room: int) -> Content:
        """Say what was also seen; what there is no room for is counted."""
        seen = [printable(one, limit=80) for one in summary.seen]
        for kept in range(len(seen), 0, -1):
            more = f" +{len(seen) - kept}" if kept < len(seen) else ""
            said = Content(f"Also seen: {'; '.join(seen[:kept])}{more}.")
            if said.cell_length <= room:
                return said
        return Content("")

    def _act(self, summary: RunSummary) -> Content:
        return Content.styled(
            f"Before anyone acts: {printable(summary.act, limit=_LIMIT)}" if summary.act else "", "bold $ink"
        )

    def _later(self, summary: RunSummary) -> Content:
        if summary.continued_by:
            later = ", ".join(printable(run_id, limit=80) for run_id in summary.continued_by[:2])
            more = len(summary.continued_by) - 2
            return Content.styled(f"Continued by {later}{f' and {more} more' if more > 0 else ''}.", "$ink")
        return Content("Not continued by any later run." if summary.blocked else "")
