"""The order of ids."""

from __future__ import annotations

import pytest

from core.records.collation import collation_key


@pytest.mark.parametrize(
    "ordered",
    [
        ["run_a", "run-a", "Run-a", "run-b", "run-B"],
        ["_", "-", "0", "9", "a", "A", "b", "z", "Z"],
        ["a", "ab", "aB", "Ab", "abc", "b"],
        ["", "a"],
        ["aB", "Ab", "b"],
        ["x y", "x_y", "x-y", "x,y", "x.y", "x/y", "x#y", "x$y", "x1y", "xay"],
        ["B", "é", "f"],
        ["e", "é", "ea"],
        ["z", "日本"],
    ],
)
def test_ids_sort_as_the_runtime_sorts_them(ordered: list[str]) -> None:
    """Underscore, hyphen, digits, letters; a prefix first; case only where nothing else differs, lower case first."""
    shuffled = ordered[::-1]

    assert sorted(shuffled, key=collation_key) == ordered


def test_control_characters_make_no_difference() -> None:
    """Control characters are ignored, so that ids differing in them alone are a tie."""
    assert collation_key("a\x00b\x1f") == collation_key("ab")


def test_composed_and_decomposed_marks_are_a_tie() -> None:
    """A letter with a mark sorts alike however it is encoded."""
    assert collation_key("\u00e9") == collation_key("e\u0301")
