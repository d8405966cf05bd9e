"""The screen of one run in every state, as a picture: calm, with one loud thing, the doubt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.run_samples import SAMPLES
from tests.support.run_screens import drawn, press, show_sample
from tests.support.stillness import still
from viewer.themes import LIGHT, TERMINAL

SIZES = {"80x24": (80, 24), "120x36": (120, 36)}


def pressing(*keys: str) -> Callable[[Pilot[Any]], Awaitable[None]]:
    """Wait for the screen, then press keys."""

    async def before(pilot: Pilot[Any]) -> None:
        await drawn(pilot)
        await press(pilot, *keys)
        await still(pilot)

    return before


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SAMPLES)
def test_state(tmp_path: Path, snap_compare: Any, name: str, size: str) -> None:
    """Each state says first what a person must know, in the words that everybody must read."""
    assert snap_compare(show_sample(tmp_path, name), terminal_size=SIZES[size], run_before=drawn)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("presses", [3, 5], ids=["replayable", "blocked"])
def test_what_if(tmp_path: Path, snap_compare: Any, presses: int, size: str) -> None:
    """A shorter prefix is dimmed off and told of as a question, never in green; the real verdict stays."""
    app = show_sample(tmp_path, "may_have_run")

    before = pressing(*["left_square_bracket"] * presses)
    assert snap_compare(app, terminal_size=SIZES[size], run_before=before)


@pytest.mark.parametrize("size", SIZES)
def test_event(tmp_path: Path, snap_compare: Any, size: str) -> None:
    """The page of the event has every field of it."""
    app = show_sample(tmp_path, "may_have_run")

    assert snap_compare(app, terminal_size=SIZES[size], run_before=pressing("2"))


@pytest.mark.parametrize("size", SIZES)
def test_other_length(tmp_path: Path, snap_compare: Any, size: str) -> None:
    """Another number of events than was expected is said in a line of its own."""
    app = show_sample(tmp_path, "may_have_run", expected_high_water=15)

    assert snap_compare(app, terminal_size=SIZES[size], run_before=drawn)


@pytest.mark.parametrize("size", [(60, 24), (40, 10), (100, 14), (160, 50)], ids="{0[0]}x{0[1]}".format)
def test_other_sizes(tmp_path: Path, snap_compare: Any, size: tuple[int, int]) -> None:
    """Narrow screens show one pane at a time, low ones less of the verdict; what to do is whole in all of them."""
    assert snap_compare(show_sample(tmp_path, "may_have_run"), terminal_size=size, run_before=drawn)


@pytest.mark.parametrize(
    "options",
    [{"theme": LIGHT}, {"theme": TERMINAL}, {"ascii_only": True, "no_color": True}],
    ids=["light", "sixteen", "ascii-no-colour"],
)
def test_other_colours(tmp_path: Path, snap_compare: Any, options: dict[str, Any]) -> None:
    """In light colours, in the terminal's own, in none and in ASCII the same is said."""
    app = show_sample(tmp_path, "may_have_run", **options)

    assert snap_compare(app, terminal_size=SIZES["120x36"], run_before=drawn)


def test_help_explains_the_codes(tmp_path: Path, snap_compare: Any) -> None:
    """The help of this screen has its keys, and what the codes on it mean."""

    async def before(pilot: Pilot[Any]) -> None:
        await drawn(pilot)
        await pilot.press("question_mark", "pagedown")
        await pilot.pause()

    assert snap_compare(show_sample(tmp_path, "may_have_run"), terminal_size=SIZES["80x24"], run_before=before)
