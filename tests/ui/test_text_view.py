"""Long texts are shown to the last character, whatever the width and with a scrollbar or without."""

from __future__ import annotations

import pytest
from textual.content import Content

from tests.support.aio import run
from tests.support.apps import viewer_app
from tests.support.shots import screen_lines
from viewer.text_pages import TextPages
from viewer.widgets.lines import Line, LineList
from viewer.widgets.text_view import TextView

SIZES = [(40, 10), (61, 12), (80, 24), (120, 36)]
LETTERS = "".join(chr(97 + number % 26) for number in range(3000))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("length", [500, 3000])
def test_no_character_of_a_long_line_is_lost(size: tuple[int, int], length: int) -> None:
    """The lines that are seen, put together, are the beginning of the text."""
    view = TextView()
    app = viewer_app(view)

    async def body() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            view.show(TextPages(LETTERS[:length]))
            await pilot.pause()
            shown = "".join(
                "".join(c for c in line[1:] if c.isalpha()) for line in screen_lines(app)[: view.size.height]
            )
            assert LETTERS[:length].startswith(shown)
            assert len(shown) >= min(length, view.size.height * (size[0] - 3))

    run(body())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [1, 60])
def test_no_character_of_a_paragraph_is_lost(size: tuple[int, int], count: int) -> None:
    """Wrapped paragraphs keep all of their letters, also where a scrollbar comes only once they are wrapped."""
    lines = LineList()
    app = viewer_app(lines)
    name = Content.assemble("name  ", LETTERS[: size[0] * 3])

    async def body() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            lines.show([Line(name, 6)] * count)
            await pilot.pause()
            seen = screen_lines(app)[: lines.size.height]
            shown = "".join("".join(c for c in line[1:] if c.isalpha()) for line in seen)
            whole = ("name" + LETTERS[: size[0] * 3]) * count
            assert whole.startswith(shown)
            assert count > 1 or shown == whole

    run(body())
