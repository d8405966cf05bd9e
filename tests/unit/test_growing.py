"""What a screen keeps of a ledger that grows: read on, it is what reading everything gives."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import (
    ROW_FIELDS,
    EventLinks,
    StreamLines,
    flip_after,
    matching_rows,
    matching_rows_since,
    open_workspace,
    parse_filter,
    partial_lines,
)
from tests.support.runs import LEDGER_PATH, call, delta, dispatch, response, text
from tests.support.workspaces import make_run
from tests.unit.test_event_links import asked, decided

FILTERS = [parse_filter(words, ROW_FIELDS) for words in ("kind:call", "tool:Bash", "!kind:call", "hello", "ok !e1")]


def _rows(kinds: list[str]) -> list[dict[str, Any]]:
    """Return rows of the kinds, each about the last call before it."""
    rows: list[dict[str, Any]] = []
    last = 0
    for number, kind in enumerate(kinds):
        name = f"e{number}"
        last = number if kind == "call" else last
        rows.append(
            {
                "text": text(name, f"hello {number}"),
                "call": call(name, f"t{last}"),
                "response": response(name, f"t{last}", "ok"),
                "dispatch": dispatch(name, f"t{last}", f"op-{last}"),
                "asked": asked(name, f"t{last}", f"r{last}"),
                "decided": decided(name, f"r{last}"),
            }[kind]
        )
    return rows


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["text", "call", "response", "dispatch", "asked", "decided"]), max_size=14), st.data())
def test_links_and_filters_that_are_read_on_are_those_of_the_whole(kinds: list[str], data: st.DataObject) -> None:
    """Wherever a ledger was cut when it was read first, its links and what a filter keeps come out the same."""
    rows = _rows(kinds)
    cut = data.draw(st.integers(0, len(rows)))
    with tempfile.TemporaryDirectory() as folder:
        make_run(Path(folder), rows[:cut])
        follower = open_workspace(folder).runs()[0].follow()
        first = follower.poll(time.time() * 1000)
        assert first is not None
        links = EventLinks(first.ledger)
        links.complete()
        kept = [matching_rows(first.ledger, chosen) for chosen in FILTERS]
        with (Path(folder) / LEDGER_PATH).open("a") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows[cut:])
        second = follower.poll(time.time() * 1000) or first
        whole = EventLinks(second.ledger)
        whole.complete()
        grown = EventLinks(second.ledger, links)

        numbers = range(len(rows))
        assert [*map(grown.number, numbers)] == [*map(whole.number, numbers)]
        for chosen, before in zip(FILTERS, kept, strict=True):
            assert matching_rows_since(second.ledger, chosen, before, cut) == matching_rows(second.ledger, chosen)
        follower.close()


def test_a_filter_by_status_must_look_at_everything_again(tmp_path: Path) -> None:
    """A response makes another thing of the call before it."""
    make_run(tmp_path, _rows(["call", "response"]))
    ledger = open_workspace(tmp_path).runs()[0].ledger()

    assert matching_rows_since(ledger, parse_filter("status:failed", ROW_FIELDS), [], 1) is None


def test_streams_are_shown_until_their_last_row_comes(tmp_path: Path) -> None:
    """The lines are those of `partial_lines`, and no event is read twice for them."""
    folder = make_run(tmp_path, [text("e1")]) / "runtime-partials"
    folder.mkdir()
    first = {"version": 1, "event": delta("p1", "")}
    (folder / "m1.partial").write_text(json.dumps(first) + "\nso far")
    follower = open_workspace(tmp_path).runs()[0].follow()
    lines = StreamLines()
    news = follower.poll(time.time() * 1000)
    assert news is not None
    assert lines.of(news.ledger) == partial_lines(news.ledger)
    assert len(lines.of(news.ledger)) == 1
    final = text("e2", "so far and on", role="model", author="agent", refs={"providerEventId": "m1"})
    with (tmp_path / LEDGER_PATH).open("a") as file:
        file.write(json.dumps(final) + "\n")

    news = follower.poll(time.time() * 1000)

    assert news is not None
    assert lines.of(news.ledger) == partial_lines(news.ledger) == ()
    follower.close()


@pytest.mark.parametrize(("length", "flip"), [(3, None), (4, 4), (None, 4)])
def test_no_flip_is_found_behind_the_end_of_what_is_shown(length: int | None, flip: int | None) -> None:
    """The fold may have taken more events already than the ledger that is shown."""
    assert flip_after(bytearray([0, 0, 0, 1, 1]), 1, length) == flip
