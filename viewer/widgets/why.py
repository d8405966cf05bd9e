"""The answer to "why" as paragraphs: one below the other where there is room, else in a few dense lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content

from core import VerdictFacts, Why, WhyLine, WhySection, ago, printable, printable_lines

from ..cells import cut, pad
from ..styles import STATUSES, Look, Signs
from .lines import BLANK, Line

_NAME: Final = 12
"""Cells of a name, at most."""
_VALUE: Final = 4000
"""Characters of a value that are shown here; the pane on the event shows more."""
_VALUE_LINES: Final = 60
_LISTED: Final = 500
"""Lines of a section that are shown."""

_HEADINGS: Final = {
    WhySection.PROVES: "The ledger proves",
    WhySection.NOT_SHOWN: "The ledger does not show",
    WhySection.ALSO_SEEN: "Also seen (decides nothing)",
    WhySection.TO_DO: "Before anyone acts",
    WhySection.DIAGNOSTICS: "Diagnostics",
    WhySection.STORAGE: "Storage",
    WhySection.REASON: "Codes",
}
_QUIET: Final = frozenset({WhySection.ALSO_SEEN, WhySection.DIAGNOSTICS, WhySection.STORAGE, WhySection.REASON})
"""Sections that decide nothing, or are there for those who look a code up."""


def why_lines(why: Why, facts: VerdictFacts, signs: Signs, *, subject: str, dense: bool, calm: bool) -> list[Line]:
    """Write one answer.

    Args:
        why: the answer.
        facts: the verdict on the same prefix.
        signs: the set of glyphs.
        subject: what the answer is about, where it is not about one call.
        dense: in few lines.
        calm: whether doubt is not loud, since the run may go on or the doubt is a supposed one.

    """
    look = STATUSES.get(why.status) if why.status is not None else None
    if look is not None and calm:
        look = replace(look, style=look.style.replace("$doubt", "$live"))
    writer = _Writer(why, facts, look, signs, subject)
    return list(writer.dense() if dense else writer.roomy())


class _Writer(Struct, frozen=True):
    """Writes one answer in either way."""

    why: Why
    facts: VerdictFacts
    look: Look | None
    signs: Signs
    subject: str

    def roomy(self) -> Iterator[Line]:
        why, look = self.why, self.look
        codes = self._between(code for code in why.codes if look is None or code != look.word)
        if look is not None:
            status = Content.assemble((self.signs.of(look), look.style), " ", (look.word, look.word_style))
            yield Line(Content.assemble(status, "   ", (codes, "$muted")), 2)
            yield Line(self._call_id(), 2, why.row)
        else:
            yield Line(Content.assemble((self.subject, "bold $ink"), f"   {codes}" if codes else ""), 2)
        if why.lines(WhySection.FACTS):
            yield BLANK
            yield from _values(why.lines(WhySection.FACTS))
        for section, heading in _HEADINGS.items():
            lines = why.lines(section)
            if lines:
                count = f" {len(lines):,}" if section is WhySection.DIAGNOSTICS else ""
                yield BLANK
                yield Line(Content.styled(heading + count, "$muted" if section in _QUIET else "bold $ink"))
                yield from _statements(section, lines)

    def dense(self) -> Iterator[Line]:
        why = self.why
        yield Line(Content.styled(self._between((*why.codes, self.facts.prefix_brief)), "$muted"), 2)
        yield Line(self._call() if self.look is not None else Content.styled(self.subject, "bold $ink"), 2, why.row)
        if self.look is None:
            yield from (Line(_pair(line), 2, line.row) for line in why.lines(WhySection.FACTS))
        for section, name, style in (
            (WhySection.PROVES, "proves   ", "$ink"),
            (WhySection.NOT_SHOWN, "not shown by the ledger: ", "bold $ink"),
        ):
            lines = why.lines(section)
            if lines:
                said = " ".join(_sentence(line.text) for line in lines)
                if section is WhySection.NOT_SHOWN:
                    said = said[0].lower() + said[1:]
                yield Line(Content.assemble((name, "$muted"), (said, style)), 2, lines[0].row)
        if why.seen:
            yield Line(Content.styled(f"also seen, decides nothing: {printable(why.seen, limit=_VALUE)}", "$muted"), 2)
        if why.act:
            yield Line(Content.styled(f"before anyone acts: {printable(why.act, limit=_VALUE)}", "bold $ink"), 2)
        yield Line(self._times(), 2)
        for section in (WhySection.DIAGNOSTICS, WhySection.STORAGE, WhySection.REASON):
            if why.lines(section):
                yield Line(Content.styled(_HEADINGS[section].lower(), "$muted"))
                yield from _statements(section, why.lines(section))

    def _between(self, codes: Iterable[str]) -> str:
        return f" {self.signs.between} ".join(codes)

    def _call_id(self) -> Content:
        why = self.why
        where = f"   event {why.row + 1:,}" if why.row is not None else ""
        name, call_id = printable(why.tool_name, limit=200), printable(why.tool_call_id, limit=400)
        return Content.assemble((name, "bold $ink"), "  ", (call_id, "$muted"), (where, "$muted"))

    def _call(self) -> Content:
        """Name the call, its arguments and its place; the rest is on the page of the event."""
        why = self.why
        number = f" #{why.row + 1:,}" if why.row is not None else ""
        sign = (self.signs.of(self.look), self.look.style) if self.look is not None else ""
        name = Content.assemble(sign, (f" {printable(why.tool_name, limit=80)}{number}", "bold $ink"))
        pairs = [_pair(line) for line in why.lines(WhySection.FACTS) if line.name != "called"]
        return Content("   ").join([name, *pairs])

    def _times(self) -> Content:
        facts = self.facts
        called = next((line.text for line in self.why.lines(WhySection.FACTS) if line.name == "called"), "")
        age = facts.last_write_age_ms
        parts = [printable(facts.header, limit=_VALUE), f"Last write {ago(age)}" if age is not None else ""]
        parts.append(f"Called {called}" if called else "")
        said = ". ".join(part for part in parts if part)
        return Content.styled(f"{said}.", "$evidence" if facts.disagrees else "$muted")


def _values(lines: Sequence[WhyLine]) -> Iterator[Line]:
    width = min(max(len(line.name) for line in lines), _NAME)
    for line in lines:
        name = pad(cut(printable(line.name, limit=200), width), width)
        shown = list(_value(line.text))
        yield Line(Content.assemble((name, "$muted"), "  ", (shown[0], "$ink")), width + 2, line.row)
        for more in shown[1:]:
            yield Line(Content.assemble(" " * (width + 2), (more, "$ink")), width + 2, line.row)


def _value(text: str) -> Iterator[str]:
    count = 0
    for count, line in enumerate(printable_lines(text[:_VALUE]), start=1):
        if count > _VALUE_LINES:
            break
        yield line
    if not count:
        yield ""
    if len(text) > _VALUE or count > _VALUE_LINES:
        yield f"cut here: {len(text):,} characters in all"


def _pair(line: WhyLine) -> Content:
    shown = cut(printable(line.text, limit=_VALUE), 200)
    return Content.assemble((cut(printable(line.name, limit=200), _NAME), "$muted"), "  ", (shown, "$ink"))


def _sentence(text: str) -> str:
    said = printable(text, limit=_VALUE)
    return said if said.endswith((".", "?")) else f"{said}."


def _statements(section: WhySection, lines: Sequence[WhyLine]) -> Iterator[Line]:
    style = "$muted" if section in _QUIET else "$ink"
    for place, line in enumerate(lines[:_LISTED], start=1):
        said = printable(line.text, limit=_VALUE)
        mark = f"{place} " if section is WhySection.TO_DO else ""
        name = f"{printable(line.name, limit=200)}  " if line.name else ""
        yield Line(Content.assemble("  ", mark, (name + said, style)), 2 + len(mark), line.row)
    if len(lines) > _LISTED:
        yield Line(Content.styled(f"  and {len(lines) - _LISTED:,} more", "$muted"))
