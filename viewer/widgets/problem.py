"""An error as a person can use it: what, where, and what to try next. Never a traceback."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content
from textual.widgets import Static

from core import CoreError, printable

from ..styles import UNICODE, UNREADABLE, Signs


class Problem(Static):
    """Three lines about an error."""

    ALLOW_SELECT = True
    DEFAULT_CSS = "Problem { height: auto; padding: 1 2; color: $ink; }"

    def __init__(self, heading: str, error: CoreError, *, signs: Signs = UNICODE) -> None:
        sign = f"{signs.of(UNREADABLE)} {printable(heading, limit=200)}"
        super().__init__(Content("\n").join([Content.styled(sign, "bold $evidence"), Content(""), *_lines(error)]))


def _lines(error: CoreError) -> Iterator[Content]:
    facts = {
        "what": error.message,
        "where": ", ".join(_places(error)),
        "next": error.hint or "maka-ledger --help",
        "code": error.code,
    }
    for name, fact in facts.items():
        if fact:
            yield Content.assemble((f"{name:<7}", "$muted"), printable(fact, limit=2000))


def _places(error: CoreError) -> Iterator[str]:
    if error.path is not None:
        yield error.path
    for name, value in (("line", error.line), ("byte", error.offset)):
        if value is not None:
            yield f"{name} {value:,}"
    if error.field is not None:
        yield error.field
