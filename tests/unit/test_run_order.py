"""The orders of a list of runs."""

from __future__ import annotations

from core import RunOrder, RunSummary, Verdict, arrange_runs


def summary(run_id: str, session: str = "s1", *, began: float = 0, last: float = 0, **keys: object) -> RunSummary:
    """Make a summary."""
    base: dict[str, object] = {"verdict": Verdict.REPLAYABLE, "disposition": "safe_replay", "title": session.upper()}
    facts = {**base, **keys}
    return RunSummary(session, run_id, started_ms=began, last_event_ms=last, **facts)  # type: ignore[arg-type]  # the keys of each test are right by reading


def child(run_id: str, parent: str, session: str = "s1", *, of: str = "s1", **keys: object) -> RunSummary:
    """Make a summary of a run that another one started."""
    return summary(run_id, session, parent_run_id=parent, parent_session_id=of, **keys)  # type: ignore[arg-type]  # as above


def drawn(lines: object) -> list[str]:
    """Write lines down: headings in brackets, children indented."""
    return [
        f"[{line.session_id} {line.runs}]" if line.summary is None else "  " * line.depth + line.summary.run_id
        for line in lines  # type: ignore[attr-defined]  # a sequence of lines
    ]


RUNS = [
    summary("b", began=2, last=20),
    summary("a", began=1, last=90),
    child("b2", "b", began=4, last=40),
    child("b1", "b", "s9", began=3, last=30),
    child("b11", "b1", "s9", of="s9", began=5, last=50),
    summary("z", "s2", began=0, last=60, verdict=Verdict.MAY_HAVE_RUN, disposition="blocked"),
]


def test_most_urgent_first() -> None:
    """Doubt stands first, then the newest."""
    assert drawn(arrange_runs(RUNS)) == ["z", "a", "b11", "b2", "b1", "b"]


def test_newest_first() -> None:
    """The newest event decides, whatever the verdict."""
    assert drawn(arrange_runs(RUNS, RunOrder.NEWEST)) == ["a", "z", "b11", "b2", "b1", "b"]


def test_by_session() -> None:
    """A session has its runs as they began; runs of child agents stand below their parents, whatever their session."""
    assert drawn(arrange_runs(RUNS, RunOrder.SESSIONS)) == [
        "[s1 5]", "a", "b", "  b1", "    b11", "  b2", "[s2 1]", "z",
    ]  # fmt: skip


def test_a_filter_keeps_what_stands_above() -> None:
    """By session the runs above a kept one stay; sessions without any disappear."""
    kept = frozenset({("s9", "b11")})

    assert drawn(arrange_runs(RUNS, RunOrder.SESSIONS, kept)) == ["[s1 3]", "b", "  b1", "    b11"]
    assert drawn(arrange_runs(RUNS, RunOrder.URGENT, kept)) == ["b11"]
    assert drawn(arrange_runs(RUNS, RunOrder.SESSIONS, frozenset())) == []


def test_an_unknown_parent_leaves_a_run_at_the_top() -> None:
    """A run whose parent is not in the workspace is shown all the same."""
    assert drawn(arrange_runs([child("x", "gone")], RunOrder.SESSIONS)) == ["[s1 1]", "x"]


def test_runs_that_name_each_other_are_all_shown() -> None:
    """Headers that go round in a circle neither hang nor hide a run."""
    runs = [child("x", "y"), child("y", "x"), child("self", "self"), child("below", "x")]

    assert sorted(drawn(arrange_runs(runs, RunOrder.SESSIONS))) == sorted(["[s1 4]", "x", "y", "self", "  below"])


def test_the_orders_go_round() -> None:
    """One key walks through all of them, and each says its name."""
    seen = [RunOrder.URGENT]
    while seen[-1].next is not RunOrder.URGENT:
        seen.append(seen[-1].next)

    assert seen == list(RunOrder)
    assert len({order.words for order in RunOrder}) == len(RunOrder)
