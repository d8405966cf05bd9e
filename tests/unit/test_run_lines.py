"""The lines of a list of runs."""

from __future__ import annotations

from core import RunOrder, RunSummary, Verdict, arrange_runs
from viewer.run_lines import ArrangedLines, UrgentLines, next_blocked, summary_at
from viewer.sorted_runs import SortedRuns

CALM = RunSummary("s", "r0", None, Verdict.REPLAYABLE, "safe_replay")
DOUBTS = [RunSummary("s", f"d{number}", None, Verdict.MAY_HAVE_RUN, "blocked") for number in range(2)]


def test_the_next_blocked_run_is_found_round_and_round() -> None:
    """Forwards and backwards, past replayable runs and headings; none where there is none."""
    lines = UrgentLines(SortedRuns([CALM, *DOUBTS]))

    assert [next_blocked(lines, start, 1) for start in range(3)] == [1, 0, 0]
    assert [next_blocked(lines, start, -1) for start in range(3)] == [1, 0, 1]
    assert next_blocked(UrgentLines(SortedRuns([CALM])), 0, 1) is None
    assert next_blocked(UrgentLines(SortedRuns()), 0, 1) is None
    assert next_blocked(ArrangedLines(arrange_runs([CALM, *DOUBTS], RunOrder.SESSIONS)), 2, 1) == 1


def test_a_run_is_found_where_it_stands() -> None:
    """Both kinds of lines know the place of a run; a heading is no run."""
    urgent = UrgentLines(SortedRuns([CALM, *DOUBTS]))
    arranged = ArrangedLines(arrange_runs([CALM, *DOUBTS], RunOrder.SESSIONS))

    assert [urgent.find(("s", name)) for name in ("d0", "d1", "r0", "gone")] == [0, 1, 2, None]
    assert [arranged.find(("s", name)) for name in ("d0", "d1", "r0", "gone")] == [1, 2, 3, None]
    assert summary_at(arranged, 0) is None
    assert summary_at(arranged, 99) is None
    assert summary_at(arranged, 1) == DOUBTS[0]
    assert len(urgent) == 3
    assert len(arranged) == 4
