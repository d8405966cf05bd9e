"""The parts of the screen of a run, drawn for themselves at many widths."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from textual.content import Content
from textual.style import Style

from core import EventLinks, OperationIndex, doubts_of, inspect, torn_line, verdict_facts
from tests.support.run_samples import NOW, SAMPLES, open_sample
from viewer.run_layout import layout_for, operations_height
from viewer.run_reading import Decided, decide
from viewer.styles import UNICODE
from viewer.widgets.lines import Line, wrapped
from viewer.widgets.operations import OperationRows, OperationView
from viewer.widgets.row_source import Parts
from viewer.widgets.timeline import TimelineRows
from viewer.widgets.timeline_line import TimelineView
from viewer.widgets.verdict import Shown, WhatIf, _Layout

WIDTHS = (30, 38, 45, 54, 65, 100, 200)


def decided(root: Path, name: str) -> Decided:
    """Write a sample, read it and decide it."""
    SAMPLES[name](root)
    return decide(open_sample(root).ledger(), NOW)


def timeline_of(found: Decided, **changes: object) -> TimelineRows:
    """Make the lines of its timeline."""
    ledger = found.inspection.ledger
    view = TimelineView(
        ledger, EventLinks(ledger), found.doubts.marks, found.doubts.start, len(ledger), torn=torn_line(ledger)
    )
    return TimelineRows(replace(view, **changes), UNICODE)  # type: ignore[arg-type]  # any fields of the view


def plain(rows: TimelineRows | OperationRows, width: int) -> list[str]:
    """Draw every line as text."""
    return [rows.row(index, width).plain.rstrip() for index in range(len(rows))]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", sorted(SAMPLES.keys() - {"long"}))
def test_no_line_is_too_long(tmp_path: Path, name: str, width: int) -> None:
    """Whatever the row and the width, a line fits and ends a cell before the edge."""
    found = decided(tmp_path, name)
    operations = OperationRows(OperationView(found.inspection.ledger, found.operations), UNICODE)

    for line in (*plain(timeline_of(found), width), *plain(operations, width)):
        assert cell_len(line) < width


def test_columns_give_way_in_order(tmp_path: Path) -> None:
    """Link first, then duration, then time; the glyph and what can be shown of the summary never do."""
    rows = timeline_of(decided(tmp_path, "may_have_run"))

    def response(width: int) -> str:
        return plain(rows, width)[8]

    def call(width: int) -> str:
        return plain(rows, width)[10]

    assert response(65).split()[-2:] == ["#8", "14.2s"]
    assert response(55).split() == ["9", "│", "12:00:20.0", "response", "ok,", "exit", "0,", "6.4", "KB", "14.2s"]
    assert response(45).split() == ["9", "│", "resp", "ok,", "exit", "0,", "6.4", "KB", "14.2s"]
    assert response(33).split() == ["9", "│", "resp", "ok,", "exit", "0,", "6.4", "KB"]
    for width in WIDTHS:
        assert call(width).endswith("NO RESPONSE")
        assert "?" in call(width)
        assert "Bas" in call(width)


def content_of(row: Content | Parts) -> Content:
    """Return a row as content, however it is drawn."""
    return row.content if isinstance(row, Parts) else row


def test_the_strip_tells_windows_from_doubt(tmp_path: Path) -> None:
    """A settled call's window is heavy and muted, from the open call on it is red; the rows between are thin."""
    rows = timeline_of(decided(tmp_path, "may_have_run"))
    styles = {}
    for index in range(13):
        content = content_of(rows.row(index, 65))
        at = 4
        styles[index] = (content.plain[at], next(str(s.style) for s in content.spans if s.start <= at < s.end))

    assert [styles[i][0] for i in range(13)] == list("││┃│┃││┃││┃┃┃")
    assert {styles[i][1] for i in (2, 4, 7)} == {"$strip"}
    assert {styles[i][1] for i in (10, 11, 12)} == {"$doubt"}


def test_calm_doubt_is_not_red(tmp_path: Path) -> None:
    """Where the run may go on, nothing of its timeline is red."""
    found = decided(tmp_path, "may_have_run")
    rows = timeline_of(found, calm=True)

    styles = {str(span.style) for index in range(len(rows)) for span in content_of(rows.row(index, 65)).spans}
    assert not [style for style in styles if "doubt" in style]


