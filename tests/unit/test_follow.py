"""Following a run in files: whatever happens to its files, what the follower shows is what a fresh reading finds."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Ledger, Pace, Run, RunFollower, RunNews, inspect, open_workspace
from core.storage.files import ReadOnlyFile
from tests.support.runs import LEDGER_PATH, RUN, call, event, header, response, terminal, text
from tests.support.workspaces import make_run
from tests.torture.faults import failing_reads

NOW = 2e12


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, separators=(",", ":")).encode() + b"\n"


def _open(root: Path) -> Run:
    return open_workspace(root).runs()[0]


def _picture(ledger: Ledger) -> dict[str, Any]:
    """Everything that a reader can see of a ledger."""
    return {
        "rows": list(ledger.rows),
        "findings": list(ledger.findings),
        "header": ledger.header,
        "size": ledger.size,
        "events": [event.id for event in ledger],
        "plan": inspect(ledger, now_ms=NOW).plan.as_document(),
        "verdict": inspect(ledger, now_ms=NOW).verdict,
        "shape": inspect(ledger).committed_prefix,
    }


def _assert_fresh(follower: RunFollower, root: Path, last: RunNews | None) -> RunNews:
    news = follower.poll(time.time() * 1000) or last
    assert news is not None
    fresh = _open(root).ledger()
    assert _picture(news.ledger) == _picture(fresh)
    fresh.close()
    return news


ROWS = st.sampled_from(["text", "call", "response", "bad", "blank", "foreign"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), ROWS),
        st.tuples(st.just("append without line feed"), ROWS),
        st.tuples(st.just("line feed"), st.none()),
        st.tuples(st.just("tear"), st.integers(1, 200)),
        st.tuples(st.just("garbage"), st.binary(min_size=1, max_size=6)),
        st.tuples(st.just("cut"), st.integers(0, 400)),
        st.tuples(st.just("cut to the last row"), st.none()),
        st.tuples(st.just("cut and append"), st.integers(0, 400)),
        st.tuples(st.just("flip"), st.integers(0, 3000)),
        st.tuples(st.just("replace"), st.none()),
        st.tuples(st.just("rewrite"), ROWS),
        st.tuples(st.just("remove"), st.none()),
        st.tuples(st.just("header"), st.sampled_from(["completed", "running", "gone", "foreign", "broken"])),
        st.tuples(st.just("look"), st.none()),
    ),
    max_size=25,
)


class _Writer:
    """Does to the files of one run what a list of steps says."""

    def __init__(self, root: Path) -> None:
        self.folder = make_run(root, [])
        self.ledger = root / LEDGER_PATH
        self.count = 0

    def row(self, kind: str) -> bytes:
        self.count += 1
        name = f"e{self.count}"
        rows = {
            "text": lambda: _line(text(name, "naïve ☃")),
            "call": lambda: _line(call(name, f"t{self.count}", {"command": "ls"})),
            "response": lambda: _line(response(name, f"t{self.count - 1}")),
            "bad": lambda: b'{"id":"%d",\n' % self.count,
            "blank": lambda: b" \t\n",
            "foreign": lambda: _line(text(name, runId="other")),
        }
        return rows[kind]()

    def do(self, step: str, what: Any) -> None:
        method = getattr(self, "_" + step.replace(" ", "_"))
        method(what)

    def _write(self, payload: bytes) -> None:
        with self.ledger.open("ab") as file:
            file.write(payload)

    def _append(self, kind: str) -> None:
        self._write(self.row(kind))

    def _append_without_line_feed(self, kind: str) -> None:
        self._write(self.row(kind)[:-1])

    def _line_feed(self, _: None) -> None:
        self._write(b"\n")

    def _tear(self, size: int) -> None:
        self._write(self.row("call")[:size])

    def _garbage(self, payload: bytes) -> None:
        self._write(payload)

    def _cut(self, size: int) -> None:
        if self.ledger.exists():
            os.truncate(self.ledger, max(0, self.ledger.stat().st_size - size))

    def _cut_to_the_last_row(self, _: None) -> None:
        if self.ledger.exists():
            os.truncate(self.ledger, self.ledger.read_bytes().rfind(b"\n") + 1)

    def _cut_and_append(self, size: int) -> None:
        self._cut(size)
        for _ in range(3):
            self._append("text")

    def _flip(self, place: int) -> None:
        if self.ledger.exists() and (payload := bytearray(self.ledger.read_bytes())):
            payload[place % len(payload)] ^= 1
            with self.ledger.open("r+b") as file:
                file.write(payload)

    def _replace(self, _: None) -> None:
        other = self.ledger.with_suffix(".new")
        other.write_bytes(self.row("text") + self.row("call"))
        other.replace(self.ledger)

    def _rewrite(self, kind: str) -> None:
        self.ledger.write_bytes(b"".join(self.row(kind) for _ in range(4)))

    def _remove(self, _: None) -> None:
        self.ledger.unlink(missing_ok=True)

    def _header(self, what: str) -> None:
        path = self.folder / "run.json"
        path.unlink(missing_ok=True)
        if what == "broken":
            path.write_text("{")
        elif what == "foreign":
            path.write_text(json.dumps(header(turnId="other")))
        elif what != "gone":
            path.write_text(json.dumps(header(status=what)))


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_what_is_followed_is_what_a_fresh_reading_finds(steps: list[tuple[str, Any]]) -> None:
    """After any sequence of appends, tears, cuts, rewritings, replacements and headers, seen in any portions."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        writer = _Writer(root)
        follower = _open(root).follow()
        news = _assert_fresh(follower, root, None)
        for step, what in steps:
            if step == "look":
                news = _assert_fresh(follower, root, news)
            else:
                writer.do(step, what)
        _assert_fresh(follower, root, news)
        follower.close()


