"""What is wrong with a workspace as a whole, said where nobody can overlook it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from core import Finding, entry, printable

from ..cells import cut
from ..state_folder import home_folder, tilde
from ..styles import UNICODE, UNREADABLE, Signs

STALE = "stale_jsonl"


class Remarks(Widget):
    """One line for stale files, one for everything else; no line where there is nothing to say."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "Remarks { height: auto; color: $evidence; }"

    findings: reactive[tuple[Finding, ...]] = reactive((), layout=True)
    """Findings of the workspace."""

    def __init__(self, *, signs: Signs = UNICODE, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._signs = signs

    def watch_findings(self) -> None:
        """Take no line where there is nothing to say."""
        self.display = bool(self.findings)

    def render(self) -> Content:
        """Lay the lines out for the present width."""
        width = self.size.width or self.app.size.width
        mark = f" {self._signs.of(UNREADABLE)} "
        texts = list(remark_lines(self.findings, str(home_folder())))
        lines = [cut(mark + printable(text, limit=width * 2), width - 1, self._signs.ellipsis) for text in texts]
        return Content("\n").join(
            [Content.styled(line, "bold $evidence" if not i else "$evidence") for i, line in enumerate(lines)]
        )


def remark_lines(findings: Sequence[Finding], home: str) -> Iterator[str]:
    """Say in one line that the files are stale, and in another how much else was found; the first with its place."""
    stale = [finding for finding in findings if finding.code == STALE]
    if stale:
        yield f"STALE: Maka reads only {tilde(stale[0].path or 'the database', home)}; this may be out of date"
    others = [finding for finding in findings if finding.code != STALE]
    if others:
        counts = Counter(finding.code for finding in others)
        said = ", ".join(f"{count:,} x {_title(code)}" if count > 1 else _title(code) for code, count in counts.items())
        first = f": {tilde(others[0].path, home)}" if others[0].path else ""
        more = f" and {len(others) - 1:,} more" if len(others) > 1 else ""
        yield f"{said}{first}{more}"


def _title(code: str) -> str:
    found = entry(code, "finding")
    return found.title if found else code
