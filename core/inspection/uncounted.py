"""What stands behind the committed prefix and is not counted, in one line each: a torn row, unfinished streams."""

from __future__ import annotations

from ..storage.ledger import Ledger
from ..storage.partials import PartialSnapshot, shown_partials
from ..storage.stream_keys import completed_key
from .explain import clock_time
from .summary import size_text
from .witnesses import torn_fragment


def torn_line(ledger: Ledger) -> str:
    """Say what the torn row starts like; empty where there is none, or it is gone. Reads the row."""
    fragment = torn_fragment(ledger)
    if fragment is None:
        return ""
    if fragment.kind is None:
        return "too short to tell what it would be"
    number = _call_number(ledger, None, fragment.tool_call_id)
    target = f" to #{number:,}" if number is not None else ""
    return f"starts like a {fragment.kind}{target}"


def partial_lines(ledger: Ledger) -> tuple[tuple[PartialSnapshot, str], ...]:
    """Return the unfinished streams that the ledger does not complete, each with a line. Reads the whole ledger."""
    return tuple(
        (snapshot, _partial_line(ledger, snapshot)) for snapshot in shown_partials(ledger.beside.partials(), ledger)
    )


class StreamLines:
    """The unfinished streams of a ledger that grows: each of its events is read once, and none before it must be."""

    def __init__(self) -> None:
        self._completed: set[int] = set()
        self._read = 0

    def of(self, ledger: Ledger) -> tuple[tuple[PartialSnapshot, str], ...]:
        """Return what `partial_lines` does, of a ledger that begins as the last one did. Raises CoreError."""
        snapshots = ledger.beside.partials()
        if any(snapshot.key for snapshot in snapshots):
            for index in range(self._read, len(ledger)):
                key = completed_key(ledger[index])
                if key is not None:
                    self._completed.add(hash(key))
                self._read = index + 1
        open_ones = (one for one in snapshots if one.key is None or hash(one.key) not in self._completed)
        return tuple((snapshot, _partial_line(ledger, snapshot)) for snapshot in open_ones)


def _partial_line(ledger: Ledger, snapshot: PartialSnapshot) -> str:
    words = []
    if snapshot.text is not None:
        words.append(f"{snapshot.kind}, {size_text(len(snapshot.text.encode('utf-8', 'replace')))} so far")
    else:
        invocation = snapshot.document.get("invocationId")
        number = _call_number(ledger, invocation if isinstance(invocation, str) else None, snapshot.tool_call_id)
        call = f"#{number:,}" if number is not None else snapshot.tool_call_id
        words.append(f"heartbeat of {call}" if call else "a sign of life")
    if snapshot.ts is not None:
        words.append(clock_time(snapshot.ts))
    return ", ".join((*words, "not counted"))


def _call_number(ledger: Ledger, invocation: str | None, call_id: str | None) -> int | None:
    """Return the number of the event of a call that is named by its id."""
    if call_id is None:
        return None
    if invocation is None and ledger.header is not None and isinstance(ledger.header.invocation_id, str):
        invocation = ledger.header.invocation_id
    if invocation is None and len(ledger):
        invocation = ledger[-1].invocation_id
    found = None if invocation is None else ledger.tool_ledger.find(invocation, call_id)
    number = 0 if found is None else ledger.tool_ledger.calls.call_at(found)
    return number or None
