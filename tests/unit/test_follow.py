"""Following a run in files: what happens to them is said, and read once."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core import Pace, inspect
from core.storage.files import ReadOnlyFile
from tests.support.followed import NOW, append_rows, as_line, assert_fresh, open_run, picture, poll_now
from tests.support.runs import LEDGER_PATH, RUN, call, event, header, response, terminal, text
from tests.support.workspaces import make_run
from tests.torture.faults import failing_reads


def test_bytes_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look at a ledger of 5 MB that grew by a row reads that row and the two ends; else nothing is read."""
    make_run(tmp_path, [text(f"e{number}", "x" * 10_000) for number in range(500)])
    follower = open_run(tmp_path).follow()
    first = poll_now(follower)
    time.sleep(0.1)
    poll_now(follower)
    asked: list[int] = []
    read_at = ReadOnlyFile.read_at

    def counted(self: ReadOnlyFile, offset: int, size: int) -> bytes:
        asked.append(size)
        return read_at(self, offset, size)

    monkeypatch.setattr(ReadOnlyFile, "read_at", counted)
    assert poll_now(follower) is None
    assert not asked
    append_rows(tmp_path, call("e500", "t"))
    second = poll_now(follower)

    assert sum(asked) < 20_000
    assert first is not None
    assert second is not None
    assert (first.anew, second.anew) == (True, False)
    assert (len(first.ledger), len(second.ledger)) == (500, 501)
    follower.close()


def test_what_was_handed_out_stays_as_it_was(tmp_path: Path) -> None:
    """A ledger that is shown does not change under whoever shows it: not its length, its rows, or its decision."""
    make_run(tmp_path, [text("e1"), call("e2", "t")])
    follower = open_run(tmp_path).follow()
    first = poll_now(follower)
    assert first is not None
    before = picture(first.ledger)
    shown = inspect(first.ledger)
    append_rows(tmp_path, response("e3", "t"), terminal("e4"))
    second = poll_now(follower)

    assert second is not None
    assert picture(first.ledger) == before
    assert (shown.what_if, shown.terminal_index, shown.plan.blocked) == (False, None, True)
    assert inspect(second.ledger).terminal_index == 3
    assert not inspect(second.ledger).plan.blocked
    follower.close()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda path: os.truncate(path, 20), "cut by"),
        (lambda path: path.write_bytes(as_line(text("z")) * 9), "overwritten"),
        (lambda path: path.with_suffix(".new").rename(path), "replaced"),
        (lambda path: path.unlink(), "removed"),
        (lambda path: (path.parent / "run.json").write_text(json.dumps(header(turnId="other"))), "other ids"),
    ],
)
def test_what_happens_to_a_ledger_is_said(tmp_path: Path, change: Callable[[Path], object], said: str) -> None:
    """Cut, overwritten, replaced, removed, under another header: a sentence says it, and everything is read anew."""
    folder = make_run(tmp_path, [text("e1"), call("e2", "t")])
    (folder / "runtime-events.new").write_bytes(as_line(text("other")))
    follower = open_run(tmp_path).follow()
    poll_now(follower)
    change(tmp_path / LEDGER_PATH)

    news = poll_now(follower)

    assert news is not None
    assert news.anew
    assert said in news.said
    assert poll_now(follower) is None
    follower.close()


def test_a_row_that_is_taken_back_is_no_reason_to_read_anew(tmp_path: Path) -> None:
    """A writer that comes back cuts its torn row off and appends: what stood before is not read again."""
    make_run(tmp_path, [text("e1"), text("e2")], tail=b'{"id":"e3","ro')
    follower = open_run(tmp_path).follow()
    first = poll_now(follower)
    assert first is not None
    assert first.ledger.torn_tail is not None
    path = tmp_path / LEDGER_PATH
    os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
    append_rows(tmp_path, text("e3", "a longer row than the torn one was"))

    news = poll_now(follower)

    assert news is not None
    assert not news.anew
    assert news.ledger.torn_tail is None
    assert [event.id for event in news.ledger] == ["e1", "e2", "e3"]
    follower.close()


