"""One line to type into. Its keys come from the table of commands; what is pasted into it is made safe first."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Input

from core import printable

from ..command import Context
from ..commands import bindings_for

LONGEST = 500
"""Characters that can be typed."""


class Field(Input):
    """A text field without a frame."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.FIELD)
    DEFAULT_CSS = """
    Field, Field:focus {
        background: $bar;
        background-tint: $bar 0%;
        color: $ink;
        & > .input--cursor { text-style: reverse; color: $ink; background: $bar; }
        & > .input--placeholder { color: $muted; text-style: none; }
    }
    """

    class Cancelled(Message):
        """The person thought better of it."""

        def __init__(self, field: Field) -> None:
            super().__init__()
            self.field = field

        @property
        def control(self) -> Field:
            """The field, for `on(..., selector)`."""
            return self.field

    def __init__(
        self,
        value: str = "",
        placeholder: str = "",
        *,
        id: str | None = None,  # noqa: A002 - Textual's own name
    ) -> None:
        """Make a field that holds `value`; `placeholder` stands in it while it is empty."""
        super().__init__(value, placeholder=placeholder, compact=True, select_on_focus=True, max_length=LONGEST, id=id)

    def validate_value(self, value: str) -> str:
        """Show what was pasted as anything else that is drawn: nothing in it may reach the terminal as it is."""
        return printable(value, limit=LONGEST)

    def action_cancel(self) -> None:
        """Say that the person thought better of it."""
        self.post_message(self.Cancelled(self))