def test_rows_that_do_not_count_are_labelled(tmp_path: Path) -> None:
    """Behind the damage rows have no number and say that they are not counted; the damaged row says where it is."""
    lines = plain(timeline_of(decided(tmp_path, "unreadable")), 100)

    assert lines[5].strip().startswith("══ end of the committed prefix: 5 events, ")
    assert lines[6].strip().startswith("! UNREADABLE  line 6, byte ")
    assert "$.content.kind" in lines[6]
    for line in lines[7:]:
        assert line.endswith("not counted")
        assert line[:5].strip() == ""


def test_every_line_has_a_name(tmp_path: Path) -> None:
    """Each line can be found again by its name, and leads to its row."""
    for name in ("may_have_run", "unreadable", "empty"):
        found = decided(tmp_path / name, name)
        rows = timeline_of(found)
        assert [rows.find(rows.key(index)) for index in range(len(rows))] == list(range(len(rows)))
        count = len(found.inspection.ledger.rows)
        assert [rows.row_of(rows.line_of(row)) for row in range(count)] == list(range(count))
        assert rows.find("nothing") is None


def test_hostile_words_are_drawn_safely(tmp_path: Path) -> None:
    """No control character of a ledger comes into a line, and no markup of it means anything."""
    found = decided(tmp_path, "hostile")
    operations = OperationRows(OperationView(found.inspection.ledger, found.operations), UNICODE)

    for line in (*plain(timeline_of(found), 200), *plain(operations, 200)):
        assert line.isprintable()
    assert "[bold]x[/bold] [@click=app.quit]q[/]" in plain(timeline_of(found), 200)[0]


@pytest.mark.parametrize("name", sorted(SAMPLES.keys() - {"long"}))
@pytest.mark.parametrize("width", range(40, 161, 20))
def test_the_verdict_is_never_cut(tmp_path: Path, name: str, width: int) -> None:
    """At any width the verdict and what to do are whole, and no line is too long."""
    SAMPLES[name](tmp_path)
    facts = verdict_facts(inspect(open_sample(tmp_path).ledger(), now_ms=NOW))
    shown = Shown(facts, WhatIf(3, 9, blocked=False))

    for low in (False, True):
        lines = list(_Layout(facts, shown, width, UNICODE, Style()).lines(low=low))
        said = " ".join(" ".join(line.plain for line in lines).split())
        assert all(line.cell_length <= width for line in lines)
        assert facts.directive in said
        assert ("MAY BE RUNNING" if facts.live else "REPLAY BLOCKED" if facts.blocked else "MAY BE REPLAYED") in said
        assert "WHAT-IF after event 3 of 9: would be" in said or width < 60


def test_layouts() -> None:
    """Side by side from a hundred columns on, docked from eighty if there are lines for it, else one by one."""
    assert layout_for(100, 10).wide
    assert layout_for(80, 24).docked
    assert layout_for(80, 19).single
    assert layout_for(79, 60).single
    assert [operations_height(lines, 30) for lines in (0, 6, 100)] == [3, 8, 12]


def test_paragraphs_are_wrapped_by_words() -> None:
    """Lines break between words and hang below the first; a word longer than the line is broken; nothing is lost."""
    said = "command  npm run deploy -- --prod and " + "x" * 50

    lines = [content.plain for content in wrapped(Line(Content(said), 9), 24)]

    assert lines[0] == "command  npm run deploy"
    assert all(line.startswith(" " * 9) for line in lines[1:])
    assert all(cell_len(line) <= 24 for line in lines)
    assert "".join("".join(lines).split()) == "".join(said.split())


def test_an_index_of_operations_is_enough_to_draw(tmp_path: Path) -> None:
    """The list of operations names groups and counts, and finds each operation again."""
    found = decided(tmp_path, "nested")
    ledger = found.inspection.ledger
    index = OperationIndex(ledger.tool_ledger, len(ledger))
    rows = OperationRows(OperationView(ledger, index), UNICODE)

    assert [line for line in plain(rows, 60) if "#" not in line] == ["unresolved 2", "nested, settled 1"]
    assert [rows.find(rows.key(line)) for line in range(len(rows))] == list(range(len(rows)))
    assert rows.skips(0)
    assert doubts_of(found.inspection, index).last_call == 4
