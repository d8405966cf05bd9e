"""A report as Markdown. Words of a workspace stand in code only, printed safely: no markup, no escape, no way out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core import Report, code_block, inline_code, printable

from .report_page import Block, Code, Heading, Listing, Paragraph, Part, Points, page

_PART_LIMIT = 4000


def report_markdown(report: Report) -> str:
    """Write a report as one Markdown document."""
    lines: list[str] = []
    for block in page(report):
        lines += ["", *_block(block)] if lines else _block(block)
    return "\n".join(lines) + "\n"


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Heading):
        yield f"{'#' * block.level} {_text(block.parts)}"
    elif isinstance(block, Paragraph):
        yield f"**{_text(block.parts)}**" if block.strong else _text(block.parts)
    elif isinstance(block, Points):
        for place, item in enumerate(block.items, start=1):
            yield f"{f'{place}.' if block.ordered else '-'} {_text(item)}"
    elif isinstance(block, Listing):
        yield from code_block("\n".join(block.lines))


def _text(parts: Iterable[Part]) -> str:
    return "".join(
        inline_code(printable(part.text, limit=_PART_LIMIT)) if isinstance(part, Code) else part for part in parts
    )
