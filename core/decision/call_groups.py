"""Calls and responses of one tool-call id that need a second look: it is reused, or a response does not simply match.

The plan compares every visible response with the last visible operation of its id, over all invocations (format:
diagnostics). Ids with one call and one matching response, nearly all, need no group.
"""

from __future__ import annotations

from collections import Counter

from .tool_calls import NESTED, ToolCalls


class CallGroup:
    """The calls of one tool-call id, and its visible responses."""

    __slots__ = ("_by_name", "_shown", "call_id", "calls", "of_invocation", "responses")

    def __init__(self, call_id: str) -> None:
        self.call_id = call_id
        self.of_invocation: dict[str, int] = {}
        """Invocation -> number of its call of this id."""
        self.calls: dict[int, None] = {}
        """Numbers of all calls that have this id, or had it given by a shadow."""
        self.responses: list[tuple[int, str, str]] = []
        """Position, event id and tool name of the visible responses, in order."""
        self._by_name: Counter[str] = Counter()
        self._shown: tuple[int, str] | None = None

    @property
    def unmatched(self) -> int:
        """How many responses have a diagnostic as of the newest event. Not exact once an event id stood twice."""
        matched = self._by_name[self._shown[1]] if self._shown else 0
        return len(self.responses) - matched

    def add_response(self, index: int, event_id: str, name: str) -> None:
        """Take a visible response."""
        self.responses.append((index, event_id, name))
        self._by_name[name] += 1

    def show(self, number: int, name: str) -> None:
        """Note that a visible call stands under this id."""
        if self._shown is None or self._shown[0] <= number:
            self._shown = (number, name)

    def shown_at(self, calls: ToolCalls, end: int) -> str | None:
        """Return the tool name of the last visible operation of this id as of the first `end` events."""
        last, name = -1, None
        for number in self.calls:
            if number > last and calls.state_at(number, end) < NESTED:
                shadow = calls.shadow_at(number, end)
                if (shadow.tool_call_id if shadow else calls.odd[number].call_id) == self.call_id:
                    last, name = number, shadow.tool_name if shadow else calls.call_name(number)
        return name
