"""A scrollbar of one column, drawn many times as quickly as Textual's, which goes through Rich line by line."""

from __future__ import annotations

from collections.abc import Hashable

from rich.style import Style
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip


class ThinBar(ScrollBar):
    """Looks and works as Textual's; it is laid out anew only when something about it is another."""

    _drawn: tuple[Hashable, list[Strip]] = (None, [])

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the lines of a part."""
        bar, height, filters = self.render(), self.size.height, tuple(self.get_line_filters())
        if not isinstance(bar, ScrollBarRender) or not isinstance(bar.style, Style) or self.size.width != 1:
            return super().render_lines(crop)
        base, background = self.visual_style.rich_style, self.background_colors[1]
        key = (height, bar.virtual_size, bar.window_size, bar.position, bar.style, base, background, *filters)
        if key != self._drawn[0]:
            style = bar.style
            if style.bgcolor is None or style.color is None:
                return super().render_lines(crop)
            segments = bar.render_bar(
                height,
                bar.virtual_size,
                bar.window_size,
                bar.position,
                back_color=style.bgcolor,
                bar_color=style.color,
            ).segments
            # Most of them are the same one.
            strips = {id(segment): Strip([segment], 1).apply_style(base) for segment in segments}
            for line_filter in filters:
                strips = {place: strip.apply_filter(line_filter, background) for place, strip in strips.items()}
            self._drawn = (key, [strips[id(segment)] for segment in segments])
        return self._drawn[1][crop.y : crop.bottom]


class ThinScrolled(ScrollView):
    """What is scrolled with a `ThinBar` at its right."""

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The scrollbar; it is made when it is first asked for, as Textual makes its own."""
        if self._vertical_scrollbar is None:
            self._vertical_scrollbar = ThinBar(name="vertical", thickness=self.scrollbar_size_vertical)
            self._vertical_scrollbar.display = False
            self.app._start_widget(self, self._vertical_scrollbar)  # noqa: SLF001  there is no other way to add one
        return self._vertical_scrollbar