def _written(root: Path, *rows: dict[str, Any], tail: bytes = b"") -> Path:
    with (root / LEDGER_PATH).open("ab") as file:
        file.write(b"".join(map(_line, rows)) + tail)
    return root / LEDGER_PATH


def _poll(follower: RunFollower) -> RunNews | None:
    return follower.poll(time.time() * 1000)


def test_bytes_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look at a ledger of 5 MB that grew by a row reads that row and the two ends; else nothing is read."""
    make_run(tmp_path, [text(f"e{number}", "x" * 10_000) for number in range(500)])
    follower = _open(tmp_path).follow()
    first = _poll(follower)
    time.sleep(0.1)
    _poll(follower)
    asked: list[int] = []
    read_at = ReadOnlyFile.read_at

    def counted(self: ReadOnlyFile, offset: int, size: int) -> bytes:
        asked.append(size)
        return read_at(self, offset, size)

    monkeypatch.setattr(ReadOnlyFile, "read_at", counted)
    assert _poll(follower) is None
    assert not asked
    _written(tmp_path, call("e500", "t"))
    second = _poll(follower)

    assert sum(asked) < 20_000
    assert first is not None
    assert second is not None
    assert (first.anew, second.anew) == (True, False)
    assert (len(first.ledger), len(second.ledger)) == (500, 501)
    follower.close()


def test_what_was_handed_out_stays_as_it_was(tmp_path: Path) -> None:
    """A ledger that is shown does not change under whoever shows it: not its length, its rows, or its decision."""
    make_run(tmp_path, [text("e1"), call("e2", "t")])
    follower = _open(tmp_path).follow()
    first = _poll(follower)
    assert first is not None
    before = _picture(first.ledger)
    shown = inspect(first.ledger)
    _written(tmp_path, response("e3", "t"), terminal("e4"))
    second = _poll(follower)

    assert second is not None
    assert _picture(first.ledger) == before
    assert (shown.what_if, shown.terminal_index, shown.plan.blocked) == (False, None, True)
    assert inspect(second.ledger).terminal_index == 3
    assert not inspect(second.ledger).plan.blocked
    follower.close()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda path: os.truncate(path, 20), "cut by"),
        (lambda path: path.write_bytes(_line(text("z")) * 9), "overwritten"),
        (lambda path: path.with_suffix(".new").rename(path), "replaced"),
        (lambda path: path.unlink(), "removed"),
        (lambda path: (path.parent / "run.json").write_text(json.dumps(header(turnId="other"))), "other ids"),
    ],
)
def test_what_happens_to_a_ledger_is_said(tmp_path: Path, change: Callable[[Path], object], said: str) -> None:
    """Cut, overwritten, replaced, removed, under another header: a sentence says it, and everything is read anew."""
    folder = make_run(tmp_path, [text("e1"), call("e2", "t")])
    (folder / "runtime-events.new").write_bytes(_line(text("other")))
    follower = _open(tmp_path).follow()
    _poll(follower)
    change(tmp_path / LEDGER_PATH)

    news = _poll(follower)

    assert news is not None
    assert news.anew
    assert said in news.said
    assert _poll(follower) is None
    follower.close()


def test_a_row_that_is_taken_back_is_no_reason_to_read_anew(tmp_path: Path) -> None:
    """A writer that comes back cuts its torn row off and appends: what stood before is not read again."""
    make_run(tmp_path, [text("e1"), text("e2")], tail=b'{"id":"e3","ro')
    follower = _open(tmp_path).follow()
    first = _poll(follower)
    assert first is not None
    assert first.ledger.torn_tail is not None
    path = tmp_path / LEDGER_PATH
    os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
    _written(tmp_path, text("e3", "a longer row than the torn one was"))

    news = _poll(follower)

    assert news is not None
    assert not news.anew
    assert news.ledger.torn_tail is None
    assert [event.id for event in news.ledger] == ["e1", "e2", "e3"]
    follower.close()


def test_a_last_row_without_its_line_feed_counts_once(tmp_path: Path) -> None:
    """A row is an event as soon as its document is whole; its line feed, when it comes, makes no second one of it."""
    make_run(tmp_path, [text("e1")])
    follower = _open(tmp_path).follow()
    _poll(follower)
    _written(tmp_path, tail=_line(call("e2", "t"))[:-1])
    whole = _poll(follower)
    _written(tmp_path, tail=b"\n" + _line(text("e3")))

    news = _poll(follower)

    assert whole is not None
    assert [event.id for event in whole.ledger] == ["e1", "e2"]
    assert news is not None
    assert not news.anew
    assert [event.id for event in news.ledger] == ["e1", "e2", "e3"]
    follower.close()


def test_a_last_row_that_goes_on_behind_its_end_is_read_anew(tmp_path: Path) -> None:
    """What was taken for an event turns out to be the beginning of a damaged row: that is said, and nothing kept."""
    make_run(tmp_path, [text("e1")], tail=_line(call("e2", "t"))[:-1])
    follower = _open(tmp_path).follow()
    _poll(follower)
    _written(tmp_path, tail=b" x\n")

    news = _assert_fresh(follower, tmp_path, None)

    assert (news.anew, news.said) == (True, "The last row went on behind its end: the ledger was read anew.")
    assert [event.id for event in news.ledger] == ["e1"]
    follower.close()


def test_what_stands_in_the_place_of_a_ledger_is_told_until_it_is_one(tmp_path: Path) -> None:
    """A folder there is no ledger: that is a remark, and no news until a file stands there."""
    path = make_run(tmp_path, []) / LEDGER_PATH.name
    path.unlink()
    follower = _open(tmp_path).follow()
    _poll(follower)
    path.mkdir()
    odd = _poll(follower)
    quiet = _poll(follower)
    path.rmdir()
    path.write_bytes(_line(text("e1")))

    news = _poll(follower)

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
    follower = _open(tmp_path).follow()
    _poll(follower)
    _written(tmp_path, text("e2"))

    with failing_reads(0):
        news = _poll(follower)

    assert news is not None
    assert news.anew
    assert news.said.startswith("The ledger could not be read on: ")
    assert not news.ledger.readable
    assert [event.id for event in _assert_fresh(follower, tmp_path, None).ledger] == ["e1", "e2"]
    follower.close()


def test_what_lies_beside_is_followed_too(tmp_path: Path) -> None:
    """Header, snapshots and relatives: each is news, without a row being read again."""
    folder = make_run(tmp_path, [call("e1", "t")])
    follower = _open(tmp_path).follow()
    first = _poll(follower)
    assert first is not None
    assert _poll(follower) is None
    (folder / "run.json").write_text(json.dumps(header(status="failed")))
    headed = _poll(follower)
    (folder / "runtime-partials").mkdir()
    snapshot = {"version": 1, "event": {**event("p1", partial=True), "content": {"kind": "text", "text": ""}}}
    (folder / "runtime-partials" / "m1.partial").write_text(json.dumps(snapshot) + "\nso far")
    streamed = _poll(follower)
    source = {"sourceInvocationId": "i", "sourceRunId": RUN, "sourceTurnId": "t", "sourceRuntimeEventHighWater": 1}
    make_run(tmp_path, [], head=header(runId="run-2", continuationSource=source))
    continued = _poll(follower)

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
    follower = _open(tmp_path).follow()
    first = _poll(follower)
    (tmp_path / "runtime.sqlite").touch()
    news = _poll(follower)

    assert first is not None
    assert not first.ledger.stale
    assert news is not None
    assert news.ledger.stale
    follower.close()


def test_a_reading_that_was_stopped_goes_on(tmp_path: Path) -> None:
    """What the progress callback raises comes through, and the next look is right."""
    make_run(tmp_path, [text("e1")])
    follower = _open(tmp_path).follow()
    _poll(follower)
    _written(tmp_path, call("e2", "t"))

    def stop(_done: int, _size: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        follower.poll(time.time() * 1000, stop)
    _assert_fresh(follower, tmp_path, None)
    follower.close()


def test_a_file_that_is_cut_while_it_is_read_on_is_read_anew(tmp_path: Path) -> None:
    """Rows that were read while the file was cut and grew again are not believed."""
    make_run(tmp_path, [text("e1")])
    path = tmp_path / LEDGER_PATH
    follower = _open(tmp_path).follow()
    _poll(follower)
    _written(tmp_path, *(text(f"e{number}", "x" * 5000) for number in range(2, 120)))
    done: list[int] = []

    def cut(size: int, _total: int) -> None:
        if not done:
            done.append(size)
            os.truncate(path, 300)
            _written(tmp_path, *(call(f"c{number}", f"t{number}", "y" * 5000) for number in range(120)))

    news = follower.poll(time.time() * 1000, cut)
    _assert_fresh(follower, tmp_path, news)
    assert done
    follower.close()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="only Linux lists open files")
def test_one_file_is_open_whatever_happens(tmp_path: Path) -> None:
    """A ledger that is replaced again and again leaves no descriptor behind, and closing gives back the last one."""
    make_run(tmp_path, [text("e1")])
    path = tmp_path / LEDGER_PATH
    before = sum(1 for _ in Path("/proc/self/fd").iterdir())
    follower = _open(tmp_path).follow()
    for number in range(20):
        path.with_suffix(".new").write_bytes(_line(text(f"n{number}")) * 2)
        path.with_suffix(".new").replace(path)
        _poll(follower)
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
        follower = _open(tmp_path).follow()
        with failing_reads(first):
            news = follower.poll(NOW)
        assert news is not None
        found = [finding.code for finding in news.ledger.findings]
        stopped += "ledger_unreadable" in found
        assert "torn_tail" not in found
        assert all(row.finding is None for row in news.ledger.rows)
        follower.close()
    assert stopped
