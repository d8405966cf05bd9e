"""Rows that are handed over while a run is read are the first rows of what is read, or are taken back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core import CoreError, Helper, Ledger, RowIndex, RowsSoFar, Run, open_workspace
from core.apart.handover import Afresh, Growing, Grown, Piece, Rest, Taking, hand_over
from core.apart.recipe import recipe_of
from tests.support.run_samples import SAMPLES, open_sample
from tests.support.runs import text
from tests.support.slow import hold, write_slow_run
from tests.support.twins import as_database
from viewer.loading import LONG_SECONDS, WhileLong
from viewer.reading_apart import Helpers

TORN = b'{"id":"half","invocat'
REPEATED = json.dumps(text("u0", "an id that is there already")).encode() + b"\n"


@pytest.fixture
def helper() -> Iterator[Helper]:
    """Give a process that reads."""
    made = Helper()
    yield made
    made.close()


def holding(helper: Helper, *, twice: bool = False) -> Callable[[int, int], None]:
    """Hear of progress, and hold the process at its first, perhaps later again: rows are handed over after either."""
    heard: list[int] = []

    def progress(done: int, total: int) -> None:
        heard.append(done)
        if len(heard) == 1 or (twice and len(heard) == 3):
            hold(helper.pid)

    return progress


def only_run(root: Path) -> Run:
    """Open the one run of a state root."""
    return open_workspace(root).runs()[0]


def columns(rows: RowIndex, count: int) -> list[bytes]:
    """Give what is known of the first rows."""
    return [bytes(getattr(rows, name)[:count]) for name in ("kinds", "offsets", "lengths", "times")]


def as_document(ledger: Ledger) -> tuple[object, ...]:
    """Give all that a ledger holds beside its fold."""
    rows = ledger.rows
    facts = (ledger.findings, ledger.readable, ledger.size, ledger.header, len(ledger))
    return (*facts, columns(rows, len(rows)), rows.findings, list(ledger.tool_ledger.blocked_after))


@pytest.mark.parametrize(
    ("damaged", "tail"),
    [(None, b""), (None, TORN), (7_500, b""), (7_500, TORN), (None, REPEATED)],
    ids=["sound", "torn", "bad", "both", "repeated"],
)
def test_they_are_the_first_rows(tmp_path: Path, helper: Helper, damaged: int | None, tail: bytes) -> None:
    """More and more rows come, each of them committed and read as it is in the end; nothing behind a bad one does."""
    write_slow_run(tmp_path, damaged=damaged, tail=tail)
    run = only_run(tmp_path)
    heard: list[tuple[int, float, list[bytes]]] = []
    read = []

    def so_far(rows: RowsSoFar | None) -> None:
        assert rows is not None
        heard.append((len(rows), rows.share, columns(rows.rows, len(rows))))
        read.append(rows.event_at(rows.rows[len(rows) - 1]))

    ledger, links = helper.read(run, holding(helper, twice=True), so_far)
    assert heard
    counts, shares = [count for count, _, _ in heard], [share for _, share, _ in heard]
    assert counts == sorted(set(counts)), "only more rows are told of"
    assert 0 < min(shares) < max(shares) <= 1
    assert shares == sorted(shares) or tail == REPEATED, "a repeated id makes it begin again"
    assert counts[-1] <= len(ledger) <= (12_000 if damaged is None else damaged)
    assert [first for _, _, first in heard] == [columns(ledger.rows, count) for count in counts]
    assert read == [ledger[count - 1] for count in counts]

    own = run.again().ledger()
    assert as_document(ledger) == as_document(own)
    assert len(links.numbers) == len(own)
    for one in (ledger, own):
        one.close()


def read_with_trouble(run: Run, trouble: Callable[[Helper], None]) -> tuple[Ledger, list[int | None]]:
    """Read a run by a helper that gets into trouble as soon as rows are there."""
    helper = Helper()
    told: list[int | None] = []

    def so_far(rows: RowsSoFar | None) -> None:
        if not told:
            trouble(helper)
        told.append(None if rows is None else len(rows))

    ledger, _ = Helpers(helper).read(run, holding(helper), so_far)
    return ledger, told


def test_where_the_process_dies_they_are_taken_back(tmp_path: Path) -> None:
    """Rows of a reading that came to no end are none; what is read then is all there is to say."""
    write_slow_run(tmp_path, tail=TORN)
    run = only_run(tmp_path)
    ledger, told = read_with_trouble(run, lambda helper: helper.close())
    assert told[0]
    assert told[-1] is None
    assert as_document(ledger) == as_document(run.again().ledger())


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be replaced there")
def test_where_the_ledger_is_replaced_they_are_taken_back(tmp_path: Path) -> None:
    """Rows of one file are not left beside the finding on another."""
    path = write_slow_run(tmp_path)

    def replace_it(_helper: Helper) -> None:
        lines = path.read_bytes().splitlines(keepends=True)
        (tmp_path / "other").write_bytes(b"".join(lines[3:300]))
        (tmp_path / "other").replace(path)

    run = only_run(tmp_path)
    ledger, told = read_with_trouble(run, replace_it)
    assert told[-1] is None
    assert len(ledger) == 297
    assert as_document(ledger) == as_document(run.again().ledger())


@pytest.mark.skipif(os.name == "nt", reason="a file that is read cannot be cut there")
def test_where_the_ledger_is_cut_the_finding_says_so(tmp_path: Path) -> None:
    """A file that is cut while it is read is unreadable in the end; rows that can no longer be read say so."""
    path = write_slow_run(tmp_path)
    shown: list[RowsSoFar] = []
    helper = Helper()

    def so_far(rows: RowsSoFar | None) -> None:
        if rows is not None and not shown:
            shown.append(rows)
            os.truncate(path, 1_000)

    ledger, _ = Helpers(helper).read(only_run(tmp_path), holding(helper), so_far)
    assert not ledger.readable
    assert {"ledger_unreadable"} <= {finding.code for finding in ledger.findings}
    with pytest.raises(CoreError, match="cut"):
        shown[0].event_at(shown[0].rows[len(shown[0]) - 1])
    ledger.close()


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(("steps", "other"), [(1, False), (7, False), (7, True)])
def test_in_pieces_it_is_the_same_ledger(tmp_path: Path, name: str, steps: int, other: bool) -> None:
    """However far the reading was when rows were handed over, what is put together in the end is what was read."""
    SAMPLES[name](tmp_path)
    run = open_sample(tmp_path)
    ledger = run.ledger()
    growing, taking = Growing(), Taking(ledger.source, str(ledger.path))
    for end in range(0, len(ledger) + 1, steps):
        fill(growing.rows, ledger.rows, end)
        for part in growing.parts(end, len(ledger) or 1):
            if isinstance(part, Piece):
                taking.add(part)
            elif isinstance(part, Grown):
                assert columns(taking.grown(part).rows, end) == columns(ledger.rows, end)

    # It is another index: what was handed over stands as far as it is the same.
    if other and growing.count:
        growing.rows.offsets[0] += 1
    parts = list(hand_over(ledger, (ledger.header, ()), growing))
    assert isinstance(parts[0], Afresh) == (other and growing.count > 0)
    for part in parts:
        if isinstance(part, Piece):
            taking.add(part)
        elif isinstance(part, Afresh):
            taking.afresh()
    rest = parts[-1]
    assert isinstance(rest, Rest)
    assert as_document(taking.finish(run, rest)[0]) == as_document(run.again().ledger())


@pytest.mark.parametrize("name", ["files", "copy"])
def test_every_way_to_find_a_run_hands_rows_over(tmp_path: Path, name: str) -> None:
    """Of files and of a database alike, the rows that were handed over at any time are the first ones in the end."""
    files, copy = tmp_path / "files", tmp_path / "copy"
    SAMPLES["long"](files)
    as_database(files, copy / "runtime.sqlite")
    with open_workspace(tmp_path / name) as workspace:
        run = workspace.runs()[0]
        recipe, own = recipe_of(run), run.ledger()
        assert recipe is not None
        growing, taking, seen = Growing(), Taking(own.source, str(own.path)), []

        def progress(done: int, total: int) -> None:
            for part in growing.parts(done, total):
                if isinstance(part, Piece):
                    taking.add(part)
                elif isinstance(part, Grown):
                    so_far = taking.grown(part)
                    seen.append(len(so_far))
                    assert so_far.event_at(so_far.rows[len(so_far) - 1]) == own[len(so_far) - 1]

        parts = list(recipe.parts(progress, growing))
        for part in parts:
            assert not isinstance(part, Afresh)
            if isinstance(part, Piece):
                taking.add(part)
        rest = parts[-1]
        assert isinstance(rest, Rest)
        assert as_document(taking.finish(run, rest)[0]) == as_document(own)
    assert seen


def fill(rows: RowIndex, of: RowIndex, end: int) -> None:
    """Let an index grow to the first rows of another one."""
    for index in range(len(rows), end):
        rows.append(of[index].kind, of.offsets[index], of.lengths[index], of.times[index])


def test_a_short_reading_shows_none() -> None:
    """What is done soon shows no rows; what takes its time shows them, and takes them back where it must."""
    now, heard = [0.0], []
    rows = {share: RowsSoFar(RowIndex(), 1, None, "", share) for share in (0.1, 0.4, 0.6, 0.9)}  # type: ignore[arg-type]  # no row of it is read
    hears = WhileLong(heard.append, lambda: now[0])
    hears(rows[0.1])
    hears(None)
    now[0] = LONG_SECONDS
    hears(rows[0.6])
    assert heard == [], "it is too early, or nearly done"
    hears(rows[0.4])
    hears(rows[0.9])
    hears(None)
    hears(None)
    assert heard == [rows[0.4], rows[0.9], None]
