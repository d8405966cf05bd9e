"""A screen on a terminal that cannot hold every character."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color

from viewer.held_text import HeldText

TEXTS = ("plain", "naïve ☃", "表示テスト", "👩\u200d👩\u200d👧 e\u0301", "␛]0;PWNED␇", "─│▌…›·→")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437", "cp932", "gb18030"])
@pytest.mark.parametrize(
    "text", ["plain", "naïve ☃", "表示テスト", "👩\u200d👩\u200d👧 e\u0301", "␛]0;PWNED␇", "─│▌…›·→"]
)
def test_as_many_cells_as_were_drawn(encoding: str, text: str) -> None:
    """What can be held stays, the rest is a mark of the same width: no row is shifted, no doubt is made up."""
    (held,) = HeldText([encoding, "utf-8"]).apply([Segment(text)], Color(0, 0, 0))

    held.text.encode(encoding)
    assert cell_len(held.text) == cell_len(text)
    assert "?" not in held.text
    if text.encode(encoding, "replace").decode(encoding) == text:
        assert held.text == text


def test_nothing_to_do_in_utf_8() -> None:
    """On the usual terminal it is out of the way."""
    assert not HeldText(["utf-8", "UTF8"]).enabled
    assert not HeldText([]).enabled
