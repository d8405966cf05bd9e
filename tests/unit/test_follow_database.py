"""Following a run in a database: what the follower shows is what a fresh reading finds, and old rows are not read."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import CoreError, Ledger, RunFollower, RunNews, Workspace, inspect, open_workspace
from tests.support.live_database import LiveDatabase
from tests.support.runs import RUN, call, response, text


def _now() -> float:
    return time.time() * 1000


def _picture(ledger: Ledger) -> dict[str, Any]:
    return {
        "rows": list(ledger.rows),
        "findings": list(ledger.findings),
        "header": ledger.header,
        "events": [event.id for event in ledger],
        "plan": inspect(ledger).plan.as_document(),
        "verdict": inspect(ledger, now_ms=2e12).verdict,
    }


def _assert_fresh(follower: RunFollower, root: Path, last: RunNews | None) -> RunNews:
    news = follower.poll(_now()) or last
    assert news is not None
    with open_workspace(root) as fresh:
        assert _picture(news.ledger) == _picture(fresh.run(RUN).ledger())
    return news


def _begin(root: Path, **how: Any) -> tuple[LiveDatabase, Workspace]:
    database = LiveDatabase(root, **how)
    database.head()
    return database, open_workspace(root)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(["text", "call", "response"])),
        st.tuples(st.just("bad"), st.just("")),
        st.tuples(st.just("other run"), st.just("")),
        st.tuples(st.just("head"), st.sampled_from(["running", "completed"])),
        st.tuples(st.just("take back"), st.integers(1, 3)),
        st.tuples(st.just("truncate the log"), st.just("")),
        st.tuples(st.just("look"), st.just("")),
    ),
    max_size=12,
)


def _do(database: LiveDatabase, step: str, what: Any, name: str) -> None:
    if step == "add":
        row = {"text": text(name), "call": call(name, f"t-{name}"), "response": response(name, "t-e1")}[what]
        database.add(row)
    elif step == "bad":
        database.add(text(name), payload="{")
    elif step == "other run":
        database.add(text(name, runId="run-2", invocationId="inv-2"))
    elif step == "head":
        database.head(status=what)
    elif step == "take back":
        database.take_back(RUN, what)
    elif step == "truncate the log":
        database.close()


@settings(max_examples=25, deadline=None)
@given(STEPS, st.sampled_from(["wal", "delete"]), st.booleans())
def test_what_is_followed_is_what_a_fresh_reading_finds(steps: list[Any], journal_mode: str, closing: bool) -> None:
    """Whatever is committed, taken back or changed, in a log or in the main file, by a writer that stays or goes."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        database, workspace = _begin(root, journal_mode=journal_mode, closing=closing)
        with workspace:
            follower = workspace.run(RUN).follow()
            news = _assert_fresh(follower, root, None)
            for number, (step, what) in enumerate(steps):
                if step == "look":
                    news = _assert_fresh(follower, root, news)
                else:
                    _do(database, step, what, f"e{number}")
            _assert_fresh(follower, root, news)
        database.close()


def test_rows_are_read_once(tmp_path: Path) -> None:
    """Rows that stood before are the same ones after; the payload of none of them but the last is fetched again."""
    database, workspace = _begin(tmp_path)
    with workspace:
        database.add(*(text(f"e{number}") for number in range(50)))
        follower = workspace.run(RUN).follow()
        first = follower.poll(_now())
        database.add(call("e50"))
        seen: list[tuple[int, int]] = []
        second = follower.poll(_now(), lambda done, total: seen.append((done, total)))

        assert first is not None
        assert second is not None
        assert first.anew
        assert not second.anew
        assert seen == [(51, 51)]
        assert (len(first.ledger), len(second.ledger)) == (50, 51)
        assert [event.id for event in first.ledger][-1] == "e49"
        assert inspect(first.ledger).verdict == "replayable"
        assert inspect(second.ledger).verdict == "may_have_run"
        time.sleep(0.1)
        assert follower.poll(_now()) is None
        assert follower.poll(_now()) is None
    database.close()


def test_rows_that_became_other_ones_are_noticed_and_said(tmp_path: Path) -> None:
    """Rows that are taken back are gone, and a person is told."""
    database, workspace = _begin(tmp_path)
    with workspace:
        database.add(text("e1"), call("e2"))
        follower = workspace.run(RUN).follow()
        follower.poll(_now())
        database.take_back(RUN, 1)
        database.add(text("e3"))

        news = follower.poll(_now())

        assert news is not None
        assert news.anew
        assert "other ones" in news.said
        assert [event.id for event in news.ledger] == ["e1", "e3"]
    database.close()


def test_a_database_that_is_removed_is_said_and_what_was_read_stays(tmp_path: Path) -> None:
    """Looking again fails with an error of ours; the ledger of before can still be read."""
    database, workspace = _begin(tmp_path, journal_mode="delete", closing=True)
    with workspace:
        database.add(text("e1"))
        follower = workspace.run(RUN).follow()
        news = follower.poll(_now())
        database.path.unlink()

        assert news is not None
        with pytest.raises(CoreError):
            follower.poll(_now())
        assert news.ledger[0].id == "e1"
