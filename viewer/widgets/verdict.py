"""The verdict on a run: what is decided, about which call, what to do. It is read first, and it is the loudest."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from datetime import UTC, tzinfo
from typing import ClassVar, Final

from msgspec import Struct
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from core import VerdictFacts, ago, printable, short_time, zone_name

from ..cells import cut
from ..styles import DISPOSITIONS, MAY_BE_RUNNING, UNICODE, UNREADABLE, Signs, decision_look

WIDE: Final = 100
"""From this width on the lines with codes, prefix and header are there; below it the pane on "why" has them."""

LOW: Final = 16
"""Below this height of the screen only the verdict and what to do are shown."""

_INDENT: Final = "   "
_LIMIT: Final = 600
"""Characters of any one text; no line is that long."""


class WhatIf(Struct, frozen=True):
    """A prefix that was asked about."""

    end: int
    length: int
    blocked: bool
    said: str = ""
    """What would be in doubt; empty until it is known, or where nothing is."""


class Shown(Struct, frozen=True):
    """What the block shows."""

    facts: VerdictFacts | None = None
    """None while the ledger is read."""
    what_if: WhatIf | None = None
    progress: str = ""
    """How far the reading is."""
    zone: tzinfo | None = UTC
    """The zone of times; None is that of this machine."""


class VerdictBlock(Widget):
    """As many lines as it needs; what to do is never cut."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"verdict--pill"}
    DEFAULT_CSS = """
    VerdictBlock {
        height: auto;
        color: $muted;
        & > .verdict--pill {
            background: $pill-background; color: $pill-foreground; text-style: $pill-text-style;
        }
    }
    """

    shown: reactive[Shown] = reactive(Shown(), repaint=False)

    def __init__(self, *, signs: Signs = UNICODE, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._signs = signs
        self._laid: tuple[tuple[Shown, Hashable, list[Content]], ...] = ()
        """What was laid out last, with the ways in which it was."""

    def watch_shown(self, old: Shown, new: Shown) -> None:
        """Draw anew what reads otherwise by now, and lay the screen out anew only for another number of lines."""
        width = self.size.width
        before, after = ([(line.plain, line.spans) for line in self._lines(one, width)] for one in (old, new))
        if len(before) != len(after) or not width:
            self.refresh(layout=True)
        elif before != after:
            self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Say how many lines there will be."""
        del container, viewport
        return len(self._lines(self.shown, width))

    def render(self) -> Content:
        """Lay the lines out for the present width."""
        return Content("\n").join(self._lines(self.shown, self.size.width)) if self.size.width else Content("")

    def _lines(self, shown: Shown, width: int) -> list[Content]:
        # Each is asked for when it comes, when it is drawn and when the next one comes.
        key = (width, self.app.size.height < LOW, self.app.theme)
        known = next((lines for one, way, lines in self._laid if one is shown and way == key), None)
        if known is None:
            known = self._lay(shown, width)
            self._laid = (*self._laid[-1:], (shown, key, known))
        return known

    def _lay(self, shown: Shown, width: int) -> list[Content]:
        facts = shown.facts
        if facts is None:
            said = f"Reading the ledger{self._signs.ellipsis}  {shown.progress}".rstrip()
            return [Content.styled(cut(f" {said}", width), "$ink")]
        layout = _Layout(facts, shown, width, self._signs, self._pill)
        return list(layout.lines(low=self.app.size.height < LOW))

    @property
    def _pill(self) -> Style:
        """The style of the pill; Textual leaves the reverse of a terminal's own colours out of it."""
        style = self.get_visual_style("verdict--pill")
        return style + Style(reverse=True) if self.get_component_rich_style("verdict--pill").reverse else style


class _Layout:
    """Lays one verdict out for one width."""

    def __init__(self, facts: VerdictFacts, shown: Shown, width: int, signs: Signs, pill: Style) -> None:
        self.facts = facts
        self.what_if = shown.what_if
        self.zone = shown.zone
        self.width = width
        self.signs = signs
        self.pill = pill
        self.loud = "$live" if facts.live else "$doubt"

    def lines(self, *, low: bool) -> Iterator[Content]:
        facts, wide = self.facts, self.width >= WIDE
        if facts.stale:
            yield self._warning("STALE JSONL", "a runtime.sqlite stands beside it, and Maka reads only that")
        yield from self._verdict()
        if facts.mismatch and facts.mismatch != facts.headline:
            yield self._warning("OTHER LENGTH", f"{facts.mismatch}: {facts.mismatch_at}", "runtime_offset_mismatch")
        elif facts.mismatch:
            yield self._warning("OTHER LENGTH", facts.mismatch_at, "runtime_offset_mismatch")
        if facts.unresolved and facts.unresolved != facts.headline and not facts.stale:
            yield self._line(Content.assemble(_INDENT, self._call(facts.unresolved)), *self._called())
        yield from self._act((facts.codes, facts.codes_short) if wide else ())
        what_if = self._what_if()
        if wide and not low:
            header = Content.styled(printable(facts.header, limit=_LIMIT), "$evidence" if facts.disagrees else "$muted")
            yield self._line(what_if or self._prefix(header.cell_length), header)
        elif what_if is not None:
            yield self._line(what_if)

    def _verdict(self) -> Iterator[Content]:
        """Give pill, headline and the most urgent call: one line if they fit, else the pill has its own."""
        facts = self.facts
        if facts.live:
            age = f"last write {ago(facts.last_write_age_ms)}" if facts.last_write_age_ms is not None else ""
            look = decision_look(facts.disposition, facts.verdict)
            died = f"if it died now: {self.signs.of(look)} {look.word}"
            pill = Content.styled(f" {self.signs.of(MAY_BE_RUNNING)} {MAY_BE_RUNNING.word} ", "bold $live on $bar")
            yield self._line(Content.assemble(pill, "  ", age), Content.styled(died, "$live"))
            said = self._said()
            if said:
                yield self._line(Content.assemble(_INDENT, said), *self._called())
            return
        said = self._said()
        look = decision_look(facts.disposition, facts.verdict)
        words = f" {self.signs.of(look)} {look.word} "
        pill = Content.styled(words, self.pill if facts.blocked else f"bold {look.style} on $bar")
        gap = "  " if self.width >= WIDE else " "
        called = self._called() if facts.unresolved and said.plain.startswith(facts.unresolved) else ()
        least = pill.cell_length + len(gap) + self._least(said)
        if not said or least <= self.width:
            yield self._line(Content.assemble(pill, gap, said), *called, least=least)
        else:
            yield self._line(pill, *called)
            yield self._line(Content.assemble(_INDENT, said))

    def _said(self) -> Content:
        facts = self.facts
        if facts.unresolved and (facts.stale or facts.headline == facts.unresolved):
            return self._call(facts.unresolved)
        if facts.stale:
            return Content("")
        if facts.headline:
            mark = f"{self.signs.of(UNREADABLE)} {UNREADABLE.word}  " if facts.verdict == "unreadable" else ""
            return Content.styled(mark + printable(facts.headline, limit=_LIMIT), "bold $evidence")
        return Content.styled("Nothing to resume: the ledger holds no row.", "$ink") if facts.empty else Content("")

    def _least(self, said: Content) -> int:
        """Say how much of the headline must fit beside the pill: all of its sentence, not all of the call."""
        calls = self.facts.unresolved
        return min(said.cell_length, len(calls) + 12 if said.plain.startswith(calls) else said.cell_length)

    def _call(self, sentence: str) -> Content:
        call = self.facts.call
        gap = "  " if self.width >= WIDE else " "
        words = [printable(call.tool_name, limit=80), printable(call.summary, limit=_LIMIT)] if call else []
        if call and self.width < WIDE:
            words = [words[0], f"#{call.number}" if call.number is not None else ""]
        said = Content.styled(sentence, f"bold {self.loud}")
        return Content.assemble(said, gap, (gap.join(word for word in words if word), "bold $ink"))

    def _called(self) -> tuple[Content, ...]:
        """Say when the call was made, in ways that are ever shorter."""
        call, age = self.facts.call, self.facts.call_age_ms
        if call is None or call.ts is None or call.ts != call.ts:
            return ()
        at, zone = short_time(call.ts, self.zone, seconds=True), zone_name(call.ts, self.zone)
        since = f", {ago(age)}" if age is not None and age >= 0 and self.width >= WIDE else ""
        return tuple(Content.styled(way, "$ink") for way in (f"{at} {zone}{since}", f"{at.rpartition(' ')[2]} {zone}"))

    def _prefix(self, beside: int) -> Content:
        """Say how long the prefix is, at such a length that so many cells fit beside it."""
        ways = [_INDENT + printable(way) for way in (self.facts.prefix, *self.facts.prefix_short)]
        return Content(next((way for way in ways if len(way) + beside + 2 <= self.width), ways[-1]))

    def _act(self, codes: Sequence[str]) -> Iterator[Content]:
        """Say what to do, in as many lines as it takes, and beside it the first of the ways to write the codes."""
        act = Content.styled(self.facts.directive, "bold $ink" if self.facts.blocked or self.facts.live else "$ink")
        act = Content.assemble(_INDENT, act)
        if act.cell_length < self.width:
            yield self._line(act, *(Content(printable(way, limit=_LIMIT)) for way in codes))
            return
        for line in Content.styled(self.facts.directive, "bold $ink").wrap(max(self.width - 2, 10)):
            yield Content.assemble(" ", line)

    def _what_if(self) -> Content | None:
        what_if = self.what_if
        if what_if is None:
            return None
        word = DISPOSITIONS["blocked" if what_if.blocked else "safe_replay"].word
        said = f"; {printable(what_if.said, limit=_LIMIT)}" if what_if.said else ""
        return Content.assemble(
            (" WHAT-IF ", "bold $ink on $idle"),
            (f" after event {what_if.end:,} of {what_if.length:,}: would be ", "$ink"),
            (word, "bold $ink"),
            (said, "$ink"),
        )

    def _warning(self, word: str, said: str, code: str = "") -> Content:
        mark = f" {self.signs.of(UNREADABLE)} {word}  "
        left = Content.assemble((mark, "bold $evidence"), (printable(said, limit=_LIMIT), "$evidence"))
        return self._line(left, Content(code)) if code else self._line(left)

    def _line(self, left: Content, *rights: Content, least: int | None = None) -> Content:
        """Put texts at the ends of a line: the first of the right ones beside which so much of the left one stays."""
        more, width = self.signs.ellipsis, self.width
        needed = left.cell_length if least is None else min(least, left.cell_length)
        for right in rights:
            room = width - right.cell_length - 2
            if right and needed <= room:
                if left.cell_length > room:
                    left = Content.assemble(left.truncate(room - len(more)), more)
                gap = width - left.cell_length - right.cell_length
                return Content.assemble(left, " " * (gap - (gap > 2)), right)
        if left.cell_length < width:
            return left
        return Content.assemble(left.truncate(width - 1 - len(more)), more)
