"""What the provider would be sent, in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core import Inspection, ReplayView, inspect, replay_view
from tests.support import run_samples as samples


def seen(root: Path, write: Callable[[Path], None], end: int | None = None) -> tuple[Inspection, ReplayView]:
    """Write a sample and look at its replay."""
    write(root)
    inspection = inspect(samples.open_sample(root).ledger(), high_water=end, now_ms=samples.NOW)
    return inspection, replay_view(inspection)


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (
            samples.may_have_run,
            "Not sent while blocked. The filter keeps 12 of 13; event 11 is left out (no response).",
        ),
        (
            samples.replayable,
            "May be sent: runs no tool, undoes nothing, checks no target. The filter keeps all 11.",
        ),
        (
            samples.not_dispatched,
            "Not sent while blocked. The filter keeps 1 of 2; event 2 is left out (never dispatched).",
        ),
        (samples.empty, "May be sent: runs no tool, undoes nothing, checks no target. The prefix holds no event."),
        (
            samples.live,
            "Not sent: a writer may be alive. The filter keeps 12 of 13; event 11 is left out (no response).",
        ),
    ],
)
def test_one_sentence_says_it(tmp_path: Path, write: Callable[[Path], None], said: str) -> None:
    """Whether it is sent comes first, then what the filter keeps and why the rest is left out."""
    assert seen(tmp_path, write)[1].said == said


def test_every_event_has_its_answer(tmp_path: Path) -> None:
    """An event is kept, or it is said why not; both agree with the plan."""
    inspection, view = seen(tmp_path, samples.nested)

    kept = [index for index in range(len(view)) if view.why_left_out(index) is None]

    assert len(view) == inspection.high_water
    assert kept == list(inspection.plan.replay.indexes())
    assert {view.why_left_out(left.index) for left in view.left_out} == {"hidden from the model", "no response"}


def test_a_shorter_prefix_has_a_replay_of_its_own(tmp_path: Path) -> None:
    """A what-if prefix is judged by itself, also of a run that may be alive."""
    _, view = seen(tmp_path, samples.live, end=10)

    assert view.sent
    assert view.said.endswith("The filter keeps all 10.")


def test_many_are_counted(tmp_path: Path) -> None:
    """Of a few each is named, of many the number."""
    _, view = seen(tmp_path, samples.contradictory)

    assert view.said == (
        "Not sent while blocked. The filter keeps 4 of 7; events 5, 6 and 7 are left out"
        " (rows about it disagree, its call is not recorded)."
    )
