"""Header, footer, rules and tabs at every width."""

from __future__ import annotations

import pytest

from tests.support.aio import run
from tests.support.apps import Numbered, viewer_app
from tests.support.shots import screen_lines
from viewer.styles import ASCII
from viewer.widgets.bars import Fact, HeaderBar
from viewer.widgets.pane import Pane
from viewer.widgets.rules import RuleHeading, TabHeading, UprightRule
from viewer.widgets.virtual_list import VirtualList

CRUMBS = ("default", "Fix the port clash", "run-7f3e")
FACTS = (Fact("read-only", 1), Fact("~/projects/harbor", 4), Fact("model-x", 3), Fact("ask", 2))


def header() -> HeaderBar:
    """Make a header with everything in it."""
    bar = HeaderBar()
    bar.crumbs = CRUMBS
    bar.facts = FACTS
    return bar


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (100, " default › Fix the port clash › run-7f3e              read-only   ~/projects/harbor   model-x   ask"),
        (60, " default › Fix the port clash › run-7f3e     read-only  ask"),
        (45, " default › Fix the po… › run-7f3e  read-only"),
        (36, " default › F… › run-7f3e  read-only"),
        (30, " defau… › run-7f3e  read-only"),
        (12, " run-7f3e"),
        (6, " ru…3e"),
    ],
)
def test_header_gives_way(width: int, line: str) -> None:
    """Facts leave by rank, the last of them after the outer crumbs are cut; where we are is the last to go."""

    async def body() -> None:
        app = viewer_app(header())
        async with app.run_test(size=(width, 12)) as pilot:
            await pilot.pause()
            app.screen.query("TooSmall").remove()
            await pilot.pause()

            assert screen_lines(app)[0].rstrip() == line

    run(body())


def test_bars_show_hostile_text_safely() -> None:
    """A bar makes its text printable by itself, and markup in it means nothing."""

    async def body() -> None:
        bar = HeaderBar()
        bar.crumbs = ("\x1b]0;x\x07", "[b]bold[/b] [/nope]")
        bar.facts = (Fact("a\u202eb"),)
        rule = RuleHeading("\x1b[2J", "[@click=app.quit]q[/]", right="\x9b")
        app = viewer_app(bar, rule)
        async with app.run_test(size=(80, 12)) as pilot:
            await pilot.pause()
            lines = screen_lines(app)

            assert "␛]0;x␇ › [b]bold[/b] [/nope]" in lines[0]
            assert "a\ufffdb" in lines[0]
            assert lines[1].startswith("─ ␛[2J  [@click=app.quit]q[/] ──")
            assert lines[1].endswith(" \ufffd ─")

    run(body())


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (60, "─ Timeline  13 events ───────────────────────── 1-20 of 99 ─"),
        (40, "─ Timeline  13 events ──── 1-20 of 99 ─"),
        (30, "─ Timeline  13 events ────────"),
        (18, "─ Timeline  13 … ─"),
        (9, "─ Time… ─"),
    ],
)
def test_rule_heading(width: int, line: str) -> None:
    """The name stays longest, the note at the right leaves first, and the rule fills the rest."""
    heading = RuleHeading("Timeline", "13 events", right="1-20 of 99")

    async def body() -> None:
        app = viewer_app(heading)
        async with app.run_test(size=(width, 12)) as pilot:
            await pilot.pause()
            shown = heading.render().plain

            assert len(shown) == width
            assert shown.replace("─", "") == line.replace("─", "")

    run(body())


def test_upright_rule_and_ascii() -> None:
    """Joints stand where they were asked for, counted from either end, in either set of signs."""

    async def body() -> None:
        rule = UprightRule({0: ASCII.joint_down, -1: ASCII.joint_up, 99: "x"}, signs=ASCII)
        async with viewer_app(rule).run_test(size=(40, 11)) as pilot:
            await pilot.pause()

            assert rule.render().plain == "\n".join("+" + "|" * 8 + "+")

    run(body())


def test_tabs() -> None:
    """The open page is in brackets; a click opens another and says so; every name keeps its place."""

    async def body() -> None:
        tabs = TabHeading(("Why", "Event", "Raw"))
        app = viewer_app(tabs)
        async with app.run_test(size=(40, 12)) as pilot:
            await pilot.pause()
            assert screen_lines(app)[0] == "─[Why]─ Event ─ Raw ────────────────────"

            await pilot.click(tabs, offset=(9, 0))
            await pilot.pause()
            assert screen_lines(app)[0] == "─ Why ─[Event]─ Raw ────────────────────"

            tabs.step(2)
            await pilot.pause()
            assert tabs.open == "Why"

            tabs.open = "Nowhere"
            assert tabs.open == "Why"

    run(body())


@pytest.mark.parametrize("page", ["Why", "Event", "Replay", "Run", "Raw"])
def test_tabs_in_a_narrow_pane(page: str) -> None:
    """However narrow the pane, the open page is named."""

    async def body() -> None:
        tabs = TabHeading(("Why", "Event", "Replay", "Run", "Raw"))
        tabs.styles.width = 20
        async with viewer_app(tabs).run_test(size=(40, 12)) as pilot:
            await pilot.pause()
            tabs.open = page
            shown = tabs.render().plain

            assert f"[{page}]" in shown
            assert len(shown) == 20

    run(body())


def test_footer_shows_what_works_and_can_be_clicked() -> None:
    """Keys of the focused list and of the screen are named; a click does what the key does."""

    async def body() -> None:
        rows = VirtualList(Numbered(9))
        app = viewer_app(rows)
        async with app.run_test(size=(60, 12)) as pilot:
            await pilot.pause()
            line = screen_lines(app)[-1]
            assert line.startswith(" ↑↓ move")
            assert line.endswith("tab pane  ? help  q quit")

            await pilot.click("FooterBar", offset=(2, 0))
            await pilot.pause()
            assert rows.cursor == 1

            await pilot.click("FooterBar", offset=(line.index("quit") + 1, 0))
            await pilot.pause()
        assert app.return_code == 0

    run(body())


def test_the_pane_with_the_focus_is_lit() -> None:
    """One heading is lit at a time, and it is that of the pane where the keys go."""

    async def body() -> None:
        left, right = RuleHeading("Left"), TabHeading(("Right",))
        panes = Pane(left, VirtualList(Numbered(3))), Pane(right, VirtualList(Numbered(3)))
        async with viewer_app(*panes).run_test(size=(40, 20)) as pilot:
            await pilot.pause()
            assert (left.lit, right.lit) == (True, False)

            await pilot.press("tab")
            await pilot.pause()
            assert (left.lit, right.lit) == (False, True)

    run(body())
