"""The runs that are read so far, in order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from core import RunSummary, Verdict, most_urgent_first
from viewer.sorted_runs import SortedRuns, key_of

SUMMARIES = st.lists(
    st.builds(
        RunSummary,
        session_id=st.sampled_from(["s1", "s2"]),
        run_id=st.sampled_from([f"r{number}" for number in range(8)]),
        title=st.none(),
        verdict=st.sampled_from(Verdict),
        disposition=st.sampled_from(["blocked", "safe_replay"]),
        last_event_ms=st.none() | st.floats(0, 1e12),
        last_write_ms=st.none() | st.floats(0, 1e12),
    )
)


@given(SUMMARIES)
def test_equal_to_sorting_the_last_of_each(summaries: list[RunSummary]) -> None:
    """In whatever order runs come in, and however often, the list is what sorting the newest of each run gives."""
    runs = SortedRuns()
    for summary in summaries:
        runs.take([summary])
    newest = {key_of(summary): summary for summary in summaries}

    assert list(runs) == most_urgent_first(newest.values())
    assert +runs.counts == {
        verdict: count
        for verdict in Verdict
        if (count := sum(summary.verdict is verdict for summary in newest.values()))
    }
    for index, summary in enumerate(runs):
        assert runs.find(key_of(summary)) == index
    written = [s.last_write_ms for s in newest.values() if s.last_write_ms is not None]
    assert runs.newest_write_ms == max(written, default=None)


def test_continued_runs_are_counted_among_those_that_may_have_run() -> None:
    """A replayable run that was continued is no news."""
    doubt = RunSummary("s", "a", None, Verdict.MAY_HAVE_RUN, "blocked", continued_by=("b",))
    calm = RunSummary("s", "c", None, Verdict.REPLAYABLE, "safe_replay", continued_by=("d",))

    assert SortedRuns([doubt, calm, replace(doubt, run_id="e", continued_by=())]).continued == 1


def test_an_unknown_run_is_not_found() -> None:
    """What was not read has no place."""
    assert SortedRuns().find(("s", "r")) is None
