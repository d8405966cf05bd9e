"""The answer to "why" as Markdown, for a ticket or a chat. It holds the ledger's words as they are, fenced."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .inspect import Inspection
from .verdict_facts import VerdictFacts
from .why import Why, WhyLine, WhySection

_TITLES: Final = {
    WhySection.FACTS: "The call",
    WhySection.PROVES: "The ledger proves",
    WhySection.NOT_SHOWN: "The ledger does not show",
    WhySection.ALSO_SEEN: "Also seen (decides nothing)",
    WhySection.TO_DO: "Before anyone acts",
    WhySection.DIAGNOSTICS: "Diagnostics",
    WhySection.STORAGE: "Storage",
    WhySection.REASON: "Codes",
}
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~])")
_TICKS: Final = re.compile(r"`+")


def why_markdown(inspection: Inspection, facts: VerdictFacts, why: Why) -> str:
    """Write down one answer."""
    return "\n".join(_lines(inspection, facts, why)) + "\n"


def inline_code(text: str) -> str:
    """Write any text as inline code, which shows it as it is."""
    flat = " ".join(text.splitlines()) or " "
    fence = _fence(flat, 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def code_block(text: str) -> tuple[str, ...]:
    """Give the lines of a code block that shows any text as it is; nothing in the text can end it."""
    fence = _fence(text, 3)
    return (fence, *text.splitlines(), fence)


def plain(text: str) -> str:
    """Write any text so that Markdown changes nothing of it."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.splitlines()))


def _lines(inspection: Inspection, facts: VerdictFacts, why: Why) -> Iterator[str]:
    ledger = inspection.ledger
    yield f"# {'REPLAY BLOCKED' if facts.blocked else 'HISTORY MAY BE REPLAYED'}: run {inline_code(ledger.run_id)}"
    yield ""
    if inspection.what_if:
        yield f"WHAT-IF after event {inspection.high_water:,} of {len(ledger):,}: not the run's verdict."
        yield ""
    call = f" {inline_code(f'{facts.call.tool_name} {facts.call.summary}'.strip())}" if facts.call else ""
    if facts.headline and facts.headline != facts.unresolved:
        yield f"{plain(facts.headline)}"
    if facts.unresolved:
        yield f"{plain(facts.unresolved)}{call}"
    yield f"**{plain(facts.directive)}**"
    yield ""
    yield f"- session {inline_code(ledger.session_id)}, {plain(facts.prefix)}"
    yield f"- {plain(facts.header)}"
    if facts.codes:
        yield f"- {inline_code(facts.codes)}"
    if why.status is not None:
        yield ""
        where = f", event {why.row + 1:,}" if why.row is not None else ""
        yield f"## {inline_code(why.tool_name)} {inline_code(why.tool_call_id)}{where}"
        yield ""
        yield " · ".join(inline_code(code) for code in why.codes)
    for section, title in _TITLES.items():
        if why.lines(section):
            yield ""
            yield f"### {'Expected high-water' if section is WhySection.FACTS and why.status is None else title}"
            yield ""
            yield from _section(section, why.lines(section))


def _section(section: WhySection, lines: tuple[WhyLine, ...]) -> Iterator[str]:
    for place, line in enumerate(lines, start=1):
        if section is WhySection.TO_DO:
            yield f"{place}. {plain(line.text)}"
        elif not line.name:
            yield f"- {plain(line.text)}"
        elif "\n" in line.text:
            yield f"- {inline_code(line.name)}:"
            yield ""
            yield from (f"  {part}".rstrip() for part in code_block(line.text))
            yield ""
        else:
            yield f"- {inline_code(line.name)}: {inline_code(line.text)}"


def _fence(text: str, least: int) -> str:
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    return "`" * max(least, longest + 1)
