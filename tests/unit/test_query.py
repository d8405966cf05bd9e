"""Filters and search: what they keep, how they say it, and what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core import (
    Ledger,
    RequestError,
    locate,
    matching_row_batches,
    matching_rows,
    matching_runs,
    open_workspace,
    parse_filter,
    search,
    triage,
)
from core.inspection.query import RUN_FIELDS
from core.inspection.search import Pattern
from tests.support.runs import call, event, response, text
from tests.support.workspaces import make_run

NOON = 1_795_953_600_000
"""2026-11-29 12:00 UTC, milliseconds since 1970."""

ROWS: list[dict[str, Any]] = [
    text("evt-1", "Deploy the fix", ts=NOON),
    call("evt-2", "t1", {"command": "npm test"}, ts=NOON + 1_000),
    response("evt-3", "t1", {"exitCode": 0, "out": 'say "hi"\nübrig'}, ts=NOON + 15_000),
    call("evt-4", "t2", {"command": "npm run deploy"}, ts=NOON + 20_000),
    event("evt-5", role="system", author="system", ts=NOON + 21_000, actions={
        "permissionDecision": {"requestId": "r", "decision": "allow"}
    }),
]  # fmt: skip


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """Return a ledger of five rows."""
    make_run(tmp_path, ROWS)
    return open_workspace(tmp_path).runs()[0].ledger()


@pytest.mark.parametrize(
    ("written", "kept", "said"),
    [
        ("", [0, 1, 2, 3, 4], "everything"),
        ("kind:user", [0], "kind is user"),
        ("kind:resp", [1, 2], "kind is response"),
        ("kind:tex", [], "kind is text"),
        ("kind:response", [1, 2], "kind is response"),
        ("!kind:call !kind:response", [0, 4], "kind is not call, kind is not response"),
        ("status:indeterminate", [3], "status is indeterminate"),
        ("status:succeeded", [1, 2], "status is succeeded"),
        ("tool:bash", [1, 2, 3], "tool is bash"),
        ("!tool:Bash", [0, 4], "tool is not Bash"),
        ('"npm run"', [3], "containing “npm run”"),
        ("text:deploy !kind:call", [0], "containing “deploy”, kind is not call"),
        ("Npm", [], "containing “Npm”"),
    ],
)
def test_a_filter_keeps_what_it_says(ledger: Ledger, written: str, kept: list[int], said: str) -> None:
    """A filter keeps the rows that hold every word, with the other half of each kept call, and describes itself."""
    chosen = parse_filter(written)

    assert matching_rows(ledger, chosen) == kept
    assert chosen.description == said


@pytest.mark.parametrize("written", ["kind:nothing", "kind:t", "status:done", "kind:", "tool:"])
def test_a_filter_that_cannot_be_understood_says_why(written: str) -> None:
    """A word that names no kind or status is refused with the choices, not read as an empty result."""
    with pytest.raises(RequestError) as caught:
        parse_filter(written)

    assert caught.value.hint


@pytest.mark.parametrize(
    ("pattern", "hits"),
    [
        ("npm", [1, 3]),
        ('say "hi"', [2]),
        ("ÜBRIG", []),
        ("übrig", [2]),
        ("exit 0", [2]),
        ("allowed by user", [4]),
        ("evt-", [0, 1, 2, 3, 4]),
        ("", []),
        ("[a-z", []),
    ],
)
def test_search_looks_at_what_is_shown_and_at_the_raw_json(ledger: Ledger, pattern: str, hits: list[int]) -> None:
    """A hit is a row whose line or whose JSON holds the text; upper case in the pattern makes case count."""
    assert list(search(ledger, Pattern(pattern))) == hits


@pytest.mark.parametrize(
    ("place", "index"),
    [
        ("1", 0),
        ("#4", 3),
        ("evt-3", 2),
        ("12:00:15", 2),
        ("12:00", 0),
        ("11:59", 0),
        ("2026-11-29 12:00:16", 3),
        ("2026-11-29T13:00:15+01:00", 2),
    ],
)
def test_a_place_is_found_by_number_id_or_time(ledger: Ledger, place: str, index: int) -> None:
    """Numbers, ids, beginnings of ids and times lead to the row that a person means."""
    assert locate(ledger, place) == index


@pytest.mark.parametrize("place", ["0", "6", "#99", "nowhere", "", "12:30", "2027-01-01", "25:99"])
def test_a_place_that_is_not_there_is_said(ledger: Ledger, place: str) -> None:
    """A place that the ledger does not have is refused, not rounded to the nearest."""
    with pytest.raises(RequestError):
        locate(ledger, place)


def test_a_beginning_of_several_ids_is_no_place(ledger: Ledger) -> None:
    """Where several ids begin alike nobody knows which is meant: some of them are named, none is taken."""
    with pytest.raises(RequestError, match="several events begin with evt: evt-1, evt-2, evt-3"):
        locate(ledger, "evt")


def test_runs_are_filtered_by_verdict_and_text(tmp_path: Path) -> None:
    """A list of runs can be narrowed by verdict and by any word that it shows."""
    make_run(tmp_path, ROWS)
    summaries = list(triage(open_workspace(tmp_path)))

    def kept(written: str) -> int:
        return len(matching_runs(summaries, parse_filter(written, RUN_FIELDS)))

    assert kept("verdict:may_have_run") == 1
    assert kept("verdict:replayable") == 0
    assert kept("!verdict:replayable deploy") == 1
    assert kept("elsewhere") == 0


def test_a_filter_streams_what_it_keeps(tmp_path: Path) -> None:
    """Rows come while they are found, none twice, and the other half of a kept call comes with it."""
    rows = [text("first", ts=NOON)]
    for number in range(2000):
        rows += [call(f"c{number}", f"t{number}", {"n": number}), response(f"r{number}", f"t{number}", f"out {number}")]
    make_run(tmp_path, rows)
    ledger = open_workspace(tmp_path).runs()[0].ledger()
    chosen = parse_filter("kind:response !text:1999")

    batches = list(matching_row_batches(ledger, chosen))

    rows_kept = [row for batch in batches for row in batch]
    assert len(batches) > 1
    assert len(rows_kept) == len(set(rows_kept)) == 2 * 1999
    assert all(batch == sorted(batch) for batch in batches)
    assert matching_rows(ledger, chosen) == sorted(rows_kept)


def test_a_filter_stops_when_told(ledger: Ledger) -> None:
    """A scan that nobody waits for any longer ends."""
    assert list(matching_row_batches(ledger, parse_filter("kind:call"), lambda: True)) == []


def test_a_filter_says_how_much_it_keeps() -> None:
    """The result names the filter, most of all where nothing is left."""
    chosen = parse_filter("kind:call")

    assert chosen.result(5, 13) == "5 of 13 rows kept: kind is call"
    assert chosen.result(5, 1300, done=False) == "5+ of 1,300 rows kept: kind is call"
    assert chosen.result(0, 13, "runs") == "none of 13 runs is kept: kind is call"


def test_a_search_begins_where_one_stands(ledger: Ledger) -> None:
    """The rows from the place on come first, then those before it; every hit comes once."""
    assert list(search(ledger, Pattern("npm"), start=2)) == [3, 1]
    assert list(search(ledger, Pattern("npm"), start=3)) == [3, 1]
    assert list(search(ledger, Pattern("npm"), start=99)) == [1, 3]


def test_a_search_stops_when_told(ledger: Ledger) -> None:
    """A scan that nobody waits for any longer ends."""
    assert list(search(ledger, Pattern("npm"), lambda: True)) == []


@pytest.mark.parametrize(
    ("pattern", "text", "spans"),
    [
        ("npm", "NPM run npm", [(0, 3), (8, 11)]),
        ("Npm", "npm Npm", [(4, 7)]),
        ("", "x", []),
        ("a.b", "axb a.b", [(4, 7)]),
    ],
)
def test_a_pattern_shows_where_it_stands(pattern: str, text: str, spans: list[tuple[int, int]]) -> None:
    """The places in a text can be marked; the pattern is plain text, not an expression."""
    assert list(Pattern(pattern).spans(text)) == spans