def test_a_last_row_without_its_line_feed_counts_once(tmp_path: Path) -> None:
    """A row is an event as soon as its document is whole; its line feed, when it comes, makes no second one of it."""
    make_run(tmp_path, [text("e1")])
    follower = open_run(tmp_path).follow()
    poll_now(follower)
    append_rows(tmp_path, tail=as_line(call("e2", "t"))[:-1])
    whole = poll_now(follower)
    append_rows(tmp_path, tail=b"\n" + as_line(text("e3")))

    news = poll_now(follower)

    assert whole is not None
    assert [event.id for event in whole.ledger] == ["e1", "e2"]
    assert news is not None
    assert not news.anew
    assert [event.id for event in news.ledger] == ["e1", "e2", "e3"]
    follower.close()


def test_a_last_row_that_goes_on_behind_its_end_is_read_anew(tmp_path: Path) -> None:
    """What was taken for an event turns out to be the beginning of a damaged row: that is said, and nothing kept."""
    make_run(tmp_path, [text("e1")], tail=as_line(call("e2", "t"))[:-1])
    follower = open_run(tmp_path).follow()
    poll_now(follower)
    append_rows(tmp_path, tail=b" x\n")

    news = assert_fresh(follower, tmp_path, None)

    assert (news.anew, news.said) == (True, "The last row went on behind its end: the ledger was read anew.")
    assert [event.id for event in news.ledger] == ["e1"]
    follower.close()


def test_what_stands_in_the_place_of_a_ledger_is_told_until_it_is_one(tmp_path: Path) -> None:
    """A folder there is no ledger: that is a remark, and no news until a file stands there."""
    path = make_run(tmp_path, []) / LEDGER_PATH.name
    path.unlink()
    follower = open_run(tmp_path).follow()
    poll_now(follower)
    path.mkdir()
    odd = poll_now(follower)
    quiet = poll_now(follower)
    path.rmdir()
    path.write_bytes(as_line(text("e1")))

    news = poll_now(follower)

    assert odd is not None
    assert [finding.code for finding in odd.ledger.findings] == ["ledger_unreadable"]
    assert odd.said == ""
    assert quiet is None
    assert news is not None
    assert news.said == "There is a ledger now."
    assert (news.ledger.findings, [event.id for event in news.ledger]) == ((), ["e1"])
    follower.close()


@pytest.mark.skipif(os.name == "nt", reason="reads are made to fail as POSIX has them")
def test_a_disk_that_fails_while_a_run_is_followed_is_told(tmp_path: Path) -> None:
    """Rows that can no longer be compared are not shown on: the reason is said, and the ledger is read anew."""
    make_run(tmp_path, [text("e1")])
    follower = open_run(tmp_path).follow()
    poll_now(follower)
    append_rows(tmp_path, text("e2"))

    with failing_reads(0):
        news = poll_now(follower)

    assert news is not None
    assert news.anew
    assert news.said.startswith("The ledger could not be read on: ")
    assert not news.ledger.readable
    assert [event.id for event in assert_fresh(follower, tmp_path, None).ledger] == ["e1", "e2"]
    follower.close()


def test_what_lies_beside_is_followed_too(tmp_path: Path) -> None:
    """Header, snapshots and relatives: each is news, without a row being read again."""
    folder = make_run(tmp_path, [call("e1", "t")])
    follower = open_run(tmp_path).follow()
    first = poll_now(follower)
    assert first is not None
    assert poll_now(follower) is None
    (folder / "run.json").write_text(json.dumps(header(status="failed")))
    headed = poll_now(follower)
    (folder / "runtime-partials").mkdir()
    snapshot = {"version": 1, "event": {**event("p1", partial=True), "content": {"kind": "text", "text": ""}}}
    (folder / "runtime-partials" / "m1.partial").write_text(json.dumps(snapshot) + "\nso far")
    streamed = poll_now(follower)
    source = {"sourceInvocationId": "i", "sourceRunId": RUN, "sourceTurnId": "t", "sourceRuntimeEventHighWater": 1}
    make_run(tmp_path, [], head=header(runId="run-2", continuationSource=source))
    continued = poll_now(follower)

    assert headed is not None
    assert headed.ledger.header is not None
    assert headed.ledger.header.status == "failed"
    assert streamed is not None
    assert [partial.text for partial in streamed.ledger.beside.partials()] == ["so far"]
    assert continued is not None
    assert continued.ledger.beside.continued_by() == ("run-2",)
    assert not any(news.anew for news in (headed, streamed, continued))
    assert continued.ledger.rows is first.ledger.rows
    follower.close()


