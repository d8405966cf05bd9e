"""The answer to "why" as paragraphs: one below the other where there is room, else in a few dense lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

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


def why_lines(why: Why, facts: VerdictFacts, signs: Signs, *, dense: bool, calm: bool) -> list[Line]:
    """Write one answer; `calm` where doubt is not loud, since the run may go on or is a supposed one."""
    look = STATUSES.get(why.status) if why.status is not None else None
    if look is not None and calm:
        look = replace(look, style=look.style.replace("$doubt", "$live"))
    return list(_dense(why, facts, look, signs) if dense else _roomy(why, look, signs))


def _roomy(why: Why, look: Look | None, signs: Signs) -> Iterator[Line]:
    dot = f" {signs.between} "
    codes = dot.join(code for code in why.codes if look is None or code != look.word)
    if look is not None:
        yield Line(Content.assemble(_status(look, signs), "   ", (codes, "$muted")), 2)
        yield Line(_subject(why, "   "), 2, why.row)
    else:
        yield Line(Content.assemble(("The run as a whole", "bold $ink"), f"   {codes}" if codes else ""), 2)
    if why.lines(WhySection.FACTS):
        yield BLANK
        yield from _values(why.lines(WhySection.FACTS))
    for section, heading in _HEADINGS.items():
        lines = why.lines(section)
        if not lines:
            continue
        count = f" {len(lines):,}" if section is WhySection.DIAGNOSTICS else ""
        yield BLANK
        yield Line(Content.styled(heading + count, "$muted" if section in _QUIET else "bold $ink"))
        yield from _statements(section, lines)


def _dense(why: Why, facts: VerdictFacts, look: Look | None, signs: Signs) -> Iterator[Line]:
    codes = f" {signs.between} ".join((*why.codes, facts.prefix_brief))
    yield Line(Content.styled(codes, "$muted"), 2)
    if look is not None:
        yield Line(_call(why, look, signs), 2, why.row)
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
    yield Line(_times(why, facts), 2)
    for section in (WhySection.DIAGNOSTICS, WhySection.STORAGE, WhySection.REASON):
        if why.lines(section):
            yield Line(Content.styled(_HEADINGS[section].lower(), "$muted"))
            yield from _statements(section, why.lines(section))


def _call(why: Why, look: Look, signs: Signs) -> Content:
    """Name the call, its arguments and its place; the rest is on the page of the event."""
    number = f" #{why.row + 1:,}" if why.row is not None else ""
    parts = [
        Content.assemble((signs.of(look), look.style), (f" {printable(why.tool_name, limit=80)}{number}", "bold $ink"))
    ]
    parts += [_pair(line) for line in why.lines(WhySection.FACTS) if line.name != "called"]
    return Content("   ").join(parts)


def _times(why: Why, facts: VerdictFacts) -> Content:
    called = next((line.text for line in why.lines(WhySection.FACTS) if line.name == "called"), "")
    age = facts.last_write_age_ms
    parts = [printable(facts.header, limit=_VALUE), f"last write {ago(age)}" if age is not None else ""]
    parts += [f"called {called}" if called else ""]
    style = "$evidence" if facts.disagrees else "$muted"
    said = ". ".join(part[0].upper() + part[1:] if place else part for place, part in enumerate(parts) if part)
    return Content.styled(f"{said}.", style)


def _status(look: Look, signs: Signs) -> Content:
    return Content.assemble((signs.of(look), look.style), " ", (look.word, look.word_style))


def _subject(why: Why, gap: str) -> Content:
    where = f"{gap}event {why.row + 1:,}" if why.row is not None else ""
    name, call_id = printable(why.tool_name, limit=200), printable(why.tool_call_id, limit=400)
    return Content.assemble((name, "bold $ink"), "  ", (call_id, "$muted"), (where, "$muted"))


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