def test_files_that_become_stale_say_so(tmp_path: Path) -> None:
    """A database that appears beside the files: from then on they are not what Maka reads."""
    make_run(tmp_path, [text("e1")])
    follower = open_run(tmp_path).follow()
    first = poll_now(follower)
    (tmp_path / "runtime.sqlite").touch()
    news = poll_now(follower)

    assert first is not None
    assert not first.ledger.stale
    assert news is not None
    assert news.ledger.stale
    follower.close()


def test_a_reading_that_was_stopped_goes_on(tmp_path: Path) -> None:
    """What the progress callback raises comes through, and the next look is right."""
    make_run(tmp_path, [text("e1")])
    follower = open_run(tmp_path).follow()
    poll_now(follower)
    append_rows(tmp_path, call("e2", "t"))

    def stop(_done: int, _size: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        follower.poll(time.time() * 1000, stop)
    assert_fresh(follower, tmp_path, None)
    follower.close()


def test_a_file_that_is_cut_while_it_is_read_on_is_read_anew(tmp_path: Path) -> None:
    """Rows that were read while the file was cut and grew again are not believed."""
    make_run(tmp_path, [text("e1")])
    path = tmp_path / LEDGER_PATH
    follower = open_run(tmp_path).follow()
    poll_now(follower)
    append_rows(tmp_path, *(text(f"e{number}", "x" * 5000) for number in range(2, 120)))
    done: list[int] = []

    def cut(size: int, _total: int) -> None:
        if not done:
            done.append(size)
            os.truncate(path, 300)
            append_rows(tmp_path, *(call(f"c{number}", f"t{number}", "y" * 5000) for number in range(120)))

    news = follower.poll(time.time() * 1000, cut)
    assert_fresh(follower, tmp_path, news)
    assert done
    follower.close()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="only Linux lists open files")
def test_one_file_is_open_whatever_happens(tmp_path: Path) -> None:
    """A ledger that is replaced again and again leaves no descriptor behind, and closing gives back the last one."""
    make_run(tmp_path, [text("e1")])
    path = tmp_path / LEDGER_PATH
    before = sum(1 for _ in Path("/proc/self/fd").iterdir())
    follower = open_run(tmp_path).follow()
    for number in range(20):
        path.with_suffix(".new").write_bytes(as_line(text(f"n{number}")) * 2)
        path.with_suffix(".new").replace(path)
        poll_now(follower)
    assert sum(1 for _ in Path("/proc/self/fd").iterdir()) - before <= 2
    follower.close()
    assert sum(1 for _ in Path("/proc/self/fd").iterdir()) == before


def test_the_pace_is_quick_while_something_happens_and_slow_while_nothing_does() -> None:
    """From a quarter of a second to two seconds, and never more than a tenth of the time for looking."""
    pace = Pace()
    waits = []
    for _ in range(8):
        waits.append(pace.wait)
        pace = pace.after(changed=False, cost=0.001)
    assert waits[0] == 0.25
    assert waits == sorted(waits)
    assert waits[-1] == 2.0
    assert pace.after(changed=True, cost=0.001).wait == 0.25
    assert pace.after(changed=True, cost=1.0).wait == 9.0


@pytest.mark.skipif(os.name == "nt", reason="reads are made to fail as POSIX has them")
def test_no_row_is_torn_where_reading_stopped(tmp_path: Path) -> None:
    """Of a row that the disk did not give to its end nothing is shown: it is neither torn nor a row yet."""
    make_run(tmp_path, [text("e1"), text("long", "y" * 900_000)])
    stopped = 0
    for first in range(8):
        follower = open_run(tmp_path).follow()
        with failing_reads(first):
            news = follower.poll(NOW)
        assert news is not None
        found = [finding.code for finding in news.ledger.findings]
        stopped += "ledger_unreadable" in found
        assert "torn_tail" not in found
        assert all(row.finding is None for row in news.ledger.rows)
        follower.close()
    assert stopped
